/// The route of a source into the mix.
package enum Route: Int, CaseIterable, Sendable, BitwiseCopyable {
  /// Through the effects.
  case chain
  /// To the output, bypassing the effects.
  case direct
  /// Only to its stem.
  case off
}
