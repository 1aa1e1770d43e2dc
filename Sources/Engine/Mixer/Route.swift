/// The way of a source into the mix.
package enum Route: Int, CaseIterable, Sendable, BitwiseCopyable {
  /// Through the effects.
  case chain
  /// Past the effects, to the output.
  case direct
  /// Nowhere but to its stem.
  case off
}
