package import DSP

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

  /// The tape of a loop.
  package subscript(loop: Int) -> LoopTape {
    _read { yield player(loop).pointee.tape }
    nonmutating _modify { yield &player(loop).pointee.tape }
  }

  /// Returns a page of a version, the left channel and then the right, or nil if memory is short.
  package func page(_ loop: Int, _ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    core.pointee.loops.memory.prepareToFill()
    return player(loop).pointee.tape.keptPage(version, index)
  }

  /// Ends restoring a loop: of its `count` versions, the one at `place` becomes current.
  package func finish(_ loop: Int, count: Int, place: Int) {
    let player = player(loop)
    player.pointee.tape.finishKept(count: count, place: place)
    if player.pointee.tape.length > 0 { core.pointee.loops.time.pointee.hasTempo = true }
    core.pointee.loops.wake(loop)
    core.pointee.publish(loop: loop)
  }

  /// Makes a loop play from the first block on, from a position in its clip in seconds.
  package func start(_ loop: Int, at seconds: Double) {
    core.pointee.trackers.start(loop, at: seconds)
  }

  /// Gives the versions serial numbers after the latest one of the journal.
  package func continueSerials(after latestSerial: UInt32) {
    core.pointee.trackers.continueSerials(after: latestSerial, core.pointee.loops)
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
