internal import CRealtime

/// A bandlimited interpolator: a windowed sinc, tabulated at 256 phases with linear interpolation
/// between them.
///
/// After Julius O. Smith, "Digital Audio Resampling Home Page", with a Kaiser window. A cutoff
/// below 1 suppresses aliasing at playback speeds above 1.
package struct SincTable: ~Copyable, @unchecked Sendable {
  // Linear interpolation between 256 phases leaves an error below -100 dB for a tone at 10 kHz.
  private static let places = 256
  // Sidelobes at -95 dB.
  static let beta = 9.5

  /// The number of taps: half of them before the position, half after it.
  package let taps: Int
  private let buffers = Buffers()
  private let rows: UnsafeMutablePointer<Float>

  /// Creates a table that passes frequencies up to `cutoff` times the Nyquist frequency.
  ///
  /// `taps` is a multiple of 16. More taps make the transition band narrower.
  package init(taps: Int, cutoff: Double) {
    self.init(taps: taps, cutoff: cutoff, window: KaiserWindow(beta: Self.beta))
  }

  init(taps: Int, cutoff: Double, window: borrowing KaiserWindow) {
    precondition(taps > 0 && taps % 16 == 0)
    self.taps = taps
    rows = buffers.floats((Self.places + 1) * taps)
    // Row p is row (places - p) reversed.
    for place in 0...Self.places / 2 {
      let fraction = Double(place) / Double(Self.places)
      let row = rows + place * taps
      let mirror = rows + (Self.places - place) * taps
      // The sine advances by a constant angle per tap, so a rotation replaces the call.
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
      // Normalized to unity gain at 0 Hz.
      let scale = Float(1 / sum)
      for tap in 0..<taps { row[tap] *= scale }
      for tap in 0..<taps { mirror[taps - 1 - tap] = row[tap] }
    }
  }

  /// Reads `frames` samples from `position`, advancing by `step`, both 32.32 fixed-point.
  ///
  /// `samples` must be valid from `taps / 2 - 1` before the first position to `taps / 2` after the
  /// last.
  @_noLocks
  package borrowing func read(
    _ samples: UnsafePointer<Float>, from position: Int64, step: Int64,
    to output: UnsafeMutablePointer<Float>, frames: Int
  ) {
    rt_read_sinc(rows, taps, samples, position, step, output, frames)
  }

  /// Reads both channels at the same positions, like `read` for one.
  @_noLocks
  package borrowing func read(
    left: UnsafePointer<Float>, right: UnsafePointer<Float>, from position: Int64, step: Int64,
    to output: Stereo, frames: Int
  ) {
    rt_read_sinc_pair(
      rows, taps, left, right, position, step, output.left, output.right, frames)
  }
}
