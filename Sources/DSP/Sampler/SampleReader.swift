internal import CRealtime

/// Reads between the samples of a sound that has its half-way samples beside it.
///
/// Where a sound is known twice as densely as it needs to be, a sinc of 16 taps is as good as one
/// of 64 is otherwise: what it must tell apart lies an octave and a half apart. The half-way
/// samples are made once, with all the taps that anyone wants, when a sound is loaded
/// (`SoundMemory`). A row of the table has eight weights for the samples and eight for those
/// half-way, so that both are read in one piece each.
struct SampleReader: ~Copyable, @unchecked Sendable {
  // Linear interpolation between so many rows leaves less than -105 dB of a tone at 10 kHz.
  private static var places: Int { 256 }
  private static var taps: Int { @_noLocks get { 16 } }
  // Ends at -105 dB, and falls that far between half the sample rate and what mirrors there.
  private static let beta = 10.8

  private let rows: UnsafeMutablePointer<Float>

  init() {
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

  deinit { rows.deallocate() }

  /// Reads from `position` on, each frame `step` further, which grows by `change` a frame; all in
  /// samples with 32 binary places.
  ///
  /// Writes whole fours of frames.
  @_noLocks
  borrowing func read(
    _ sound: SoundSide, from position: Int64, step: Int64, change: Int64,
    to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    rt_read_dense(rows, sound.samples, sound.halves, position, step, change, output, frames)
  }

  /// Reads both sides at the same places, as `read` does one.
  @_noLocks
  borrowing func read(
    _ left: SoundSide, _ right: SoundSide, from position: Int64, step: Int64, change: Int64,
    to output: Stereo, frames: Int
  ) {
    rt_read_dense_pair(
      rows, left.samples, left.halves, right.samples, right.halves, position, step, change,
      output.left, output.right, frames)
  }
}
