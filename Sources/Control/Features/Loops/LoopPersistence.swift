internal import Engine
internal import LoopFiles
internal import OSC
internal import Posix

/// Persists the loops in a folder of the node's name, and restores them at the next start.
package final class LoopPersistence: Feature {
  private let context: Context
  private var writer: JournalWriter?
  private var isEnding = false
  private var hasFailedToStart = false
  private var say: (String) -> Void = { _ in }
  // Whether restored loops continue to play.
  fileprivate var playsAgain = false

  init(_ context: Context) { self.context = context }

  /// Whether the final write is in progress.
  var isWriting: Bool { isEnding && writer?.isEnded == false }

  /// Whether the loops are not kept at present, because of a fault.
  var isFailing: Bool { hasFailedToStart || writer?.isFailing == true }

  /// The number of write passes since the start, including those that failed; nil without a writer.
  package var writePasses: Int? { writer?.passes }

  /// The number of bytes written since the start; nil without a writer.
  package var bytesWritten: Int? { writer?.bytesWritten }

  /// Starts the next write pass without waiting for the period to elapse.
  package func requestWritePass() { writer?.requestPass() }

  /// Restores the loops of a node name into the engine, which must not be rendering yet, or discards them,
  /// and persists the loops from now on.
  ///
  /// Calls `say` with a line for each error, now or later, unless `isReadOnly`: that is known by then.
  package func open(
    home: String, name: String, discarding: Bool, isReadOnly: Bool = false,
    _ say: @escaping (String) -> Void
  ) {
    self.say = say
    do throws(SystemError) {
      let engine = context.engine
      let folder = JournalWriter.folder(home: home, name: name)
      let writer = try JournalWriter(folder: folder, journal: engine.shared.journal)
      let archive = writer.open(discarding: discarding, isReadOnly: isReadOnly)
      var continues = false
      if let archive {
        let (restorer, restoration) = archive.restore(into: engine, plays: playsAgain)
        restorer.continueSerials(after: archive.latestSerial)
        for line in restoration.lines { say(line) }
        if restoration.isWhole {
          continues = archive.adopt(restorer)
        } else if let name = writer.setAside() {
          say("the previous loops were moved to \(name)")
        }
        for line in archive.interruptions { say(line) }
        archive.mend(restorer)
      } else {
        engine.restoreLoops(sampleRate: Double(engine.shared.sampleRate))
          .continueSerials(after: 0)
      }
      try writer.start(continues: continues)
      self.writer = writer
      reportErrors()
    } catch {
      hasFailedToStart = true
      say("loops are not saved: \(error)")
    }
  }

  /// Writes all pending data, and stops persisting loops.
  package func close() {
    guard let writer, !isEnding else { return }
    isEnding = true
    writer.end()
  }

  func poll(_ now: Double) -> Int? {
    reportErrors()
    return nil
  }

  private func reportErrors() {
    for line in writer?.nextLines() ?? [] {
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
