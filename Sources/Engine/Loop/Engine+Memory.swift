internal import Synchronization

/// The memory of the loops, managed by the control side.
extension Engine {
  private var loopMemory: LoopMemory? { shared.loopMemory.withLock { $0 } }

  /// Makes memory for loops resident ahead of the audio thread, and releases the histories of sources that
  /// no loop listens to.
  ///
  /// Call it at least once a second, with the time in microseconds of a steady clock. Returns the time until
  /// the next call in milliseconds if it should be sooner, else nil.
  package func tendMemory(_ now: Double) -> Int? { loopMemory?.tend(now) }

  /// Announces clips that are loaded or recorded retroactively, which fill faster than real time.
  package func expectClips(_ count: Int) { loopMemory?.expect(clips: count) }

  /// The resident memory of the loops.
  package var memoryUsage: LoopMemoryUsage {
    loopMemory?.usage
      ?? LoopMemoryUsage(
        clips: 0, live: 0, grid: 0, mix: 0, harmony: 0, latePages: 0, droppedSteps: 0)
  }
}
