internal import CRealtime

/// Reads between the samples of a sound that has its half-way samples beside it.
///
/// Where a sound is known twice as densely as it needs to be, a sinc of 16 taps is as good as one
/// of 64 is otherwise: what it must tell apart lies an octave and a half apart. The half-way
/// samples are made once, with all the taps that anyone wants, when a sound is loaded
/// (`SoundMemory`). A row of the table has eight weights for the samples and eight for those
/// half-way, so that both are read in one piece each. Compact sounds are made floats of step by
/// step: each number once, and not for each of the frames that it counts for.
struct SampleReader: ~Copyable, @unchecked Sendable {
  // Linear interpolation between so many rows leaves less than -105 dB of a tone at 10 kHz.
  private static var places: Int { 256 }
  private static var taps: Int { @_noLocks get { 16 } }
  // Ends at -105 dB, and falls that far between half the sample rate and what mirrors there.
  private static let beta = 10.8

  // The samples that one step reads, with those that a reader sees to both sides.
  private static var room: Int { @_noLocks get { SamplerSound.span + 32 } }

  private let rows: UnsafeMutablePointer<Float>
  // Samples and those half-way, of both sides.
  private let wide: UnsafeMutablePointer<Float>

  init() {
    wide = .allocate(capacity: 4 * Self.room)
    wide.initialize(repeating: 0, count: 4 * Self.room)
    let window = KaiserWindow(beta: Self.beta)
    // The half-way samples that count go on by one in the middle: the row of the middle is there
    // for both.
    rows = .allocate(capacity: (Self.places + 2) * Self.taps)
    for row in 0..<Self.places + 2 {
      let isLate = row > Self.places / 2
      let fraction = Double(isLate ? row - 1 : row) / Double(Self.places)
      let weights = rows + row * Self.taps
      var sum = 0.0
      for tap in 0..<Self.taps {
        let place =
          tap < 8 ? Double(tap - 3) : Double(tap - 12) + (isLate ? 1.5 : 0.5)
        let distance = place - fraction
        let angle = 2 * Double.pi * distance
        let sinc = abs(distance) < 1e-9 ? 1 : rt_sin(angle) / angle
        let weight = sinc * window.value(at: abs(distance) / 4)
        weights[tap] = Float(weight)
        sum += weight
      }
      for tap in 0..<Self.taps { weights[tap] *= Float(1 / sum) }
    }
  }

  deinit {
    rows.deallocate()
    wide.deallocate()
  }

  /// Reads from `position` on, each frame `step` further, which grows by `change` a frame; all in
  /// samples with 32 binary places.
  ///
  /// Writes whole fours of frames, and no more than a usual step of a voice.
  @_noLocks
  borrowing func read(
    _ sound: SoundSide, from position: Int64, step: Int64, change: Int64,
    to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    let seen = Seen(sound, from: position, step: step, change: change, frames: frames)
    let (samples, halves) = floats(sound, seen, place: 0)
    rt_read_dense(
      rows, samples, halves, position &- seen.origin, step, change, output, frames)
  }

  /// Reads both sides at the same places, as `read` does one.
  @_noLocks
  borrowing func read(
    _ left: SoundSide, _ right: SoundSide, from position: Int64, step: Int64, change: Int64,
    to output: Stereo, frames: Int
  ) {
    let seen = Seen(left, from: position, step: step, change: change, frames: frames)
    let (leftSamples, leftHalves) = floats(left, seen, place: 0)
    let (rightSamples, rightHalves) = floats(right, seen, place: 2)
    rt_read_dense_pair(
      rows, leftSamples, leftHalves, rightSamples, rightHalves, position &- seen.origin, step,
      change, output.left, output.right, frames)
  }

  /// The part of a sound that a reading sees.
  private struct Seen: BitwiseCopyable {
    /// The place that counts as 0, with 32 binary places, and the sample that it is.
    let origin: Int64, first: Int
    /// How many samples are seen; 0 where they needn't be counted.
    let count: Int

    @_noLocks
    init(_ sound: SoundSide, from position: Int64, step: Int64, change: Int64, frames: Int) {
      guard sound.isCompact else {
        (origin, first, count) = (0, 0, 0)
        return
      }
      let place = Int(position >> 32)
      // Whole fours are read, and four samples before and five behind each place.
      let steps = Int64(frames &+ 3)
      let fastest = max(step, step &+ change &* steps)
      first = place &- 4
      origin = Int64(first) << 32
      count = min(Int((fastest &* steps) >> 32) &+ 12, SampleReader.room)
    }
  }

  /// The samples of a side as floats, and those half-way.
  @_noLocks
  private borrowing func floats(
    _ side: SoundSide, _ seen: Seen, place: Int
  ) -> (samples: UnsafePointer<Float>, halves: UnsafePointer<Float>) {
    guard side.isCompact else {
      return (
        side.samples.assumingMemoryBound(to: Float.self),
        side.halves.assumingMemoryBound(to: Float.self)
      )
    }
    let samples = wide + place &* SampleReader.room
    let halves = samples + SampleReader.room
    rt_widen(
      side.samples.assumingMemoryBound(to: Int16.self) + seen.first, samples, seen.count)
    rt_widen(side.halves.assumingMemoryBound(to: Int16.self) + seen.first, halves, seen.count)
    return (UnsafePointer(samples), UnsafePointer(halves))
  }
}
