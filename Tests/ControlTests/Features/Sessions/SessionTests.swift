import Control
import Engine
import Foundation
import Library
import OSC
import TestSupport
import Testing

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
    desk.tell("/session/record", .int32(0), as: ender)
    desk.pass()
    awaitDisk()
    let name = try #require(names.first)
    #expect(
      desk.take(ender).contains(Received("/reply", [.string("/session/record"), .string(name)])))
    #expect(state?.first == .string("off") && state?.last == .string(name))
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
    #expect(FileManager.default.fileExists(atPath: try path("session.mid")))
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
}
