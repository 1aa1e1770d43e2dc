import Foundation
import OSC
import SQLite
import TestSupport
import Testing

@testable import Library

extension NodeTests {
  /// A node that captures, saves and deletes, and is killed at any moment: it loses nothing
  /// acknowledged, and less than a second of a capture.
  @Suite struct KilledNodeTests {
    private static let rounds = 100

    /// The node's acknowledgements, over all cycles.
    private struct Answered {
      /// The saved takes, with the last acknowledged title; nil if another was requested without a
      /// reply.
      var titles: [String: String?] = [:]
      /// The last title requested for each take: the reply to an earlier one doesn't confirm it.
      private var asked: [String: String] = [:]
      /// The takes requested to be deleted, and whether that was acknowledged.
      var deleted: [String: Bool] = [:]
      /// The last capture, and its last reported length.
      var capture: (id: String, seconds: Double)?

      mutating func take(_ message: Received) {
        let words = message.arguments.map { $0.text ?? "" }
        switch (message.address, words.first) {
        case ("/reply", "/take/save"): titles[words[1]] = words[2]
        case ("/reply", "/take/title") where asked[words[1]] == words[2]:
          titles[words[1]] = words[2]
        case ("/reply", "/take/delete"): deleted[words[1]] = true
        case ("/capture/state", "on"):
          capture = (words[2], message.arguments[1].number ?? 0)
        default: break
        }
      }

      /// Notes a requested title.
      mutating func ask(_ id: String, _ title: String) {
        titles[id] = .some(nil)
        asked[id] = title
      }

      /// The takes that should exist.
      var shown: [String] { titles.keys.filter { deleted[$0] == nil } }
    }

    @Test(.hangLimit)
    func `killed at a hundred moments, it has everything that it acknowledged`() throws {
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      let server = try JackServer(timeout: 10)
      var answered = Answered()
      var known: Set<String> = []
      var worst = 0.0
      var captures = 0
      for round in 0..<Self.rounds {
        answered.capture = nil
        try work(server, home, &answered)
        // Every other time, the next node itself recovers the files.
        if round % 2 == 0, round < Self.rounds - 1 { continue }
        let library = try TakeLibrary(home: home)
        let adoption = try library.adopt()
        #expect(adoption.unreadable.isEmpty && adoption.gone.isEmpty, "round \(round)")
        let integrity = try library.database.rows("PRAGMA integrity_check", []) { $0.text(0) }
        #expect(integrity == ["ok"], "round \(round)")
        try check(answered, library)
        if let (id, seconds) = answered.capture {
          let kept = try library.list(count: 100_000).takes.first { $0.id == id }?.seconds ?? 0
          worst = max(worst, seconds - kept)
          captures += 1
          #expect(seconds - kept < 1, "round \(round)")
        }
        try read(library, &known)
      }
      #expect(captures > Self.rounds / 4)
      #expect(answered.titles.count > Self.rounds / 2 && answered.deleted.count > 10)
      print(
        "killed \(Self.rounds) times: \(answered.titles.count) takes acknowledged; lost at most "
          + "\(Int(worst * 1000)) ms of a capture")
    }

    /// Runs a node until it is killed.
    private func work(_ server: JackServer, _ home: String, _ answered: inout Answered) throws {
      let (node, phone) = try startNode(on: server, home: home)
      phone.send("/capture/on", .int32(1))
      phone.send("/player/record")
      try phone.awaitLength(0.02)
      phone.send("/player/stop")
      // After a random number of its messages.
      var left = Int.random(in: 0...40)
      let id = node.id
      while node.isRunning {
        switch Int.random(in: 0..<4) {
        case 0: phone.send("/take/save")
        case 1:
          if let id = answered.shown.randomElement() {
            answered.deleted[id] = false
            phone.send("/take/delete", .string(id))
          }
        case 2:
          if let id = answered.shown.randomElement() {
            let title = "title \(Int.random(in: 0..<1_000_000))"
            answered.ask(id, title)
            phone.send("/take/title", .string(id), .string(title))
          }
        default: phone.send("/capture/state")
        }
        while let message = phone.receive(seconds: 0.005) {
          answered.take(message)
          left -= 1
        }
        guard left <= 0 else { continue }
        left = .max
        DispatchQueue.global().asyncAfter(
          deadline: .now() + .microseconds(Int.random(in: 0...20_000))
        ) {
          kill(id, SIGKILL)
        }
      }
      while let message = phone.receive(seconds: 0.005) { answered.take(message) }
      _ = node.awaitEnd()
    }

    private func check(_ answered: Answered, _ library: TakeLibrary) throws {
      let shown = try library.list(count: 100_000).takes
      let titles = Dictionary(uniqueKeysWithValues: shown.map { ($0.id, $0.title) })
      let trash = Set(try library.trash(count: 100_000).takes.map(\.id))
      for (id, title) in answered.titles {
        switch answered.deleted[id] {
        case true?: #expect(trash.contains(id) && titles[id] == nil)
        case false?: #expect(trash.contains(id) != (titles[id] != nil))
        case nil:
          #expect(titles[id] != nil)
          if let title { #expect(titles[id] == title) }
        }
      }
    }

    /// Reads all files that were not read before.
    private func read(_ library: TakeLibrary, _ known: inout Set<String>) throws {
      let (shown, trash) = (
        try library.list(count: 100_000).takes, try library.trash(count: 100_000).takes
      )
      for (take, path) in shown.map({ ($0, library.path($0)) })
        + trash.map({ ($0, library.trashPath($0)) }) where known.insert(take.id).inserted
      {
        let frames = try SoundFixture.read(path).left.count
        #expect(frames == take.frames)
      }
    }
  }
}
