import Control
import Engine
import Foundation
import OSC
import Posix
import SQLite
import TestSupport
import Testing

@testable import Library
@testable import SoundFiles

/// Captures: requests, updates, and files.
@Suite struct CaptureTests {
  private let folder: TemporaryFolder
  private let desk: Desk
  private var home: String { folder.path("home") }

  init() throws {
    folder = try TemporaryFolder()
    desk = Desk(
      presets: PresetLibrary(own: folder.path("presets")), home: folder.path("home"))
  }

  private var state: (word: String?, seconds: Double?, id: String) {
    let told = desk.tell("/capture/state").last { $0.address == "/capture/state" }
    let values = told?.arguments ?? []
    guard values.count == 3 else { return (nil, nil, "") }
    return (values[0].text, values[1].number, values[2].text ?? "")
  }

  private var isOn: [Argument]? {
    desk.tell("/capture/on").last { $0.address == "/capture/on" }?.arguments
  }

  private func code(_ received: [Received]) -> String? {
    guard let error = received.first, error.address == "/error" else { return nil }
    return error.arguments[1].text
  }

  /// Runs the clock until no write is in progress.
  private func awaitDisk() { desk.awaitDisk(every: 0.005) }

  private var takes: [Take] {
    get throws { try TakeLibrary(home: home).list(count: 10).takes }
  }

  private func sound(_ take: Take) throws -> (left: [Float], right: [Float], rate: Int) {
    try SoundFixture.read(TakeLibrary(home: home).path(take))
  }

  @Test func `a capture becomes a take with its properties, and completion is reported`()
    throws
  {
    let (starter, ender) = (Desk.client(9001), Desk.client(9002))
    desk.tell("/preset/save", .string("mine"))
    awaitDisk()
    desk.tell("/preset", .string("mine"))
    desk.tell("/capture/format", .string("float"))
    desk.pass()
    #expect(isOn == [.int32(0)] && state.word == "off" && state.id == "")
    desk.tell("/capture/on", .int32(1), as: starter)
    #expect(isOn == [.int32(1)])
    let sent = Tone.noise(frames: 4800)
    _ = desk.host.render(sent, block: 64)
    desk.pass()
    let (word, seconds, id) = state
    #expect(word == "on" && seconds == Double(Float(4864.0 / 48_000)))
    #expect(try takes.isEmpty)
    desk.tell("/capture/on", .float(0), as: ender)
    desk.pass()
    #expect(isOn == [.int32(0)] && state.word == "off")
    awaitDisk()
    #expect(desk.take(starter).isEmpty)
    #expect(desk.take(ender) == [Received("/reply", [.string("/capture/on"), .string(id)])])
    let take = try #require(try takes.first)
    #expect(take.id == id && take.frames == 4864 && take.rate == 48_000)
    #expect(take.source == .input && take.preset == "mine")
    #expect(take.title == Take.title(for: take.date))
    #expect(abs(Double(take.date.microseconds) / 1e6 - Date().timeIntervalSince1970) < 60)
    let kept = try sound(take).left
    let (count, difference) = (kept.count, Measure.firstDifference(kept, sent))
    #expect(count == 4864 && difference == nil)
    #expect(abs((take.peak ?? 0) - 20 * log10(Double(Measure.peak(sent)))) < 1e-9)
    // The file contains all properties itself.
    let file = try TakeLibrary(home: home).path(take)
    #expect(try WaveTags.read(file).metadata == take.json)
    #expect(desk.tell("/status/captureFaults").first?.arguments == [.int32(0)])
  }

  @Test func `the output is captured in 24 bits`() throws {
    desk.tell("/capture/source", .string("out"))
    desk.tell("/out/gain", .float(-12))
    desk.pass(frames: 4800)
    desk.tell("/capture/on", .bool(true))
    let heard = desk.host.render(Tone.noise(frames: 48_000), block: 64).left
    desk.pass()
    desk.tell("/capture/on", .bool(false))
    desk.pass()
    awaitDisk()
    let take = try #require(try takes.first)
    #expect(take.source == .output && take.loudness != nil)
    let kept = try sound(take).left
    // Half of the least significant of 24 bits.
    let error = zip(kept, heard).map { abs($0 - $1) }.max() ?? 1
    #expect(error <= 0.5 / 8_388_608 && error > 0 && kept.count == 48_064)
  }

  @Test func `the value is one whole number, and is sent to subscribers`() {
    let listener = Desk.client(9001)
    desk.tell("/subscribe", .string("/capture"), as: listener)
    desk.pass()
    #expect(code(desk.tell("/capture/on", .int32(2))) == "range")
    #expect(code(desk.tell("/capture/on", .float(0.5))) == "range")
    #expect(code(desk.tell("/capture/on", .string("on"))) == "type")
    #expect(code(desk.tell("/capture/on", .int32(1), .int32(1))) == "type")
    #expect(isOn == [.int32(0)])
    _ = desk.take(listener)
    desk.tell("/capture/on", .int32(1))
    desk.pass()
    desk.pass()
    let told = desk.take(listener)
    #expect(told.contains(Received("/capture/on", [.int32(1)])))
    #expect(told.contains { $0.address == "/capture/state" && $0.arguments[0] == .string("on") })
    // The length changes on its own, twice per second.
    for _ in 0..<200 { desk.pass(frames: 480) }
    let states = desk.take(listener).filter { $0.address == "/capture/state" }
    #expect((3...5).contains(states.count))
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    desk.pass()
    #expect(desk.take(listener).contains(Received("/capture/on", [.int32(0)])))
    awaitDisk()
  }

  @Test func `a node without a data directory refuses to capture`() {
    let desk = Desk()
    #expect(code(desk.tell("/capture/on", .int32(1))) == "state")
    #expect(desk.tell("/capture/on", .int32(0)).isEmpty)
    desk.pass()
    #expect(desk.tell("/capture/on") == [Received("/capture/on", [.int32(0)])])
  }

  @Test func `on while on changes nothing, and neither does off while off`() throws {
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    desk.tell("/capture/on", .int32(1))
    desk.pass(frames: 4800)
    let id = state.id
    desk.tell("/capture/on", .int32(1))
    desk.pass(frames: 4800)
    #expect(state.id == id && isOn == [.int32(1)])
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitDisk()
    #expect(try takes.map(\.id) == [id])
    #expect(state.id == id && state.word == "off")
  }

  @Test func `the last request is reported while commands are pending`() {
    desk.tell("/capture/on", .int32(1))
    _ = desk.host.render([0], block: 1)
    desk.tell("/capture/on", .int32(0))
    // The start is reported, the end not yet.
    _ = desk.node.tick()
    #expect(isOn == [.int32(0)])
    desk.pass()
    #expect(isOn == [.int32(0)])
    awaitDisk()
  }

  private var place: [Argument]? {
    desk.tell("/capture/location").last { $0.address == "/capture/location" }?.arguments
  }

  /// The locations in the library, by titles, and in the files.
  private var places: [Place?] {
    get throws {
      try takes.map { take in
        let file = try TakeLibrary(home: home).path(take)
        #expect(try WaveTags.read(file).metadata == take.json)
        return take.place
      }
    }
  }

  @Test func `a take has the location of its start, or one that is set during the capture`() throws
  {
    #expect(code(desk.tell("/capture/location", .float(1), .float(2))) == "state")
    #expect(code(desk.tell("/capture/location", .float(91), .float(2))) == "range")
    desk.tell("/location", .float(52.5), .float(13.25))
    desk.tell("/capture/on", .int32(1))
    desk.pass(frames: 4800)
    #expect(place == [.float(52.5), .float(13.25)])
    // The node moves on; the recording stays.
    desk.tell("/location", .float(1), .float(1))
    #expect(place == [.float(52.5), .float(13.25)])
    let listener = Desk.client(9001)
    desk.tell("/subscribe", .string("/capture/location"), as: listener)
    desk.pass()
    _ = desk.take(listener)
    desk.tell("/capture/location", .float(48), .float(11.5))
    desk.pass()
    #expect(desk.take(listener) == [Received("/capture/location", [.float(48), .float(11.5)])])
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitDisk()
    #expect(try places == [Place(latitude: 48, longitude: 11.5)])
    _ = desk.take()
    #expect(desk.tell("/location").first?.arguments == [.float(1), .float(1)])
  }

  @Test func `a location that comes before the first frame belongs to the capture that starts`()
    throws
  {
    for (north, isAhead) in [(10, false), (20, true)] {
      desk.tell("/capture/on", .int32(1))
      if !isAhead { desk.pass(frames: 480) }
      desk.tell("/capture/location", .int32(Int32(north)), .int32(0))
      desk.pass(frames: 480)
      #expect(place == [.float(Float(north)), .float(0)])
      desk.tell("/capture/on", .int32(0))
      desk.pass()
      awaitDisk()
    }
    #expect(try places.map { $0?.latitude } == [20, 10])
  }

  @Test func `a location that comes after the end is that of the last take`() throws {
    desk.tell("/capture/on", .int32(1))
    desk.pass(frames: 480)
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    // While the file is being finished.
    desk.tell("/capture/location", .float(10), .float(20))
    awaitDisk()
    desk.pass(until: "the file has it") { (try? places) == [Place(latitude: 10, longitude: 20)] }
    // In the library.
    let listener = Desk.client(9001)
    desk.tell("/subscribe", .string("/take"), as: listener)
    desk.tell("/capture/location", .float(30), .float(40))
    #expect(place == [.float(30), .float(40)])
    var told: [Received] = []
    desk.pass(until: "the changed take is announced") {
      told += desk.take(listener).filter { $0.address == "/take" }
      return !told.isEmpty
    }
    #expect(told.last?.arguments.suffix(2) == [.float(30), .float(40)])
    #expect(try places == [Place(latitude: 30, longitude: 40)])
    desk.tell("/take/delete", .string(state.id))
    awaitDisk()
    _ = desk.take()
    desk.tell("/capture/location", .float(1), .float(1))
    var refused: [Received] = []
    desk.pass(until: "the deleted take is refused") {
      refused += desk.take().filter { $0.address == "/error" }
      return !refused.isEmpty
    }
    #expect(refused[0].arguments[..<2] == [.string("/capture/location"), .string("missing")])
  }

  @Test func `a capture without frames leaves nothing`() throws {
    desk.tell("/capture/on", .int32(1))
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitDisk()
    #expect(desk.take() == [Received("/reply", [.string("/capture/on"), .string("")])])
    #expect(try takes.isEmpty)
    let names = try FileManager.default.contentsOfDirectory(atPath: home + "/takes")
    #expect(names == ["trash"])
    #expect(state.id == "" && state.seconds == 0)
  }

  @Test func `off and on in one bundle end one take and start the next on the same frame`() throws {
    desk.tell("/capture/format", .string("float"))
    desk.tell("/capture/on", .int32(1))
    let sent = Tone.noise(frames: 9600)
    _ = desk.host.render(Array(sent[..<4800]), block: 64)
    _ = desk.node.tick()
    desk.tell("/capture/on", .int32(0))
    desk.tell("/capture/on", .int32(1))
    _ = desk.host.render(Array(sent[4800...]), block: 64)
    _ = desk.node.tick()
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitDisk()
    let sounds = try takes.reversed().map { try sound($0).left }
    #expect(sounds.map(\.count) == [4800, 4800])
    let difference = Measure.firstDifference(sounds.flatMap(\.self), sent)
    #expect(difference == nil)
  }

  @Test func `no more captures are planned than memory allows`() {
    for index in 0..<8 {
      let answer = desk.tell("/capture/on", .int32(1))
      #expect(index < 4 ? answer.isEmpty : code(answer) == "busy")
    }
    desk.pass()
    // Unused preparations are released.
    #expect(desk.tell("/capture/on", .int32(1)).isEmpty)
    desk.pass()
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitDisk()
  }

  // MARK: - Failures

  @Test func `a slow disk ends the capture, and everything in the ring is saved`() throws {
    let (starter, listener) = (Desk.client(9001), Desk.client(9002))
    desk.tell("/subscribe", .string("/status"), as: listener)
    desk.tell("/subscribe", .string("/error"), as: listener)
    // A surface whose button would stay lit.
    desk.tell("/subscribe", .string("/capture"), as: starter)
    desk.tell("/capture/on", .int32(1), as: starter)
    // The thread starts when the node handles the event, which it has not yet.
    let sent = Tone.noise(frames: 600_000)
    let heard = desk.host.render(sent, block: 1024).left
    desk.pass()
    for client in [starter, listener] {
      let received = desk.take(client)
      let errors = received.filter { $0.address == "/error" }
      #expect(received.contains(Received("/capture/on", [.int32(0)])) == (client == starter))
      #expect(errors.count == 1)
      #expect(errors.first?.arguments[..<2] == [.string("/capture/on"), .string("io")])
      #expect(errors.first?.arguments[2].text?.contains("too slow") == true)
    }
    #expect(isOn == [.int32(0)] && state.word == "off")
    awaitDisk()
    #expect(try takes.map(\.frames) == [524_288])
    #expect(desk.tell("/status/captureFaults").first?.arguments == [.int32(1)])
    let difference = Measure.firstDifference(heard, sent)
    #expect(difference == nil)
    #expect(desk.tell("/capture/on", .int32(1)).isEmpty)
    desk.pass()
    #expect(isOn == [.int32(1)])
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitDisk()
  }

  @Test func `an obstacle to the folder is reported, and ends the capture`() throws {
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: home + "/takes"))
    desk.tell("/capture/on", .int32(1))
    desk.pass()
    awaitFault()
    #expect(isOn == [.int32(0)] && state.word == "off")
  }

  @Test func `a damaged database does not keep the audio from disk`() throws {
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    try Data("this is no database".utf8).write(
      to: URL(fileURLWithPath: home + "/library.sqlite"))
    desk.tell("/capture/on", .int32(1))
    desk.pass(frames: 4800)
    let part = part
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitFault()
    // The next start with a valid database finds it.
    try FileManager.default.removeItem(atPath: home + "/library.sqlite")
    #expect(FileManager.default.fileExists(atPath: part))
    #expect(try TakeLibrary(home: home).adopt().recovered.count == 1)
    #expect(try takes.first?.frames ?? 0 >= 4800)
  }

  @Test func `a library locked for long receives the take when it is free`() throws {
    let (starter, ender) = (Desk.client(9001), Desk.client(9002))
    _ = try TakeLibrary(home: home)
    let other = try LibraryDatabase(home + "/library.sqlite")
    try other.execute("BEGIN IMMEDIATE")
    desk.tell("/capture/on", .int32(1), as: starter)
    desk.pass(frames: 4800)
    let (id, file) = (state.id, part)
    desk.tell("/capture/on", .int32(0), as: ender)
    var told: [Received] = []
    // Longer than the lock timeout of the library.
    desk.pass(until: "the starter is told", every: 0.005) {
      told += desk.take(starter)
      return !told.isEmpty
    }
    #expect(told.map(\.address) == ["/error"])
    #expect(told.first?.arguments[2].text?.contains("\(file), and is added when") == true)
    // It blocks nothing meanwhile.
    desk.tell("/capture/on", .int32(1))
    desk.pass()
    #expect(isOn == [.int32(1)] && state.id != id)
    try other.execute("ROLLBACK")
    desk.tell("/capture/on", .int32(0))
    awaitDisk()
    #expect(desk.take(ender) == [Received("/reply", [.string("/capture/on"), .string(id)])])
    #expect(try takes.map(\.id).contains(id) && takes.count == 2)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(desk.tell("/status/captureFaults").last?.arguments == [.int32(1)])
  }

  @Test func `a deleted file ends the capture`() throws {
    desk.tell("/capture/on", .int32(1))
    desk.pass()
    desk.wait(until: "the file is there") { FileManager.default.fileExists(atPath: part) }
    // More audio may be written before the file is deleted.
    desk.wait(until: "the folder is gone") {
      try? FileManager.default.removeItem(atPath: home)
      return !FileManager.default.fileExists(atPath: home)
    }
    awaitFault()
    #expect(isOn == [.int32(0)] && state.word == "off")
    // The next capture creates the folder.
    desk.tell("/capture/on", .int32(1))
    desk.pass()
    desk.tell("/capture/on", .int32(0))
    desk.pass()
    awaitDisk()
    #expect(try takes.count == 1)
  }

  private var part: String { "\(home)/takes/\(state.id).wav.part" }

  /// Runs the clock until an error is reported, which must be the only one.
  private func awaitFault() {
    var told: [Received] = []
    desk.pass(until: "an error is told", every: 0.005) {
      told += desk.take()
      return !told.isEmpty && !desk.node.isWriting
    }
    #expect(told.map(\.address) == ["/error"])
    #expect(told.first?.arguments[..<2] == [.string("/capture/on"), .string("io")])
    #expect(desk.tell("/status/captureFaults").first?.arguments == [.int32(1)])
  }

  @Test func `a server that returns at another rate starts another take`() throws {
    desk.tell("/capture/format", .string("float"))
    desk.tell("/capture/on", .int32(1))
    desk.pass(frames: 48_000)
    let first = state.id
    desk.tell("/capture/location", .int32(5), .int32(6))
    let other = OfflineHost(takingOver: desk.host.engine, sampleRate: 44_100)
    _ = other.render(Tone.constant(0.25, frames: 4410), block: 64)
    _ = desk.node.tick()
    // It waits until a server has this sample rate.
    #expect(state.id == first && state.word == "on" && isOn == [.int32(1)])
    desk.rate = 44_100
    _ = desk.node.tick()
    _ = other.render(Tone.constant(0.25, frames: 64), block: 64)
    _ = desk.node.tick()
    #expect(state.id != first && state.word == "on" && isOn == [.int32(1)])
    for _ in 0..<10 { _ = desk.node.tick() }
    _ = other.render(Tone.constant(0.25, frames: 4346), block: 64)
    desk.tell("/capture/on", .int32(0))
    _ = other.render([0.25], block: 1)
    awaitDisk(other)
    let kept = try takes.reversed().map { ($0.frames, $0.rate) }
    #expect(kept.map(\.0) == [48_000, 4410] && kept.map(\.1) == [48_000, 44_100])
    #expect(try places == Array(repeating: Place(latitude: 5, longitude: 6), count: 2))
  }

  private func awaitDisk(_ host: OfflineHost) {
    desk.wait(until: "the disk has done all", every: 0.005) {
      _ = host.render([0], block: 1)
      _ = desk.node.tick()
      return !desk.node.isWriting
    }
  }
}
