/// The greatest magnitude in a block, and whether all of it is finite, found in one pass.
///
/// The bits of a float without its sign order as its magnitude does, with infinity and NaN on
/// top: an integer maximum sees both at once.
public struct Magnitude: BitwiseCopyable {
  @usableFromInline static var infinityBits: UInt32 {
    @_noLocks @inlinable get { 0x7F80_0000 }
  }

  /// The bits of the greatest magnitude.
  @usableFromInline package var bits: UInt32

  /// Scans `frames` samples.
  @_noLocks
  package init(_ samples: UnsafePointer<Float>, frames: Int) {
    let words = UnsafeRawPointer(samples)
    // Signed, because a maximum of these is one instruction on more machines.
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

  /// Whether no sample was infinite or not a number.
  public var isFinite: Bool {
    @_noLocks @inlinable get { bits < Self.infinityBits }
  }

  /// The greatest magnitude; meaningless unless finite.
  public var peak: Float {
    @_noLocks @inlinable get { Float(bitPattern: bits) }
  }

  /// Replaces what is not finite by 0 and returns how many samples that were.
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
