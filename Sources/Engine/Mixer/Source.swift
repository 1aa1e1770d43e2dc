/// A source of sound, as the mixer sees it.
package enum Source: Int, CaseIterable, Sendable, BitwiseCopyable {
  case live, loop, grid, music
}

/// Where a source goes.
package enum Route: Int, CaseIterable, Sendable, BitwiseCopyable {
  /// Through the effects.
  case chain
  /// Past the effects, to the output.
  case direct
  /// Nowhere but to its stem.
  case off
}

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

  @_noLocks
  func advanced(by frames: Int) -> Stereo {
    Stereo(left + frames, right + frames)
  }
}
