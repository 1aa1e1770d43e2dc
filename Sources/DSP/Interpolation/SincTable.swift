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

  /// Reads both sides at the same places, as `read` does one.
  @_noLocks
  package borrowing func read(
    left: UnsafePointer<Float>, right: UnsafePointer<Float>, from position: Int64, step: Int64,
    to output: Stereo, frames: Int
  ) {
    let lead = taps / 2 &- 1
    var position = position
    for frame in 0..<frames {
      let fraction = UInt32(truncatingIfNeeded: position)
      let first = Int(position >> 32) &- lead
      let leftWindow = UnsafeRawPointer(left + first)
      let rightWindow = UnsafeRawPointer(right + first)
      let row = UnsafeRawPointer(rows + Int(fraction >> 24) &* taps)
      let share = Float(fraction & 0xFF_FFFF) * (1 / 16_777_216)
      var leftSum = SIMD8<Float>(repeating: 0)
      var rightSum = SIMD8<Float>(repeating: 0)
      var offset = 0
      while offset < taps &* 4 {
        let here = row.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        let next = row.loadUnaligned(fromByteOffset: offset &+ taps &* 4, as: SIMD8<Float>.self)
        let weights = here + (next - here) * share
        leftSum +=
          leftWindow.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self) * weights
        rightSum +=
          rightWindow.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self) * weights
        offset &+= 32
      }
      let leftFour = leftSum.lowHalf + leftSum.highHalf
      let rightFour = rightSum.lowHalf + rightSum.highHalf
      output.left[frame] = (leftFour.x + leftFour.y) + (leftFour.z + leftFour.w)
      output.right[frame] = (rightFour.x + rightFour.y) + (rightFour.z + rightFour.w)
      position &+= step
    }
  }
}
