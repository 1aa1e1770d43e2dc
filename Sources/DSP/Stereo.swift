/// A stereo block of samples, one pointer per channel.
public struct Stereo: BitwiseCopyable {
  /// The left channel.
  public let left: UnsafeMutablePointer<Float>
  /// The right channel.
  public let right: UnsafeMutablePointer<Float>

  /// Creates a block from two channel pointers.
  @_noLocks @inlinable
  public init(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>) {
    self.left = left
    self.right = right
  }

  /// Returns the block advanced by `frames` frames.
  @_noLocks @inlinable
  public func advanced(by frames: Int) -> Stereo {
    Stereo(left + frames, right + frames)
  }
}
