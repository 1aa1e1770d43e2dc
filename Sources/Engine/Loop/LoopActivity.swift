/// The activity of a loop, as words, colors and lights show it.
package enum LoopActivity: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// Nothing is recorded.
  case empty
  /// A new clip is being recorded.
  case recording
  /// The source is added to the clip, or replaces it: at once, or from the next cycle on.
  case overdubbing, replacing, substituting
  /// The clip is repeated under a layer, or split for an insert.
  case multiplying, inserting
  case playing
  /// The loop plays, muted.
  case muted
  /// A recording or playback is paused.
  case paused
  case stopped
}
