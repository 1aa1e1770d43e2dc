/// The left and right side of a block of sound.
public struct Stereo: BitwiseCopyable {
  /// The left samples.
  public let left: UnsafeMutablePointer<Float>
  /// The right samples.
  public let right: UnsafeMutablePointer<Float>

  /// A block of sound in two places.
  @_noLocks @inlinable
  public init(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>) {
    self.left = left
    self.right = right
  }

  /// Moves to a later frame of the block.
  @_noLocks @inlinable
  public func advanced(by frames: Int) -> Stereo {
    Stereo(left + frames, right + frames)
  }
}
