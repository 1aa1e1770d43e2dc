internal import Engine
internal import LoopFiles
internal import OSC
internal import Posix

/// Persists the loops in a folder of the node's name, and restores them at the next start.
final class LoopPersistence: Feature {
  private let context: Context
  private var keeper: LoopKeeper?
  private var isEnding = false
  private var say: (String) -> Void = { _ in }
  // Whether restored loops continue to play.
  fileprivate var playsAgain = false

  init(_ context: Context) { self.context = context }

  /// Whether the final write is in progress.
  var isWriting: Bool { isEnding && keeper?.isEnded == false }

  /// Restores the loops into the engine, which must not be rendering yet, and persists them from now on.
  ///
  /// Calls `say` with a line for each error, now or later.
  fileprivate func open(
    _ folder: String, forgetting: Bool, _ say: @escaping (String) -> Void
  ) {
    self.say = say
    do throws(SystemError) {
      let keeper = try LoopKeeper(folder: folder)
      let archive = keeper.open(forgetting: forgetting)
      let engine = context.engine
      let filler = engine.restoreLoops(
        sampleRate: Double(archive?.rate ?? engine.shared.sampleRate))
      let filling = archive?.fill(filler, plays: playsAgain)
      var goesOn = false
      filler.open(keeper.journal, latestSerial: archive?.latestSerial ?? 0)
      if let filling, !filling.isWhole {
        for line in filling.lines { say(line) }
        if let name = keeper.putAside() {
          say("the previous loops were moved to \(name)")
        }
      } else if let archive {
        goesOn = archive.adopt(filler)
      }
      archive?.mend(filler)
      try keeper.start(goesOn: goesOn)
      self.keeper = keeper
      reportErrors()
    } catch {
      say("loops are not saved: \(error)")
    }
  }

  /// Writes all pending data, and closes the files.
  fileprivate func close() {
    guard let keeper, !isEnding else { return }
    isEnding = true
    keeper.end()
  }

  func poll(_ now: Double) -> Int? {
    reportErrors()
    return nil
  }

  private func reportErrors() {
    for line in keeper?.takeLines() ?? [] {
      say(line)
      context.report(Refusal(.io, line), of: "")
    }
  }
}

extension LoopPersistence {
  typealias Declared = Declaring<LoopPersistence>

  static let addresses: [Address] = [
    Address(
      "/settings/resume",
      Declared.setting([.word(of: ["silent", "playing"])]) {
        [.string($0.playsAgain ? "playing" : "silent")]
      } write: { loops, request in
        loops.playsAgain = request.text(0) == "playing"
      }, kept: .session,
      "State of restored loops after a start: silent, or playing as before")
  ]
}

extension Node {
  /// Restores the loops of a node name into the engine, which must not be rendering yet, or discards them,
  /// and persists the loops from now on.
  ///
  /// Calls `say` with a line for each error, now or later.
  package func openLoops(
    home: String, name: String, forgetting: Bool, _ say: @escaping (String) -> Void
  ) {
    context[LoopPersistence.self].open(
      LoopKeeper.folder(home: home, name: name), forgetting: forgetting, say)
  }

  /// Writes all pending data, and stops persisting loops.
  package func closeLoops() { context[LoopPersistence.self].close() }
}
