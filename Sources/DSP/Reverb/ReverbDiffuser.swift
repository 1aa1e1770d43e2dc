internal import CRealtime

/// A lossless diffuser: it turns each impulse into thousands within a few hundredths of a second,
/// with the same total power.
///
/// Four steps, each with eight delays and an orthogonal matrix: the feed-forward part of Geraint
/// Luff's "Let's Write a Reverb" (ADC 2021). Unlike there, the channels are mixed only by a small
/// rotation, so the stereo image is largely kept.
struct ReverbDiffuser: ~Copyable, @unchecked Sendable {
  private static var steps: Int { @_noLocks get { 4 } }

  private let memory: UnsafeMutablePointer<Float>
  private let rings: UnsafeMutablePointer<ReverbRing>
  private let ringCount: Int
  // The ring that each lane of each step reads.
  private let sources: UnsafeMutablePointer<ReverbRing>
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
    let lanes = Self.steps * 8
    delays = .allocate(capacity: lanes)
    gains = .allocate(capacity: lanes)
    sources = .allocate(capacity: lanes)
    from = .allocate(capacity: 8)
    from.initialize(repeating: nil, count: 8)
    to = .allocate(capacity: 8)
    to.initialize(repeating: nil, count: 8)
    lastGains = .allocate(capacity: 8)
    lastGains.initialize(repeating: 0, count: 8)
    // The first step reads each channel four times, the others one lane each.
    ringCount = 2 + (Self.steps - 1) * 8
    rings = .allocate(capacity: ringCount)
    // A 4x4 Hadamard matrix doubles the level. The rotation is computed from its tangent.
    let scale = Float(rt_cos(ReverbRoom.turn) / 2)
    tangent = Float(rt_sin(ReverbRoom.turn) / rt_cos(ReverbRoom.turn))
    var longest = 0
    var footprints: [Int] = []
    for step in 0..<Self.steps {
      var most = 0
      for lane in 0..<8 {
        let (seconds, sign) = ReverbRoom.diffusion[step][lane]
        let delay = Int(seconds * Double(sampleRate) + 0.5)
        (delays + step * 8 + lane).initialize(to: delay)
        (gains + step * 8 + lane).initialize(to: sign * scale)
        most = max(most, delay)
      }
      longest += most
      footprints.append(ReverbRing.footprint(frames: most + 4))
      if step == 0 { footprints[0] *= 2 } else { footprints[step] *= 8 }
    }
    self.longest = longest
    let total = footprints.reduce(0, +)
    memory = .allocate(capacity: total)
    memory.initialize(repeating: 0, count: total)
    var place = memory
    var ring = rings
    for step in 0..<Self.steps {
      let count = step == 0 ? 2 : 8
      let most = (0..<8).map { delays[step * 8 + $0] }.max()!
      for index in 0..<count {
        ring.initialize(to: ReverbRing(in: place, frames: most + 4))
        for lane in 0..<(8 / count) {
          (sources + step * 8 + index * (8 / count) + lane).initialize(to: ring.pointee)
        }
        ring += 1
        place += footprints[step] / count
      }
    }
  }

  deinit {
    memory.deallocate()
    rings.deallocate()
    sources.deallocate()
    delays.deallocate()
    gains.deallocate()
    from.deallocate()
    to.deallocate()
    lastGains.deallocate()
  }

  /// Restarts at the clock's head, empty.
  @_noLocks
  mutating func begin(_ clock: ReverbClock) {
    for index in 0..<ringCount { rings[index].begin(clock) }
  }

  /// Diffuses one chunk of both channels into eight lanes, with a gain.
  @_noLocks
  mutating func process(
    _ sound: Stereo, gain: Float, to lanes: UnsafeMutablePointer<Float>, _ clock: ReverbClock,
    silence: UnsafeMutablePointer<Float>
  ) {
    rt_copy(rings[0].chunk(clock), sound.left, ReverbClock.chunk)
    rt_copy(rings[1].chunk(clock), sound.right, ReverbClock.chunk)
    rings[0].close(clock)
    rings[1].close(clock)
    for step in 0..<Self.steps {
      let isLast = step == Self.steps &- 1
      let targets = rings + (2 + step &* 8)
      let lane = step &* 8
      for index in 0..<8 {
        from[index] = source(lane &+ index, clock, silence)
        to[index] = isLast ? lanes + index &* ReverbClock.chunk : targets[index].chunk(clock)
        if isLast { lastGains[index] = gain * gains[lane &+ index] }
      }
      rt_reverb_diffuse(from, isLast ? lastGains : gains + lane, tangent, to, ReverbClock.chunk)
      if !isLast {
        for index in 0..<8 { targets[index].close(clock) }
      }
    }
  }

  /// Writes the early reflections: a stereo mix of the lanes as they enter the lines.
  ///
  /// One of the four signs differs; equal signs would undo the last matrix.
  @_noLocks
  func listen(_ lanes: UnsafePointer<Float>, to sound: Stereo) {
    let line = ReverbClock.chunk &* 4
    let lanes = UnsafeRawPointer(lanes)
    let (left, right) = (UnsafeMutableRawPointer(sound.left), UnsafeMutableRawPointer(sound.right))
    var place = 0
    while place < line {
      let first = ReverbQuad(lanes + place, stride: line)
      let second = ReverbQuad(lanes + (4 &* line &+ place), stride: line)
      left.storeBytes(
        of: (first.a - first.b) + (first.c + first.d), toByteOffset: place, as: SIMD4<Float>.self)
      right.storeBytes(
        of: (second.a - second.b) + (second.c + second.d), toByteOffset: place,
        as: SIMD4<Float>.self)
      place &+= 16
    }
  }

  @_noLocks
  private func source(
    _ lane: Int, _ clock: ReverbClock, _ silence: UnsafeMutablePointer<Float>
  ) -> UnsafePointer<Float> {
    sources[lane].read(delay: delays[lane], clock, silence: silence)
      .assumingMemoryBound(to: Float.self)
  }
}
