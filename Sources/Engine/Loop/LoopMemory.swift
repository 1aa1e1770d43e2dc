internal import DSP
internal import Synchronization

/// The memory of an engine's clips, and of the histories of their sources, managed by the control side.
final class LoopMemory: Sendable {
  // Seconds of recording on all loops at once for which pages are resident.
  private static let preparedSeconds = 3.0
  // The limit in bytes per call, so that the control side doesn't stall.
  private static let mostAtOnce = 64 << 20
  // The polling interval while pages are allocated quickly, in milliseconds.
  private static let busyMilliseconds = 20
  // The time in microseconds after which an expected clip that has not started is dropped.
  private static let patience = 1_000_000.0

  private struct State {
    // The pages of expected clips.
    var expected = 0
    var allocated = 0
    var since = 0.0
  }

  let clips: ClipPool
  /// Those of the live input, the grid, the mix, and the harmonies.
  let histories: [HistoryStore]
  private let preparedPages: Int
  private let state = Mutex(State())

  init(_ setup: LoopSetup, sampleRate: Double) {
    clips = ClipPool(
      seconds: setup.pooledSeconds, longest: setup.seconds, sampleRate: sampleRate,
      heldPages: LoopJournal.usualPages)
    histories = (0..<Loop.Source.count).map { _ in
      HistoryStore(seconds: setup.keptSeconds, sampleRate: sampleRate)
    }
    // Including one clip that a pedal can record retroactively, without the control side.
    preparedPages = max(
      PageMemory.count(
        seconds: Self.preparedSeconds * Double(setup.count), sampleRate: sampleRate),
      PageMemory.count(seconds: min(setup.seconds, setup.keptSeconds), sampleRate: sampleRate))
    clips.memory.prepare(free: preparedPages)
  }

  /// Announces clips that the audio thread will soon fill, much faster than real time.
  func expect(clips count: Int) {
    state.withLock {
      $0.expected = min($0.expected + count * clips.pagesOfClip, clips.memory.count)
      $0.since = .infinity
    }
  }

  /// Makes memory resident ahead of the audio thread, and releases what it has returned.
  ///
  /// Call it at least once a second. Returns the time until the next call in milliseconds if it should be
  /// sooner, else nil.
  func tend(_ now: Double) -> Int? {
    state.withLock { state in
      for history in histories { history.tend() }
      let allocated = clips.memory.allocatedPages
      let growth = max(0, allocated - state.allocated)
      state.allocated = allocated
      state.expected = max(0, state.expected - growth)
      if growth > 0 || state.since > now {
        state.since = now
      } else if now - state.since > Self.patience {
        state.expected = 0
      }
      clips.memory.prepare(
        free: preparedPages + min(state.expected, Self.mostAtOnce / PageMemory.pageBytes))
      return state.expected > 0 || growth > preparedPages / 8 ? Self.busyMilliseconds : nil
    }
  }

  /// The memory in use.
  var usage: LoopMemoryUsage {
    state.withLock { _ in
      LoopMemoryUsage(
        clips: clips.memory.residentBytes, live: histories[0].residentBytes,
        grid: histories[1].residentBytes, mix: histories[2].residentBytes,
        harmony: histories[3].residentBytes,
        latePages: clips.memory.latePages + histories.reduce(0) { $0 + $1.latePages },
        droppedSteps: clips.droppedSteps)
    }
  }

  /// Makes the memory of a source's history resident if that of another engine's is in use, from which it will be
  /// filled.
  func prepareHistory(_ source: Int, like other: LoopMemory) {
    if other.histories[source].isUsed { state.withLock { _ in histories[source].prepare() } }
  }

  /// Makes pages for clips resident that the control side itself will fill.
  func prepareToFill() { clips.memory.prepare(free: 1) }
}

/// The resident memory of an engine's loops, in bytes.
package struct LoopMemoryUsage: Sendable, Equatable {
  /// The clips of all loops with their undo steps, and the reserve.
  package let clips: Int
  /// The histories of the live input, the grid, the mix, and the harmonies.
  package let live: Int, grid: Int, mix: Int, harmony: Int
  /// The number of pages that were not resident when the audio thread wrote to them, each of which cost it
  /// a page fault.
  package let latePages: Int
  /// The number of undo and redo steps that were dropped because memory was short.
  package let droppedSteps: Int

  /// The total.
  package var all: Int { clips + live + grid + mix + harmony }
}
