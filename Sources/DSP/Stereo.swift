/// The left and right side of a block of sound.
package struct Stereo: BitwiseCopyable {
  /// The left samples.
  package let left: UnsafeMutablePointer<Float>
  /// The right samples.
  package let right: UnsafeMutablePointer<Float>

  /// A block of sound in two places.
  @_noLocks
  package init(_ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>) {
    self.left = left
    self.right = right
  }

  /// Moves to a later frame of the block.
  @_noLocks
  package func advanced(by frames: Int) -> Stereo {
    Stereo(left + frames, right + frames)
  }
}
