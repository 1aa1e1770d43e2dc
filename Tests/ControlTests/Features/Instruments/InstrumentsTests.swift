import DSP
import Engine
import Foundation
import InstrumentFiles
import Library
import OSC
import TestSupport
import Testing

@testable import Control

/// Instruments by name, as requested by a client.
@Suite final class InstrumentsTests {
  private let folder: TemporaryFolder
  private let desk: Desk
  private var home: String { folder.path("home") }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("home/sounds"), withIntermediateDirectories: true)
    desk = Desk(
      home: folder.path("home"), instruments: InstrumentLibrary(home: folder.path("home")))
  }

  private func present(_ desk: Desk? = nil) -> String? {
    (desk ?? self.desk).tell("/grid/instrument").first?.arguments.first?.text
  }

  private func code(_ received: [Received]) -> String? {
    received.first { $0.address == "/error" }?.arguments[1].text
  }

  private func line(_ received: [Received]) -> String {
    received.first { $0.address == "/error" }?.arguments[2].text ?? ""
  }

  private func names() -> [String] {
    desk.tell("/instruments").first?.arguments.compactMap(\.text) ?? []
  }

  private func writeWave(_ name: String, hertz: Double = 440) throws {
    try SoundFixture.write(
      "\(home)/\(name)", left: Tone.sine(hertz, amplitude: 0.5, frames: 24_000), rate: 48_000)
  }

  @Test("All memory made from a file is bounded, not only its samples")
  func bounded() throws {
    try writeWave("sounds/short.wav")
    // Each region has its own end, and thus a sound of its own for each of eleven speeds.
    let text = (0..<1200).map {
      "<region> sample=short.wav lokey=0 hikey=127 pitch_keycenter=20 end=\(20_000 + $0)\n"
    }
    try Data(text.joined().utf8).write(to: URL(fileURLWithPath: "\(home)/sounds/many.sfz"))
    #expect(
      desk.ask("/instrument/load", .string("many"), .string("sounds/many.sfz")).last?.address
        == "/reply")
    let before = present()
    let refused = desk.ask("/grid/instrument", .string("many"))
    #expect(code(refused) == "range")
    #expect(line(refused).contains("MB of memory on all of its keys; the limit is 1024 MB"))
    #expect(present() == before)
    // A few of them are valid, and need the documented memory.
    try Data(text[..<4].joined().utf8).write(to: URL(fileURLWithPath: "\(home)/sounds/many.sfz"))
    let instrument = try SFZ.read("\(home)/sounds/many.sfz")
    let image = InstrumentImage.make(instrument)
    image.make(try instrument.samples.map { try $0.read() })
    #expect(
      InstrumentImage.bytes(of: instrument) == image.bytes && image.bytes > 4 * 20_000 * 4 * 20)
    #expect(desk.ask("/grid/instrument", .string("many")).last?.address == "/reply")
  }

  @Test("A session whose instrument is missing has the piano, not the previous instrument")
  func noFallbackOfAnotherSession() throws {
    desk.node[Instruments.self].open { _ in }
    desk.pass(until: "the piano is there") { present() == "piano" }
    desk.node.keeper.beginSession()
    let other = try #require(BuiltInInstrument.allCases.first { $0.name != "piano" }).name
    desk.tell("/grid/instrument", .string(other))
    desk.pass(until: "the other one is there") { present() == other }
    desk.node.keeper.beginSession()
    var state = NodeState()
    state.values = ["/grid/instrument=gone since"]
    _ = desk.node.keeper.resumeSession(state)
    desk.pass(until: "it is changed") { !desk.node[Instruments.self].isUnderWay }
    desk.pass()
    #expect(present() == "piano")
  }

  @Test("A piano is loaded at the start, and the list is known")
  func opening() {
    var said: [String] = []
    desk.node[Instruments.self].open { said.append($0) }
    desk.pass(until: "the piano is there") { present() == "piano" }
    #expect(Set(names()) == Set(BuiltInInstrument.allCases.map(\.name)))
    #expect(said.count == 1 && said[0].contains("no General MIDI soundfont"))
    desk.pass(until: "all of it is read") {
      desk.tell("/instrument/loading").first?.arguments == [.float(1)]
    }
    #expect(desk.tell("/instrument/notes").first?.arguments == [])
  }

  @Test("An instrument is playing when completion is reported, however its name is written")
  func setting() {
    #expect(
      desk.ask("/grid/instrument", .string("Acoustic-Guitar"))
        == [Received("/reply", [.string("/grid/instrument"), .string("acoustic guitar")])])
    #expect(present() == "acoustic guitar")
    let unknown = desk.ask("/grid/instrument", .string("vioiln"))
    #expect(code(unknown) == "missing" && line(unknown).contains("did you mean violin?"))
    #expect(code(desk.ask("/grid/instrument", .string("../x"))) == "denied")
    #expect(code(desk.ask("/grid/instrument", .int32(3))) == "type")
    #expect(present() == "acoustic guitar")
  }

  @Test("The last of several requests wins, and the others receive an error")
  func superseded() {
    desk.tell("/grid/instrument", .string("violin"), as: Desk.client(9001))
    desk.tell("/grid/instrument", .string("organ"), as: Desk.client(9002))
    let last = desk.ask("/grid/instrument", .string("bell"))
    #expect(last.last?.arguments.last == .string("bell"))
    for port in [UInt16(9001), 9002] { #expect(code(desk.take(Desk.client(port))) == "state") }
    for _ in 0..<20 { desk.pass() }
    #expect(present() == "bell")
  }

  @Test("Subscribers receive the instrument and the list, initially and on change")
  func announced() throws {
    let watcher = Desk.client(9100)
    desk.node[Instruments.self].open { _ in }
    desk.pass(until: "the piano is there") { present() == "piano" }
    let first = desk.tell("/subscribe", as: watcher)
    #expect(first.contains(Received("/grid/instrument", [.string("piano")])))
    #expect(first.contains { $0.address == "/instruments" && $0.arguments.count == 7 })
    _ = desk.ask("/grid/instrument", .string("organ"))
    try writeWave("sounds/A4.wav")
    _ = desk.ask("/instrument/load", .string("owl"), .string("sounds"))
    for _ in 0..<20 { desk.pass() }
    let told = desk.take(watcher)
    #expect(told.contains(Received("/grid/instrument", [.string("organ")])))
    #expect(told.contains { $0.address == "/instruments" && $0.arguments.contains(.string("owl")) })
  }

  @Test("A file is added under a name, played, and deleted")
  func loading() throws {
    try writeWave("sounds/A4.wav")
    try "<region> sample=A4.wav key=69 flavour=3\n<region> sample=gone.wav key=70".write(
      toFile: "\(home)/sounds/a.sfz", atomically: true, encoding: .utf8)
    let reply = try #require(
      desk.ask("/instrument/load", .string("Owl"), .string("sounds/a.sfz")).last)
    #expect(
      reply.arguments.prefix(2) == [.string("/instrument/load"), .string("Owl")]
        && reply.arguments.count == 4)
    #expect(names().contains("Owl"))
    let played = try #require(desk.ask("/grid/instrument", .string("owl")).last)
    #expect(played.arguments.count == 4, "\(played)")
    #expect(desk.tell("/instrument/notes").first?.arguments == Array(played.arguments.dropFirst(2)))
    #expect(desk.ask("/instrument/delete", .string("owl")).last?.address == "/reply")
    #expect(!names().contains("Owl"))
    // It still sounds, since its samples are in memory.
    #expect(present() == "Owl")
    #expect(code(desk.ask("/instrument/delete", .string("owl"))) == "missing")
    #expect(code(desk.ask("/instrument/delete", .string("piano"))) == "denied")
  }

  @Test("An instrument that can't be loaded is refused in a line")
  func refused() throws {
    try "no".write(toFile: "\(home)/text.txt", atomically: true, encoding: .utf8)
    func load(_ file: String, _ more: Argument...) -> String? {
      var arguments: [Argument] = [.string("x"), .string(file)] + more
      let client = Desk.client(9000)
      var all = desk.give([UInt8](address: "/instrument/load", arguments), as: client)
      arguments = []
      desk.pass(until: "it is answered") {
        all += desk.take(client)
        return !all.isEmpty
      }
      return code(all)
    }
    #expect(load("../x.sf2") == "denied")
    #expect(load("/etc/passwd") == "denied")
    #expect(load("gone.sf2") == "missing")
    #expect(load("text.txt") == "type")
    #expect(load("text.txt", .int32(3)) == "type")
    #expect(load("text.txt", .int32(129), .int32(0)) == "range")
    #expect(!names().contains("x"))
  }

  @Test("The instrument is restored after a restart, or a piano if it is gone")
  func kept() throws {
    desk.node[Takes.self].open { _ in }
    desk.node[Instruments.self].open { _ in }
    try writeWave("sounds/A4.wav")
    desk.pass(until: "the piano is there") { present() == "piano" }
    _ = desk.ask("/instrument/load", .string("owl"), .string("sounds"))
    #expect(desk.ask("/grid/instrument", .string("owl")).last?.address == "/reply")
    // Until it is written.
    desk.awaitDisk()
    func next() -> (Desk, () -> [String]) {
      var said: [String] = []
      let next = Desk(home: home, instruments: InstrumentLibrary(home: home))
      next.node[Takes.self].open { said.append($0) }
      next.node[Instruments.self].open { said.append($0) }
      return (next, { said })
    }
    let (second, _) = next()
    second.pass(until: "an instrument is there") { present(second) != "" }
    #expect(present(second) == "owl")
    try FileManager.default.removeItem(atPath: "\(home)/sounds/A4.wav")
    let (third, said) = next()
    third.pass(until: "an instrument is there") { present(third) != "" }
    #expect(present(third) == "piano")
    #expect(said().contains { $0.contains("owl") })
  }

  // MARK: - The loop

  private func record(_ sound: [Float]) {
    desk.tell("/player/record")
    _ = desk.play(sound)
    desk.tell("/player/stop")
    _ = desk.play(Tone.constant(0, frames: 4800))
  }

  @Test("A loop becomes an instrument, at its own pitch if it has one")
  func take() {
    #expect(code(desk.ask("/grid/instrument", .string("take"))) == "state")
    record(Tone.constant(0, frames: 9600) + Tone.sine(300, amplitude: 0.4, frames: 48_000))
    let reply = desk.ask("/grid/instrument", .string("Take"))
    #expect(reply.last?.arguments == [.string("/grid/instrument"), .string("take")], "\(reply)")
    #expect(present() == "take")
    desk.tell("/loop/clear")
    record(Tone.noise(amplitude: 0.2, frames: 24_000))
    let noise = desk.ask("/grid/instrument", .string("take"))
    #expect(noise.last?.arguments.count == 3 && line(noise).isEmpty)
    #expect(noise.last?.arguments.last?.text?.contains("middle C") == true)
  }

  @Test("The notes of a loop and of a take are sent one by one")
  func transcribing() throws {
    #expect(code(desk.ask("/take/transcribe")) == "state")
    let tones = [440.0, 523.2511, 261.6256].flatMap {
      Tone.sine($0, amplitude: 0.4, frames: 19_200) + Tone.constant(0, frames: 4800)
    }
    record(tones)
    func expect(_ all: [Received]) {
      let notes = all.dropLast()
      #expect(notes.map { $0.arguments[0].text } == ["A4", "C5", "C4"])
      for (index, note) in notes.enumerated() {
        // The documented accuracy: 20 ms and 5 cents.
        #expect(abs((note.arguments[1].number ?? -1) - 0.5 * Double(index)) < 0.02)
        #expect(abs((note.arguments[2].number ?? -1) - 0.4) < 0.05)
        #expect(abs(note.arguments[3].number ?? 99) < 5)
      }
      #expect(all.last == Received("/take/transcribe/end", [.int32(3)]))
    }
    let end = ["/take/transcribe/end"]
    expect(desk.ask("/take/transcribe", until: end))
    let saved = try #require(desk.ask("/take/save").last?.arguments[1].text)
    expect(desk.ask("/take/transcribe", .string(saved), until: end))
    #expect(code(desk.ask("/take/transcribe", .string("nothing"), until: end)) == "missing")
  }
}
