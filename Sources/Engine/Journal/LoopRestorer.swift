internal import DSP

/// Restores saved loops into an engine that nothing renders.
///
/// The engine must outlive it. It is valid until a driver takes the engine over.
package struct LoopRestorer: @unchecked Sendable {
  private let core: UnsafeMutablePointer<Core>

  init(core: UnsafeMutablePointer<Core>) { self.core = core }

  private func player(_ loop: Int) -> UnsafeMutablePointer<Loop> {
    core.pointee.loops.slot(loop)
  }

  /// The number of loops.
  package var count: Int { core.pointee.loops.count }

  /// The maximum length of a clip, in frames.
  package var capacity: Int { player(0).pointee.tape.capacity }

  /// The number of pages free for clips of all loops.
  package var freePages: Int { player(0).pointee.tape.freePages }

  /// The number of pages of the longest clip, including its tail.
  package var pagesOfClip: Int { player(0).pointee.tape.pagesOfClip }

  /// Starts a version of a loop, empty or as a copy, or returns nil if there are too many.
  package func begin(_ loop: Int, like other: Int?) -> Int? {
    player(loop).pointee.tape.beginKept(like: other)
  }

  /// Returns a page of a version, the left channel and then the right, or nil if memory is short.
  package func page(_ loop: Int, _ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    core.pointee.loops.memory.prepareToFill()
    return player(loop).pointee.tape.keptPage(version, index)
  }

  /// Appends a version to the history of a loop, with its length and exact loop length in frames.
  package func add(
    _ loop: Int, _ version: Int, frames: Int, round: Double, layers: Int, clip: Int
  ) {
    player(loop).pointee.tape.addKept(
      version, frames: frames, round: round, layers: layers, clip: clip)
  }

  /// Ends restoring a loop: of its `count` versions, the one at `place` becomes current.
  package func finish(_ loop: Int, count: Int, place: Int) {
    let player = player(loop)
    player.pointee.tape.finishKept(count: count, place: place)
    if player.pointee.tape.length > 0 { core.pointee.loops.time.pointee.hasTempo = true }
    core.pointee.loops.wake(loop)
    core.pointee.publish(loop: loop)
  }

  /// Synthesizes the tail of a loop whose recording was interrupted.
  package func makeUpTail(_ loop: Int) { player(loop).pointee.tape.makeUpTail() }

  /// Removes the discontinuity after the last page of an interrupted overdub.
  package func mend(_ loop: Int, behind page: Int) {
    player(loop).pointee.tape.mend(behind: page)
  }

  /// Lets a loop play from the first block on, from a position in its clip in seconds.
  package func start(_ loop: Int, at seconds: Double) {
    core.pointee.trackers.start(loop, at: seconds)
  }

  /// Starts to write changes of the loops to a journal that has versions up to a serial number.
  package func open(_ journal: LoopJournal, latestSerial: UInt32) {
    core.pointee.trackers.open(journal, latestSerial: latestSerial, core.pointee.loops)
  }

  /// Continues the journal as its first snapshot.
  package func resume() { core.pointee.trackers.resume(rate: Int(core.pointee.sampleRate)) }

  /// Marks the versions of a loop as written, with their serial numbers in the journal, and the order too
  /// if `hasHistory`.
  package func adopt(_ loop: Int, _ serials: [UInt32], hasHistory: Bool) {
    core.pointee.trackers.adopt(
      loop, player(loop).pointee.tape, serials, hasHistory: hasHistory)
  }
}
