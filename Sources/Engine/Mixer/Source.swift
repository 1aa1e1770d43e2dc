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
