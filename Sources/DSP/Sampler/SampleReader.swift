internal import CRealtime

/// An interpolator for samples stored with twofold oversampling: each sample and the one halfway to
/// the next.
///
/// On such material a 16-tap sinc is as good as a 64-tap one is otherwise, because its transition
/// band is an octave and a half wide. The half-way samples are computed once with a long filter,
/// when a sound is loaded (`SoundMemory`). Each table row has eight weights for the samples and
/// eight for the half-way ones, so each is read contiguously. 16-bit samples are converted to
/// floats once per step, not once per frame that uses them.
struct SampleReader: ~Copyable, @unchecked Sendable {
  // Linear interpolation between this many phases leaves an error below -105 dB for a tone at 10
  // kHz.
  private static var places: Int { 256 }
  private static var taps: Int { @_noLocks get { 16 } }
  // Sidelobes at -105 dB, reached between the Nyquist frequency and its first image.
  private static let beta = 10.8

  // The longest run of samples of one step, with the taps on both sides.
  private static var room: Int { @_noLocks get { SamplerSound.span + 32 } }

  private let rows: UnsafeMutablePointer<Float>
  private let buffers = Buffers()
  // Converted samples and half-way samples of both channels.
  private let wide: UnsafeMutablePointer<Float>

  init() {
    wide = buffers.floats(4 * Self.room)
    let window = KaiserWindow(beta: Self.beta)
    // In the middle of the table the window of half-way samples advances by one; the row for 0.5
    // exists for both alignments.
    rows = buffers.floats((Self.places + 2) * Self.taps)
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

  /// Reads from `position`, advancing by `step`, which grows by `change` per frame.
  ///
  /// All are in samples, 32.32 fixed-point. Writes a multiple of four frames, and at most one voice
  /// step.
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

  /// Reads both channels at the same positions, like `read` for one.
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

  /// The range of a sound that a read touches.
  private struct Seen: BitwiseCopyable {
    /// The position that counts as 0, 32.32 fixed-point, and its sample index.
    let origin: Int64, first: Int
    /// The number of samples touched; 0 if no conversion is needed.
    let count: Int

    @_noLocks
    init(_ sound: SoundSide, from position: Int64, step: Int64, change: Int64, frames: Int) {
      guard sound.isCompact else {
        (origin, first, count) = (0, 0, 0)
        return
      }
      let place = Int(position >> 32)
      // Reads are rounded up to four frames, and use four samples before and five after each
      // position.
      let steps = Int64(frames &+ 3)
      let fastest = max(step, step &+ change &* steps)
      first = place &- 4
      origin = Int64(first) << 32
      count = min(Int((fastest &* steps) >> 32) &+ 12, SampleReader.room)
    }
  }

  /// Returns the samples and half-way samples of a channel as floats.
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
