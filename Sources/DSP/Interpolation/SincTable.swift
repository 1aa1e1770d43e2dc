internal import CRealtime

/// Reads between the samples: a windowed sinc, kept for 256 places between two samples and
/// interpolated between those.
///
/// The bandlimited interpolation of Julius O. Smith, "Digital Audio Resampling Home Page"; the
/// window is Kaiser's. A cutoff below 1 reads what will be played faster, without what would
/// fold back.
package struct SincTable: ~Copyable, @unchecked Sendable {
  // Linear interpolation between 256 rows leaves less than -100 dB of a tone at 10 kHz.
  private static let places = 256
  // Ends at -95 dB.
  static let beta = 9.5

  /// How many samples each reading looks at: half of them before the place, half behind.
  package let taps: Int
  private let rows: UnsafeMutablePointer<Float>

  /// A table that passes frequencies up to `cutoff` times half the sample rate.
  ///
  /// `taps` is a multiple of 16; the slope at the cutoff is as steep as they are many.
  package init(taps: Int, cutoff: Double) {
    self.init(taps: taps, cutoff: cutoff, window: KaiserWindow(beta: Self.beta))
  }

  init(taps: Int, cutoff: Double, window: borrowing KaiserWindow) {
    precondition(taps > 0 && taps % 16 == 0)
    self.taps = taps
    rows = .allocate(capacity: (Self.places + 1) * taps)
    // Row p is row (places - p) backwards.
    for place in 0...Self.places / 2 {
      let fraction = Double(place) / Double(Self.places)
      let row = rows + place * taps
      let mirror = rows + (Self.places - place) * taps
      // The sine goes on by an equal angle a tap: by a rotation, not by a call.
      let turn = Double.pi * cutoff
      let (turnSine, turnCosine) = (rt_sin(turn), rt_cos(turn))
      let first = turn * (Double(1 - taps / 2) - fraction)
      var (sine, cosine) = (rt_sin(first), rt_cos(first))
      var sum = 0.0
      for tap in 0..<taps {
        let distance = Double(tap - (taps / 2 - 1)) - fraction
        let value = abs(distance) < 1e-9 ? 1 : sine / (turn * distance)
        let weight = value * window.value(at: abs(distance) / Double(taps / 2))
        row[tap] = Float(weight)
        sum += weight
        (sine, cosine) = (
          sine * turnCosine + cosine * turnSine, cosine * turnCosine - sine * turnSine
        )
      }
      // Each row passes a constant as it is.
      let scale = Float(1 / sum)
      for tap in 0..<taps { row[tap] *= scale }
      for tap in 0..<taps { mirror[taps - 1 - tap] = row[tap] }
    }
  }

  deinit { rows.deallocate() }

  /// Reads `frames` samples from `position` on, each `step` further, both in samples with 32
  /// binary places.
  ///
  /// `samples` must be there from `taps / 2 - 1` before the first place to `taps / 2` behind the
  /// last.
  @_noLocks
  package borrowing func read(
    _ samples: UnsafePointer<Float>, from position: Int64, step: Int64,
    to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    rt_read_sinc(rows, taps, samples, position, step, output, frames)
  }

  /// Reads both sides at the same places, as `read` does one.
  @_noLocks
  package borrowing func read(
    left: UnsafePointer<Float>, right: UnsafePointer<Float>, from position: Int64, step: Int64,
    to output: Stereo, frames: Int
  ) {
    rt_read_sinc_pair(
      rows, taps, left, right, position, step, output.left, output.right, frames)
  }
}
