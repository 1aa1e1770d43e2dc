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

  /// How many samples each reading looks at: half of them before the place, half behind.
  package let taps: Int
  private let rows: UnsafeMutablePointer<Float>

  /// A table that passes frequencies up to `cutoff` times half the sample rate.
  ///
  /// `taps` is a multiple of 16; the slope at the cutoff is as steep as they are many.
  package init(taps: Int, cutoff: Double, beta: Double = 9.5) {
    precondition(taps > 0 && taps % 16 == 0)
    self.taps = taps
    rows = .allocate(capacity: (Self.places + 1) * taps)
    for place in 0...Self.places {
      let fraction = Double(place) / Double(Self.places)
      let row = rows + place * taps
      var sum = 0.0
      var values = [Double](repeating: 0, count: taps)
      for tap in 0..<taps {
        let distance = Double(tap - (taps / 2 - 1)) - fraction
        let edge = distance / Double(taps / 2)
        let window = abs(edge) < 1 ? Self.bessel(beta * (1 - edge * edge).squareRoot()) : 0
        let angle = Double.pi * cutoff * distance
        values[tap] = window * (distance == 0 ? 1 : rt_sin(angle) / angle)
        sum += values[tap]
      }
      // Each row passes a constant as it is.
      for tap in 0..<taps { row[tap] = Float(values[tap] / sum) }
    }
  }

  deinit { rows.deallocate() }

  /// The modified Bessel function of order 0, by its series.
  private static func bessel(_ x: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    for index in 1..<40 {
      term *= (x / 2 / Double(index)) * (x / 2 / Double(index))
      sum += term
    }
    return sum
  }

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
    let lead = taps / 2 &- 1
    var position = position
    for frame in 0..<frames {
      let fraction = UInt32(truncatingIfNeeded: position)
      let window = UnsafeRawPointer(samples + (Int(position >> 32) &- lead))
      let row = UnsafeRawPointer(rows + Int(fraction >> 24) &* taps)
      let share = Float(fraction & 0xFF_FFFF) * (1 / 16_777_216)
      var here = SIMD16<Float>(repeating: 0)
      var next = SIMD16<Float>(repeating: 0)
      var offset = 0
      while offset < taps &* 4 {
        let sound = window.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
        here += sound * row.loadUnaligned(fromByteOffset: offset, as: SIMD16<Float>.self)
        next +=
          sound * row.loadUnaligned(fromByteOffset: offset &+ taps &* 4, as: SIMD16<Float>.self)
        offset &+= 64
      }
      let mixed = here + (next - here) * share
      let eight = mixed.lowHalf + mixed.highHalf
      let four = eight.lowHalf + eight.highHalf
      output[frame] = (four.x + four.y) + (four.z + four.w)
      position &+= step
    }
  }
}
