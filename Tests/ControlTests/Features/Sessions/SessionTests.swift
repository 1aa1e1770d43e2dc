import Engine
import Foundation
import Library
import OSC
import Posix
import TestSupport
import Testing

@testable import Control
@testable import SoundFiles

/// Sessions: requests, updates, and files.
@Suite struct SessionTests {
  private let folder: TemporaryFolder
  private let desk: Desk

  init() throws {
    folder = try TemporaryFolder()
    desk = Desk(
      presets: PresetLibrary(own: folder.path("presets")), home: folder.path("home"))
  }

  private var state: [Argument]? {
    desk.tell("/session/state").last { $0.address == "/session/state" }?.arguments
  }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path("home/sessions"))) ?? []
  }

  private func path(_ file: String) throws -> String {
    folder.path("home/sessions/\(try #require(names.first))/\(file)")
  }

  private func open() -> [String] {
    var said: [String] = []
    desk.node[Sessions.self].open { said.append($0) }
    awaitDisk()
    return said
  }

  private func awaitDisk() { desk.awaitDisk(every: 0.005) }

  @Test func `a session has a file for each port, all of one length, and completion is reported`()
    throws
  {
    let (starter, ender) = (Desk.client(9001), Desk.client(9002))
    desk.tell("/session/format", .string("float"))
    desk.tell("/session/record", .int32(1), as: starter)
    let sent = Tone.noise(frames: 4800)
    _ = desk.host.render(sent, block: 64)
    desk.pass()
    #expect(state?.first == .string("on"))
    desk.tell("/session/mark", .string("Verse"))
    desk.pass()
    _ = desk.host.render(sent, block: 64)
    // In the block that ends the session.
    desk.tell("/session/mark", .string("End"))
    desk.tell("/session/record", .int32(0), as: ender)
    desk.pass()
    awaitDisk()
    let name = try #require(names.first)
    #expect(
      desk.take(ender).contains(Received("/reply", [.string("/session/record"), .string(name)])))
    #expect(state?.first == .string("off") && state?[2...] == [.string(name), .float(0)])
    let tracks =
      ["in", "out", "live", "harmony", "grid", "click"] + (1...4).map { "loop\($0)" }
    let lengths = try tracks.map { try WaveLayout(path("\($0).wav")).frames }
    #expect(Set(lengths).count == 1 && lengths[0] >= 9600)
    let input = try SoundFixture.read(path("in.wav")).left
    #expect(Measure.firstDifference(Array(input[..<4800]), sent) == nil)
    let log = try String(contentsOfFile: path("session.txt"), encoding: .utf8)
    #expect(log.hasSuffix("end \(lengths[0])\n") && log.contains(" mark Verse\n"))
    let table = try String(contentsOfFile: path("markers.csv"), encoding: .utf8)
    #expect(table.hasPrefix("#,Name,Start\nM1,\"Verse\",0."))
    #expect(table.contains("\nM2,\"End\",0."))
    let cues = try WaveFixture.cues(of: path("in.wav"))
    #expect(cues.cues.last == WaveCues.Cue(lengths[0] - 1, "End"))
    #expect(FileManager.default.fileExists(atPath: try path("session.mid")))
  }

  @Test func `the script for Ardour has one marker per frame, with any names`() {
    var log = SessionLog(rate: 44_100)
    log.markers = [
      .init(frame: 500, name: #"a "quoted\" one"#), .init(frame: 70, name: "loop 1 plays"),
      .init(frame: 70, name: "Ende:\u{1}2äöü"),
    ]
    let script = log.ardourScript(title: "x")
    #expect(
      script.contains(
        """
        \tlocal rate = 44100
        \tlocal markers = {
        \t\t{70, "loop 1 plays, Ende:\\0012äöü"},
        \t\t{500, "a \\"quoted\\\\\\" one"},
        \t}

        """))
  }

  @Test func `a marker needs a session, and a session a folder`() {
    let error = desk.tell("/session/mark", .string("x")).first
    #expect(error?.address == "/error" && error?.arguments[1] == .string("state"))
    let homeless = Desk(presets: PresetLibrary(), home: nil)
    #expect(homeless.tell("/session/record", .int32(1)).first?.arguments[1] == .string("state"))
  }

  @Test func `an interrupted session is completed at the next start`() throws {
    let all = folder.path("home/sessions/2026-11-29_210405")
    try FileManager.default.createDirectory(atPath: all, withIntermediateDirectories: true)
    for (track, frames) in [("in", 5000), ("out", 4900), ("click", 5100)] {
      var writer = try WaveWriter(
        "\(all)/\(track).wav", rate: 48_000, isFine: false, isMono: track == "click")
      try WaveFixture.append(Tone.noise(frames: frames), to: &writer)
      try writer.countCurrent()
    }
    let lines = [
      "session 48000 2026-11-29T21:04:05.000000+00:00", "100 beat 1 4", "2000 mark Verse",
      "4950 mark lost", "5000 bea",
    ]
    try lines.joined(separator: "\n").write(
      toFile: all + "/session.txt", atomically: true, encoding: .utf8)
    let said = open()
    #expect(said == ["the session 2026-11-29_210405 was interrupted; 0.1 s of it were recovered"])
    for track in ["in", "out", "click"] {
      #expect(try WaveLayout("\(all)/\(track).wav").frames == 4900)
      #expect(try !SoundReader("\(all)/\(track).wav").isCutOff)
      #expect(
        try WaveFixture.cues(of: "\(all)/\(track).wav") == WaveCues([.init(2000, "Verse")]))
    }
    let table = try String(contentsOfFile: all + "/markers.csv", encoding: .utf8)
    #expect(table == "#,Name,Start\nM1,\"Verse\",0.041667\n")
    let log = try String(contentsOfFile: all + "/session.txt", encoding: .utf8)
    #expect(log.hasSuffix("\nend 4900\n"))
    // Only once.
    #expect(open() == [])
  }

  /// The number of frames recorded so far, of which only the last ones are on disk.
  private var framesKept: Int {
    let all = folder.path("home/sessions/.last")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
    let ends = names.map { name in
      (Int(name.split(separator: "-").last ?? "") ?? 0)
        + ((try? WaveLayout("\(all)/\(name)/in.wav").frames) ?? 0)
    }
    return ends.max() ?? 0
  }

  @Test func `the last minutes become a session, and go on`() throws {
    #expect(desk.tell("/session/keep").first?.arguments[1] == .string("state"))
    desk.tell("/session/format", .string("float"))
    desk.node[Sessions.self].keepLast(seconds: 6, partSeconds: 2)
    desk.pass()
    // Five parts and a half: the first ones are deleted.
    let sound = Tone.noise(frames: 48_000 * 11)
    for start in stride(from: 0, to: sound.count, by: 4 * 48_000) {
      let end = min(sound.count, start + 4 * 48_000)
      _ = desk.host.render(Array(sound[start..<end]), block: 256, isFreewheeling: true)
      // The ring holds no more than nine seconds.
      desk.wait(until: "it is on disk") { framesKept >= end }
    }
    desk.tell("/session/mark", .string("Now"))
    _ = desk.take()
    desk.tell("/session/keep")
    var reply: Received?
    desk.pass(until: "the session is there") {
      reply = reply ?? desk.take().first { $0.address == "/reply" }
      return reply != nil
    }
    let name = try #require(reply?.arguments.last?.text)
    let all = folder.path("home/sessions/\(name)")
    let input = try SoundFixture.read(all + "/in.wav").left
    #expect(input.count == 6 * 48_000)
    // Silence was recorded while the disk worked.
    let silence = input.reversed().prefix { $0 == 0 }.count
    let kept = Array(input.dropLast(silence))
    #expect(Measure.firstDifference(kept, Array(sound.suffix(kept.count))) == nil)
    let lengths = try ["out", "click", "loop4"].map { try WaveLayout("\(all)/\($0).wav").frames }
    #expect(lengths == [input.count, input.count, input.count])
    // Beats every half second, from the logs of several parts.
    let log = try String(contentsOfFile: all + "/session.txt", encoding: .utf8)
    let beats = log.split(separator: "\n").filter { $0.contains(" beat ") }
    #expect((11...13).contains(beats.count))
    #expect(log.contains(" mark Now\n"))
    desk.node[Sessions.self].endAll()
    awaitDisk()
    #expect(!FileManager.default.fileExists(atPath: folder.path("home/sessions/.last")))
  }

  @Test func `the last minutes before a crash become a session at the next start`() throws {
    let all = folder.path("home/sessions/.last")
    for (start, frames) in [(0, 3000), (3000, 3000), (6000, 1234)] {
      let part = "\(all)/1790000000000000-\(start)"
      try FileManager.default.createDirectory(atPath: part, withIntermediateDirectories: true)
      for track in ["in", "out", "click"] {
        var writer = try WaveWriter(
          "\(part)/\(track).wav", rate: 48_000, isFine: true, isMono: track == "click")
        let longer = track == "out" ? 7 : 0
        try WaveFixture.append(
          Tone.noise(frames: frames + longer, seed: UInt64(start + 1)), to: &writer)
        try writer.countCurrent()
      }
      try "session 48000 x\n\(start + 100) mark at \(start)\n".write(
        toFile: part + "/session.txt", atomically: true, encoding: .utf8)
    }
    let said = open()
    let name = try #require(names.first { !$0.hasPrefix(".") })
    #expect(said == ["the last 0.2 s before the interruption were saved as the session \(name)"])
    let input = try SoundFixture.read(path("in.wav")).left
    let parts = [(0, 3000), (3000, 3000), (6000, 1234)]
    #expect(input == parts.flatMap { Tone.noise(frames: $0.1, seed: UInt64($0.0 + 1)) })
    let log = try String(contentsOfFile: path("session.txt"), encoding: .utf8)
    #expect(log.hasSuffix("\n100 mark at 0\n3100 mark at 3000\n6100 mark at 6000\nend 7234\n"))
    #expect(names == [name])
  }

  @Test func `an overrun of the last minutes is reported once, and they start again`() throws {
    let listener = Desk.client(9002)
    desk.tell("/subscribe", .string("/error"), as: listener)
    let sessions = desk.node[Sessions.self]
    sessions.keepLast(seconds: 20, partSeconds: 2)
    // The thread starts when the node handles the event, which it has not yet.
    _ = desk.host.render(Tone.noise(frames: 48_000 * (SessionRing.seconds + 1)), block: 1024)
    desk.pass()
    let first = try #require(sessions.last.runs.first)
    #expect(first.ring.state == .overrun)
    desk.pass(until: "they have started again") {
      sessions.last.runs.first.map { $0 !== first && $0.ring.frames > 0 } ?? false
    }
    let errors = desk.take(listener).filter { $0.address == "/error" }
    #expect(
      errors.map { Array($0.arguments[..<2]) } == [[.string("/session/keep"), .string("io")]])
    #expect(errors.first?.arguments[2].text?.hasPrefix("the disk stalled for 9 s;") == true)
    sessions.endAll()
    awaitDisk()
  }

  @Test func `the ring of a failed session is kept until the audio thread has released it`() throws
  {
    // No folder can be made there.
    try FileManager.default.createDirectory(
      atPath: folder.path("home"), withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: folder.path("home/sessions")))
    let sessions = desk.node[Sessions.self]
    desk.tell("/session/record", .int32(1))
    desk.pass()
    weak let run = sessions.entries.last?.run
    #expect(run?.ring.state == .running)
    // Meanwhile, the audio thread is in a block.
    desk.wait(until: "the writer has failed") {
      _ = desk.node.tick()
      return run?.account.withLock { $0.isDone } ?? true
    }
    for _ in 0..<10 { _ = desk.node.tick() }
    #expect(run?.ring.state == .running)
    desk.pass(until: "it has been released") { run == nil }
  }
}
