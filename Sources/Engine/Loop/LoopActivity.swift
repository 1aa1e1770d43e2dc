/// The activity of a loop at the moment, as it is shown: by a word, a color, a light.
package enum LoopActivity: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// Nothing is recorded.
  case empty
  /// The first sound of a clip is being recorded.
  case recording
  /// The source is added to the clip, or takes the place of what is there, unheard or heard until then.
  case overdubbing, replacing, substituting
  /// The clip is repeated while something is added to it, or taken apart for something between.
  case multiplying, inserting
  case playing
  /// It goes round, and is not heard.
  case muted
  /// A recording that rests, or a clip in the middle of which it rests.
  case paused
  case stopped
}
