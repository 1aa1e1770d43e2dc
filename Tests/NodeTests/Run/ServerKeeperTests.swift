import Foundation
import TestSupport
import Testing

extension NodeTests {
  /// The script that keeps jackd running on the first of its cards that is there.
  ///
  /// A folder simulates the cards, and the dummy driver plays.
  @Suite struct ServerKeeperTests {
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      for name in ["cards", "away", "bin"] {
        try FileManager.default.createDirectory(
          atPath: folder.path(name), withIntermediateDirectories: true)
      }
      let program = folder.path("bin/jackd")
      try FileManager.default.copyItem(
        atPath: Project.file("Tests/Rigs/rack-container/jackd").path, toPath: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      for (number, name) in [(3, "USB"), (5, "Other")] {
        let card = folder.path("away/card\(number)")
        try FileManager.default.createDirectory(
          atPath: card, withIntermediateDirectories: true)
        for (file, text) in [("id", name + "\n"), ("pcm0p", ""), ("pcm0c", "")] {
          try Data(text.utf8).write(to: URL(fileURLWithPath: card + "/" + file))
        }
      }
    }

    private func plug(_ number: Int) throws {
      try FileManager.default.moveItem(
        atPath: folder.path("away/card\(number)"), toPath: folder.path("cards/card\(number)"))
    }

    private func pull(_ number: Int) throws {
      try FileManager.default.moveItem(
        atPath: folder.path("cards/card\(number)"), toPath: folder.path("away/card\(number)"))
    }

    /// Starts the script for a list of cards; its lines go to the file `said`.
    private func keep(_ cards: String) throws -> Process {
      let process = Process()
      process.executableURL = Project.file("scripts/rack/jackd")
      process.environment = ProcessInfo.processInfo.environment.merging(
        [
          "CARD": cards, "SYRINX_CARDS": folder.path("cards"), "JACKD_LOG": folder.path("log"),
          "JACK_DEFAULT_SERVER": "syrinx-test-5", "PERIOD": "256",
          "PATH": folder.path("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
        ]
      ) { $1 }
      process.environment?["SPEAKER"] = nil
      _ = FileManager.default.createFile(atPath: folder.path("said"), contents: nil)
      process.standardError = FileHandle(forWritingAtPath: folder.path("said"))
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      return process
    }

    private var lines: [Substring] {
      let text = (try? folder.bytes("said")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return text.split(separator: "\n").filter { !$0.contains("real-time") }
    }

    /// Waits until the script has said this after its first `count` lines.
    private func awaitLine(_ line: String, after count: Int) throws {
      try waitUntil("the script says \"\(line)\"; \(lines)", every: 0.05) {
        lines.dropFirst(count).contains { $0 == line }
      }
    }

    private func end(_ process: Process) {
      process.terminate()
      process.waitUntilExit()
    }

    @Test(.hangLimit) func `it runs on the first card of the list that is there`() throws {
      let keeper = try keep("USB,Other")
      defer { end(keeper) }
      try awaitLine("waiting for one of the sound cards USB Other", after: 0)
      try plug(5)
      try awaitLine("jackd runs on the sound card Other", after: 1)
      // It stays there, although a preferred one comes.
      try plug(3)
      letPass(seconds: 1.2, "it looks for cards twice a second")
      #expect(lines.count == 2)
      try pull(5)
      try awaitLine("the sound card Other is gone", after: 2)
      try awaitLine("jackd runs on the sound card USB", after: 3)
      try pull(3)
      try awaitLine("waiting for one of the sound cards USB Other", after: 4)
      try plug(3)
      try awaitLine("jackd runs on the sound card USB", after: 6)
    }

    @Test(.hangLimit) func `without a card it runs without sound until one is there`() throws {
      let keeper = try keep("auto,none")
      defer { end(keeper) }
      try awaitLine("jackd runs on the dummy driver, without sound", after: 0)
      try plug(3)
      try awaitLine("jackd runs on the sound card USB", after: 1)
    }

    @Test(.hangLimit, arguments: ["1", "USB,2", "none,USB", "hw:USB", ","])
    func `numbers and other words are no cards`(list: String) throws {
      let keeper = try keep(list)
      keeper.waitUntilExit()
      #expect(keeper.terminationStatus == 64)
      #expect(lines.count == 1 && lines[0].hasPrefix("invalid CARD \"\(list)\"; takes names"))
    }
  }
}
