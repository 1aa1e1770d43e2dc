/// The latest beat of the clock, and when the next one is due.
package struct BeatReading: BitwiseCopyable, Sendable {
  /// The frame of the beat, in the engine's time.
  ///
  /// It may be later in the block being rendered.
  package var frame = Int64.min / 2
  /// Its number in its bar, from 1; 0 before the first.
  package var beat = 0
  /// The number of beats in its bar.
  package var beatsPerBar = 0
  /// The frame at which the next one is due, unless the tempo changes.
  package var nextFrame = Int64.min / 2

  @_noLocks
  init() {}
}
