internal import CRealtime

/// A lossless diffuser: it turns each impulse into thousands within a few hundredths of a second,
/// with the same total power.
///
/// Four steps, each with eight delays and an orthogonal matrix: the feed-forward part of Geraint
/// Luff's "Let's Write a Reverb" (ADC 2021). Unlike there, the channels are mixed only by a small
/// rotation, so the stereo image is largely kept.
struct ReverbDiffuser: ~Copyable, @unchecked Sendable {
  private static var steps: Int { @_noLocks get { 4 } }

  private let buffers = Buffers()
  // The rings that each step reads. The first step reads each channel four times, the others one
  // lane each.
  private let rings: UnsafeMutablePointer<ReverbRings>
  private let delays: UnsafeMutablePointer<Int>
  private let gains: UnsafeMutablePointer<Float>
  // The current step's inputs, outputs, and gains for the last step.
  private let from: UnsafeMutablePointer<UnsafePointer<Float>?>
  private let to: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  private let lastGains: UnsafeMutablePointer<Float>
  private let tangent: Float
  /// The longest path through the diffuser, in frames.
  let longest: Int

  init(sampleRate: Float) {
    from = buffers.filled(with: nil, count: 8)
    to = buffers.filled(with: nil, count: 8)
    lastGains = buffers.floats(8)
    // A 4x4 Hadamard matrix doubles the level. The rotation is computed from its tangent.
    let scale = Float(rt_cos(ReverbRoom.turn) / 2)
    tangent = Float(rt_sin(ReverbRoom.turn) / rt_cos(ReverbRoom.turn))
    let diffusion = ReverbRoom.diffusion.joined()
    let delays = diffusion.map { Int($0.seconds * Double(sampleRate) + 0.5) }
    self.delays = buffers.copied(delays)
    gains = buffers.copied(diffusion.map { $0.sign * scale })
    let mosts = (0..<Self.steps).map { delays[$0 * 8..<$0 * 8 + 8].max()! }
    longest = mosts.reduce(0, +)
    let counts = mosts.indices.map { $0 == 0 ? 2 : 8 }
    let footprints = mosts.map { ReverbRing.footprint(frames: $0 + 4) }
    var place = buffers.floats(zip(counts, footprints).reduce(0) { $0 + $1.0 * $1.1 })
    rings = buffers.copied(
      mosts.indices.map { step in
        defer { place += counts[step] * footprints[step] }
        return ReverbRings(in: place, frames: mosts[step] + 4, count: counts[step])
      })
  }

  /// Restarts at the clock's head, empty.
  @_noLocks
  mutating func begin(_ clock: ReverbClock) {
    for step in 0..<Self.steps {
      for index in 0..<rings[step].count { rings[step][index].begin(clock) }
    }
  }

  /// Diffuses one chunk of both channels into eight lanes, with a gain.
  @_noLocks
  mutating func process(
    _ sound: Stereo, gain: Float, to lanes: UnsafeMutablePointer<Float>, _ clock: ReverbClock,
    silence: UnsafeMutablePointer<Float>
  ) {
    rt_copy(rings[0][0].chunk(clock), sound.left, ReverbClock.chunk)
    rt_copy(rings[0][1].chunk(clock), sound.right, ReverbClock.chunk)
    rings[0].close(clock)
    for step in 0..<Self.steps {
      let lane = step &* 8
      let sources = rings[step]
      // Four lanes of the first step share a ring.
      let shift = step == 0 ? 2 : 0
      for index in 0..<8 {
        from[index] = sources[index &>> shift].read(
          delay: delays[lane &+ index], clock, silence: silence)
      }
      if step < Self.steps &- 1 {
        let targets = rings[step &+ 1]
        for index in 0..<8 { to[index] = targets[index].chunk(clock) }
        rt_reverb_diffuse(from, gains + lane, tangent, to, ReverbClock.chunk)
        targets.close(clock)
      } else {
        for index in 0..<8 {
          to[index] = lanes + index &* ReverbClock.chunk
          lastGains[index] = gain * gains[lane &+ index]
        }
        rt_reverb_diffuse(from, lastGains, tangent, to, ReverbClock.chunk)
      }
    }
  }

  /// Writes the early reflections: a stereo mix of the lanes as they enter the lines.
  ///
  /// One of the four signs differs; equal signs would undo the last matrix.
  @_noLocks
  func listen(_ lanes: UnsafePointer<Float>, to sound: Stereo) {
    let line = ReverbClock.chunk &* 4
    let others = lanes + 4 &* ReverbClock.chunk
    var frame = 0
    while frame < ReverbClock.chunk {
      let first = ReverbQuad(UnsafeRawPointer(lanes + frame), stride: line)
      let second = ReverbQuad(UnsafeRawPointer(others + frame), stride: line)
      sound.left.setFour(at: frame, (first.a - first.b) + (first.c + first.d))
      sound.right.setFour(at: frame, (second.a - second.b) + (second.c + second.d))
      frame &+= 4
    }
  }
}
