internal import CRealtime

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

  /// Silences the block.
  @_noLocks
  package func clear(frames: Int) {
    rt_zero(left, frames)
    rt_zero(right, frames)
  }

  /// Copies the block to another one, which must not overlap it.
  @_noLocks
  package func copy(to other: Stereo, frames: Int) {
    rt_copy(other.left, left, frames)
    rt_copy(other.right, right, frames)
  }

  /// Whether all samples are 0.
  @_noLocks
  package func isSilent(frames: Int) -> Bool {
    Magnitude(left, frames: frames).bits == 0 && Magnitude(right, frames: frames).bits == 0
  }

  /// Replaces non-finite samples by 0 and returns their number.
  @_noLocks
  package func silenceNonFinite(frames: Int) -> Int {
    let isFinite =
      Magnitude(left, frames: frames).isFinite && Magnitude(right, frames: frames).isFinite
    if isFinite { return 0 }
    return Magnitude.silenceNonFinite(left, frames: frames)
      &+ Magnitude.silenceNonFinite(right, frames: frames)
  }
}
