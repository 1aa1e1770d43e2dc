/// The peak magnitude of a block and whether all samples are finite, found in one pass.
///
/// The bit pattern of a float without its sign sorts like its magnitude, with infinity and NaN at
/// the top. One integer maximum finds both.
public struct Magnitude: BitwiseCopyable {
  @usableFromInline static var infinityBits: UInt32 {
    @_noLocks @inlinable get { 0x7F80_0000 }
  }

  /// The bit pattern of the peak magnitude.
  @usableFromInline package var bits: UInt32

  /// Scans `frames` samples.
  @_noLocks
  package init(_ samples: UnsafePointer<Float>, frames: Int) {
    let words = UnsafeRawPointer(samples)
    // Signed: a signed maximum is one instruction on more machines.
    let mask = SIMD8<Int32>(repeating: 0x7FFF_FFFF)
    var greatest = SIMD8<Int32>(repeating: 0)
    var frame = 0
    while frame &+ 8 <= frames {
      let next =
        words.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD8<Int32>.self) & mask
      greatest = pointwiseMax(greatest, next)
      frame &+= 8
    }
    var bits = UInt32(bitPattern: greatest.max())
    while frame < frames {
      bits = max(bits, samples[frame].bitPattern & 0x7FFF_FFFF)
      frame &+= 1
    }
    self.bits = bits
  }

  /// A magnitude from the bit pattern of a peak.
  @_noLocks
  package init(bits: UInt32) { self.bits = bits }

  /// Whether no sample is infinite or NaN.
  public var isFinite: Bool {
    @_noLocks @inlinable get { bits < Self.infinityBits }
  }

  /// The peak magnitude.
  ///
  /// Meaningless unless `isFinite`.
  public var peak: Float {
    @_noLocks @inlinable get { Float(bitPattern: bits) }
  }

  /// Replaces non-finite samples by 0 and returns their number.
  @_noLocks
  package static func silenceNonFinite(
    _ samples: UnsafeMutablePointer<Float>, frames: Int
  ) -> Int {
    var count = 0
    for frame in 0..<frames where (samples[frame].bitPattern & 0x7FFF_FFFF) >= infinityBits {
      samples[frame] = 0
      count += 1
    }
    return count
  }
}
