internal import Engine
internal import LoopFiles
internal import OSC
internal import Posix

/// The loops as they outlive the node: in a folder of the node's name, as they are played, and there
/// again at its next start.
final class KeptLoops: Feature {
  private let context: Context
  private var keeper: LoopKeeper?
  private var isEnding = false
  private var say: (String) -> Void = { _ in }
  // Whether those that played do so again after a start.
  fileprivate var playsAgain = false

  init(_ context: Context) { self.context = context }

  /// Whether something is on its way to the disk at the end.
  var isWriting: Bool { isEnding && keeper?.isEnded == false }

  /// Puts the loops of before into the engine, which nobody renders yet, and keeps them from now on;
  /// `say` is given a line where that fails, now or later.
  fileprivate func open(
    _ folder: String, forgetting: Bool, _ say: @escaping (String) -> Void
  ) {
    self.say = say
    do throws(SystemError) {
      let keeper = try LoopKeeper(folder: folder)
      let archive = keeper.open(forgetting: forgetting)
      let engine = context.engine
      let filler = engine.fillLoops(
        sampleRate: Double(archive?.rate ?? engine.shared.sampleRate))
      let filling = archive?.fill(filler, plays: playsAgain)
      var goesOn = false
      filler.keep(in: keeper.journal, numbers: archive?.latestSerial ?? 0)
      if let filling, !filling.isWhole {
        for line in filling.lines { say(line) }
        if let name = keeper.putAside() {
          say("all loops as they were lie in \(name)")
        }
      } else if let archive {
        goesOn = archive.adopt(filler)
      }
      archive?.mend(filler)
      try keeper.start(goesOn: goesOn)
      self.keeper = keeper
      tellLines()
    } catch {
      say("the loops are not kept: \(error)")
    }
  }

  /// Writes all that there is, and ends.
  fileprivate func close() {
    guard let keeper, !isEnding else { return }
    isEnding = true
    keeper.end()
  }

  func poll(_ now: Double) -> Int? {
    tellLines()
    return nil
  }

  private func tellLines() {
    for line in keeper?.takeLines() ?? [] {
      say(line)
      context.report(Refusal(.io, line), of: "")
    }
  }
}

extension KeptLoops {
  typealias Declared = Of<KeptLoops>

  static let addresses: [Address] = [
    Address(
      "/settings/resume",
      Declared.setting([.word(of: ["silent", "playing"])]) {
        [.string($0.playsAgain ? "playing" : "silent")]
      } write: { loops, request in
        loops.playsAgain = request.text(0) == "playing"
      }, kept: .session,
      "What loops do that are there again after a start: silent, or playing where they played")
  ]
}

extension Node {
  /// Puts the loops that the node of a name had into the engine, which nobody renders yet, and keeps
  /// them from now on, or forgets them first; `say` is given a line where that fails, now or later.
  package func openLoops(
    home: String, name: String, forgetting: Bool, _ say: @escaping (String) -> Void
  ) {
    context[KeptLoops.self].open(
      LoopKeeper.folder(home: home, name: name), forgetting: forgetting, say)
  }

  /// Writes what the loops are, and keeps them no longer.
  package func closeLoops() { context[KeptLoops.self].close() }
}
