internal import DSP

/// The means to put loops into an engine that were kept elsewhere, while nobody renders it.
///
/// The engine must outlive it; it holds until a driver takes the engine over.
package struct LoopFiller: @unchecked Sendable {
  private let core: UnsafeMutablePointer<Core>

  init(core: UnsafeMutablePointer<Core>) { self.core = core }

  private func player(_ loop: Int) -> UnsafeMutablePointer<Loop> {
    core.pointee.loops.slot(loop)
  }

  /// How many loops there are.
  package var count: Int { core.pointee.loops.count }

  /// The most frames of a clip.
  package var capacity: Int { player(0).pointee.tape.capacity }

  /// How many pages are free for clips of all loops.
  package var freePages: Int { player(0).pointee.tape.freePages }

  /// The most pages of a clip, what lies behind its end included.
  package var pagesOfClip: Int { player(0).pointee.tape.pagesOfClip }

  /// Begins a version of a loop, like another one or empty; nil where there are too many.
  package func begin(_ loop: Int, like other: Int?) -> Int? {
    player(loop).pointee.tape.beginKept(like: other)
  }

  /// The memory of a page of a version, the left frames and then the right ones; nil where none is left.
  package func page(_ loop: Int, _ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    core.pointee.loops.memory.prepareToFill()
    return player(loop).pointee.tape.keptPage(version, index)
  }

  /// Makes a version the latest step of a loop: so many frames long, and a round of it as exactly.
  package func add(
    _ loop: Int, _ version: Int, frames: Int, round: Double, layers: Int, clip: Int
  ) {
    player(loop).pointee.tape.addKept(
      version, frames: frames, round: round, layers: layers, clip: clip)
  }

  /// Ends the filling of a loop: of so many versions the one at a place is heard.
  package func finish(_ loop: Int, count: Int, place: Int) {
    let player = player(loop)
    player.pointee.tape.finishKept(count: count, place: place)
    if player.pointee.tape.length > 0 { core.pointee.loops.time.pointee.hasTempo = true }
    core.pointee.loops.wake(loop)
    core.pointee.publish(loop: loop)
  }

  /// Makes up what lies behind the end of the clip of a loop, which was still recorded.
  package func makeUpTail(_ loop: Int) { player(loop).pointee.tape.makeUpTail() }

  /// Has the clip of a loop go on without a step behind the page up to which something was added to it.
  package func mend(_ loop: Int, behind page: Int) {
    player(loop).pointee.tape.mend(behind: page)
  }

  /// Has a loop play from the first block on, from a second of its clip.
  package func start(_ loop: Int, at seconds: Double) {
    core.pointee.scribes.start(loop, at: seconds)
  }

  /// Has what becomes of the loops told in a journal, which knows versions up to a number already.
  package func keep(in journal: LoopJournal, numbers: UInt32) {
    core.pointee.scribes.begin(journal, numbers: numbers)
  }

  /// Goes on with what the journal has, as its first telling.
  package func goOn() { core.pointee.scribes.goOn(rate: Int(core.pointee.sampleRate)) }

  /// Takes the versions of a loop for told, by their numbers in the journal, and its history if that is
  /// as it was.
  package func adopt(_ loop: Int, _ numbers: [UInt32], isHistoryTold: Bool) {
    core.pointee.scribes.adopt(
      loop, player(loop).pointee.tape, numbers, isHistoryTold: isHistoryTold)
  }
}
