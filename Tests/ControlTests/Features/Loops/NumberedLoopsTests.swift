import Control
import Engine
import Foundation
import Library
import OSC
import TestSupport
import Testing

/// Loops by number.
///
/// Every loop has the same addresses.
@Suite final class NumberedLoopsTests {
  private let folder: TemporaryFolder
  private let desk: Desk

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("home"), withIntermediateDirectories: true)
    desk = Desk(home: folder.path("home"))
  }

  private func state(_ loop: String) -> String? {
    desk.tell("/loop/\(loop)/state").first?.arguments.first?.text
  }

  private func length(_ loop: Int) -> Double? {
    desk.tell("/loop/\(loop)/state").first?.arguments[2].number
  }

  private func record(_ sound: [Float], _ loop: Int) {
    desk.tell("/loop/\(loop)/record")
    _ = desk.play(sound)
    desk.tell("/loop/\(loop)/record")
    desk.pass(frames: 480)
  }

  @Test func `a loop is recorded and played by its number, and no other one changes`() {
    record(Tone.noise(frames: 24_000), 3)
    #expect(state("3") == "playing" && length(3) == 0.5)
    #expect(["1", "2", "4"].allSatisfy { state($0) == "empty" })
    #expect(desk.tell("/loop/state").first?.arguments.first == .string("empty"))
  }

  @Test func `a wrong argument is refused in the words of its address`() {
    func message(_ address: String, _ argument: Argument) -> String? {
      desk.ask(address, argument).first { $0.address == "/error" }?.arguments[2].text
    }
    #expect(
      message("/loop/1/keepSeconds", .int32(-3))
        == "/loop/1/keepSeconds: -3 is out of range (0.05 to 60 s)")
    #expect(
      message("/loop/1/keep", .float(0)) == "/loop/1/keep: 0 is out of range (0.25 to 64 bars)")
    for address in ["/loops/save", "/loops/load", "/loops/delete"] {
      #expect(message(address, .string(""))?.contains("the name of a loop set has 1 to") == true)
    }
  }

  @Test func `the first loop is the player, under either name`() {
    record(Tone.noise(frames: 24_000), 1)
    #expect(desk.tell("/player/state").first?.arguments.first == .string("playing"))
    desk.tell("/player/stop")
    desk.pass(frames: 480)
    #expect(state("1") == "stopped")
    desk.tell("/loop/1/gain", .float(-6))
    #expect(desk.tell("/loop/gain").first?.arguments == [.float(-6)])
    desk.tell("/loop/rate", .float(2))
    #expect(desk.tell("/loop/1/rate").first?.arguments == [.float(2)])
  }

  @Test func `the player's record ends in silence, the loop's continues`() {
    desk.tell("/player/record")
    _ = desk.play(Tone.noise(frames: 4800))
    desk.tell("/player/record")
    desk.pass(frames: 480)
    #expect(state("1") == "stopped")
    desk.tell("/loop/1/record")
    _ = desk.play(Tone.noise(frames: 4800))
    desk.tell("/loop/1/record")
    desk.pass(frames: 480)
    #expect(state("1") == "playing")
  }

  @Test func `a pattern with a literal last part reaches the commands of all loops`() {
    for loop in 1...4 { record(Tone.noise(frames: 4800), loop) }
    desk.tell("/loop/*/stop")
    desk.pass(frames: 480)
    #expect((1...4).allSatisfy { state("\($0)") == "stopped" })
    desk.tell("/loop/{2,4}/play", .float(1))
    desk.pass(frames: 480)
    #expect((1...4).map { state("\($0)") } == ["stopped", "playing", "stopped", "playing"])
    // A wildcard in the last part reaches no command.
    desk.tell("/loop/3/*", .float(1))
    desk.pass(frames: 480)
    // Its solo mutes the others.
    #expect((1...4).map { state("\($0)") } == ["stopped", "muted", "stopped", "muted"])
    desk.tell("/loop/*/gain", .float(-3))
    #expect((1...4).allSatisfy { desk.tell("/loop/\($0)/gain").first?.arguments == [.float(-3)] })
  }

  @Test func `a pattern refuses nothing for empty loops and no stop, but other commands`() {
    func errors(_ address: String) -> [String?] {
      let replies = desk.tell(address)
      desk.pass(frames: 480)
      return (replies + desk.take()).filter { $0.address == "/error" }.map {
        $0.arguments.first?.text
      }
    }
    record(Tone.noise(frames: 4800), 2)
    for command in ["stop", "play", "pause", "play", "once", "stop", "stop"] {
      #expect(errors("/loop/*/\(command)") == [])
    }
    #expect(state("2") == "stopped")
    #expect(errors("/loop/2/stop") == ["/loop/2/stop"])
    #expect(errors("/loop/*/overdub") == ["/loop/2/overdub"])
    #expect(errors("/loop/1/play") == ["/loop/1/play"], "a loop that is named is refused")
  }

  @Test func `the selected loop has addresses of its own`() {
    #expect(desk.tell("/loop/select").first?.arguments == [.int32(1)])
    desk.tell("/loop/select", .int32(2))
    desk.tell("/loop/selected/record")
    _ = desk.play(Tone.noise(frames: 4800))
    desk.tell("/loop/selected/record")
    desk.pass(frames: 480)
    #expect(state("2") == "playing" && state("selected") == "playing" && state("1") == "empty")
    desk.tell("/loop/selected/gain", .float(-9))
    #expect(desk.tell("/loop/2/gain").first?.arguments == [.float(-9)])
    #expect(desk.tell("/loop/selected/gain").first?.arguments == [.float(-9)])
    desk.tell("/loop/select", .int32(3))
    #expect(desk.tell("/loop/selected/gain").first?.arguments == [.float(0)])
    #expect(
      desk.tell("/loop/select", .int32(5)).first { $0.address == "/error" }?.arguments.last
        == .string("/loop/select: 5 is out of range (1 to 4); --loops sets the number"))
  }

  @Test func `a selection applies to the rest of its bundle, and to none that is refused`() {
    desk.give(
      [UInt8](
        bundle: [
          [UInt8](address: "/loop/select", [.int32(2)]),
          [UInt8](address: "/loop/selected/gain", [.float(-9)]),
          [UInt8](address: "/loop/selected/record", []),
        ], at: .immediately))
    _ = desk.play(Tone.noise(frames: 480))
    #expect(state("2") == "recording" && state("1") == "empty")
    #expect(desk.tell("/loop/2/gain").first?.arguments == [.float(-9)])
    #expect(desk.tell("/loop/1/gain").first?.arguments == [.float(0)])
    var packet = [[UInt8](address: "/loop/select", [.int32(4)])]
    packet += (0...CommandQueue.largestBatch).map { _ in
      [UInt8](address: "/loop/selected/gain", [.float(-3)])
    }
    let answers = desk.give([UInt8](bundle: packet, at: .immediately))
    #expect(answers.contains { $0.address == "/error" })
    #expect(desk.tell("/loop/select").first?.arguments == [.int32(2)])
  }

  @Test(arguments: [
    ("/loop/1/state", ["/loop/state"]), ("/loop/1/next", ["/player/next"]),
    ("/loop/1/history", ["/loop/history"]), ("/loop/1/position", ["/player/position"]),
    ("/loop/1/peaks", ["/loop/peaks"]), ("/loop/1/source", ["/player/source"]),
  ])
  func `subscribers receive a change of loop 1 under each of its names`(
    path: String, aliases: [String]
  ) {
    let client = Desk.client(9100)
    desk.tell("/subscribe", as: client)
    desk.pass(frames: 4800)
    _ = desk.take(client)
    desk.tell("/loop/1/source", .string("grid"))
    desk.tell("/loop/1/source", .string("live"))
    desk.tell("/loop/1/quantize", .string("bar"))
    desk.tell("/loop/1/record")
    _ = desk.play(Tone.noise(frames: 480))
    desk.tell("/loop/1/quantize", .string("off"))
    desk.tell("/loop/1/cancel")
    record(Tone.noise(frames: 4800), 1)
    desk.tell("/loop/1/source", .string("mix"))
    desk.seconds += 1
    desk.pass(frames: 9600)
    let received = desk.take(client)
    let last = received.last { $0.address == path }?.arguments
    #expect(last != nil)
    for alias in aliases {
      #expect(received.last { $0.address == alias }?.arguments == last, "\(alias)")
    }
  }

  @Test func `subscribers receive changes of each loop, and of the selected one`() {
    let client = Desk.client(9100)
    desk.tell("/subscribe", as: client)
    desk.pass(frames: 4800)
    _ = desk.take(client)
    record(Tone.noise(frames: 4800), 2)
    desk.pass(frames: 9600)
    let told = desk.take(client)
    #expect(
      told.contains { $0.address == "/loop/2/state" && $0.arguments[0] == .string("playing") })
    #expect(
      !told.contains { $0.address == "/loop/3/state" && $0.arguments[0] == .string("playing") })
    desk.tell("/loop/select", .int32(2), as: client)
    desk.pass(frames: 4800)
    #expect(
      desk.take(client).contains {
        $0.address == "/loop/selected/state" && $0.arguments[0] == .string("playing")
      })
    desk.tell("/loop/gain", .float(-5), as: client)
    desk.pass(frames: 4800)
    #expect(desk.take(client).contains { $0.address == "/loop/1/gain" })
  }

  @Test func `a query of the peaks does not delay them for subscribers`() {
    let client = Desk.client(9100)
    desk.tell("/subscribe", .string("/loop/2/peaks"), as: client)
    _ = desk.take(client)
    desk.tell("/loop/2/record")
    _ = desk.host.render(Tone.constant(0.5, frames: 24_000), block: 64)
    desk.tell("/loop/2/record")
    _ = desk.host.render(Tone.constant(0, frames: 48_000), block: 64)
    desk.seconds += 1
    #expect(desk.tell("/loop/2/peaks").first?.arguments.count == 256)
    desk.pass(frames: 24_000)
    #expect(
      desk.take(client).contains { $0.address == "/loop/2/peaks" && $0.arguments.count == 256 })
  }

  @Test func `the pedal is pressed and released, or both at once`() {
    desk.tell("/loop/2/pedal", .float(1))
    desk.pass(frames: 12_000)
    #expect(state("2") == "recording")
    desk.tell("/loop/2/pedal", .float(0))
    desk.pass(frames: 36_000)
    desk.tell("/loop/2/pedal")
    desk.pass(frames: 24_000)
    #expect(state("2") == "playing")
    desk.tell("/loop/2/pedal", .float(1))
    desk.pass(frames: 48_000)
    #expect(state("2") == "stopped")
  }

  @Test func `retroactive recording makes a loop`() {
    _ = desk.play(Tone.noise(frames: 96_000))
    desk.tell("/loop/4/keepSeconds", .float(1))
    desk.pass(frames: 480)
    #expect(state("4") == "playing" && length(4) == 1)
    let refusal = desk.tell("/loop/3/keepSeconds", .float(11))
    desk.pass(frames: 480)
    #expect(
      (refusal + desk.take()).contains {
        $0.address == "/error" && ($0.arguments.last?.text ?? "").contains("loop of 10 s")
      })
  }

  @Test func `a loop is saved and loaded as a take with its exact length`() throws {
    desk.tell("/metronome/bpm", .float(117))
    desk.tell("/loop/2/quantize", .string("beat"))
    record(Tone.noise(frames: 60_000), 2)
    while state("2") != "playing" { _ = desk.play(Tone.noise(frames: 640)) }
    // The frames after its end arrive a moment later.
    desk.pass(frames: 960)
    let recorded = length(2)
    let reply = desk.ask("/loop/2/save", .string("groove"))
    let id = try #require(reply.first { $0.address == "/reply" }?.arguments[1].text, "\(reply)")
    let loaded = desk.ask("/loop/3/load", .string(id))
    #expect(loaded.contains { $0.address == "/reply" }, "\(loaded)")
    #expect(length(3) == recorded)
    let names = FileManager.default.enumerator(atPath: folder.path("home"))?.allObjects ?? []
    let name = try #require(names.compactMap { $0 as? String }.first { $0.hasSuffix(".wav") })
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("home") + "/" + name))
    let acid = try #require(bytes.range(of: Data("acid".utf8)))
    let tempo = bytes[(acid.upperBound + 24)..<(acid.upperBound + 28)].reversed().reduce(UInt32(0))
    {
      $0 << 8 | UInt32($1)
    }
    #expect(Float(bitPattern: tempo) == 117)
  }

  @Test func `multiply, insert and keep are refused during a multiply or insert`() {
    record(Tone.noise(frames: 24_000), 1)
    for (growth, other) in [("multiply", "insert"), ("insert", "multiply")] {
      desk.tell("/loop/1/\(growth)")
      desk.pass(frames: 480)
      let word = growth == "insert" ? "inserting" : "multiplying"
      for command in [other, "keepSeconds"] {
        let path = "/loop/1/\(command)"
        let replies = command == other ? desk.tell(path) : desk.tell(path, .float(0.1))
        desk.pass(frames: 480)
        let error = (replies + desk.take()).first { $0.address == "/error" }
        #expect(error?.arguments[2].text == "\(path): no effect while loop 1 is \(word)")
        #expect(state("1") == word)
      }
      desk.tell("/loop/1/\(growth)")
      desk.pass(frames: 4800)
      #expect(state("1") == "playing")
    }
  }

  @Test func `a loop set restores all loops and their values`() {
    for loop in [1, 2, 4] { record(Tone.noise(frames: 4800 * loop), loop) }
    desk.tell("/loop/4/gain", .float(-12))
    desk.tell("/loop/2/engine", .string("studio"))
    desk.tell("/metronome/bpm", .float(97))
    let saved = desk.ask("/loops/save", .string("first"))
    #expect(saved.contains { $0.address == "/reply" }, "\(saved)")
    for loop in 1...4 { desk.tell("/loop/\(loop)/clear") }
    record(Tone.noise(frames: 4800), 3)
    desk.tell("/loop/4/gain", .float(0))
    desk.tell("/loop/2/engine", .string("live"))
    desk.tell("/metronome/bpm", .float(120))
    let loaded = desk.ask("/loops/load", .string("first"))
    #expect(loaded.contains { $0.address == "/reply" }, "\(loaded)")
    desk.pass(frames: 960)
    #expect((1...4).map { Float(length($0) ?? -1) } == [0.1, 0.2, 0, 0.4])
    #expect(desk.tell("/loop/4/gain").first?.arguments == [.float(-12)])
    #expect(desk.tell("/loop/2/engine").first?.arguments == [.string("studio")])
    #expect(desk.tell("/metronome/bpm").first?.arguments == [.float(97)])
    let list = desk.ask("/loops", until: ["/loops/end"])
    #expect(list.first == Received("/loops/set", [.string("first")]))
    #expect(
      desk.ask("/loops/load", .string("second")).contains {
        $0.address == "/error" && $0.arguments[1] == .string("missing")
      })
    #expect(desk.ask("/loops/delete", .string("first")).contains { $0.address == "/reply" })
    #expect(desk.ask("/loops", until: ["/loops/end"]).count == 1)
  }

  @Test func `the clips of sets are apart from the takes, and go to a trash with the set`() throws {
    record(Tone.noise(frames: 4800), 1)
    record(Tone.noise(frames: 9600), 2)
    let own = desk.ask("/take/save", .string("mine")).last?.arguments[1].text ?? ""
    _ = desk.ask("/loops/save", .string("evening"))
    #expect(desk.tell("/takes/total").first?.arguments == [.int32(1)])
    let listed = desk.ask("/takes", until: ["/takes/end"]).filter { $0.address == "/take" }
    #expect(listed.map { $0.arguments.first } == [.string(own)])
    let sets = try TakeLibrary(home: folder.path("home/sets"))
    #expect(Set(try sets.list(count: 9).takes.map(\.title)) == ["evening 1", "evening 2"])
    // A loaded clip of a set is no take.
    _ = desk.ask("/loops/load", .string("evening"))
    desk.tell("/loop/1/play")
    desk.pass(frames: 480)
    #expect(desk.tell("/take/playing").first?.arguments == [.string("")])
    _ = desk.ask("/loops/delete", .string("evening"))
    #expect(try sets.list(count: 9).takes.isEmpty)
    #expect(try sets.trash(count: 9).takes.count == 2)
    #expect(desk.tell("/takes/total").first?.arguments == [.int32(1)])
  }

  @Test func `a set of an earlier version loads its takes from the library`() throws {
    record(Tone.noise(frames: 4800), 1)
    let id = desk.ask("/take/save", .string("old 1")).last?.arguments[1].text ?? ""
    try FileManager.default.createDirectory(
      atPath: folder.path("home/sets"), withIntermediateDirectories: true)
    let text = #"{"tempo":100,"beatsPerBar":4,"loops":[{"loop":3,"take":"\#(id)","values":{}}]}"#
    try Data(text.utf8).write(to: URL(filePath: folder.path("home/sets/old.json")))
    #expect(desk.ask("/loops/load", .string("old")).last?.address == "/reply")
    desk.pass(frames: 480)
    #expect(Float(length(3) ?? -1) == 0.1)
    #expect(desk.ask("/loops/delete", .string("old")).last?.address == "/reply")
    #expect(desk.tell("/takes/total").first?.arguments == [.int32(1)])
  }

  @Test func `a set of the same name is kept under another one, and can be loaded`() {
    let (long, shortened) = (String(repeating: "n", count: 48), String(repeating: "n", count: 46))
    for (name, formers) in [
      ("evening", ["evening~1", "evening~2"]), (long, ["\(shortened)~1", "\(shortened)~2"]),
    ] {
      for (number, former) in ([nil] + formers.map(Optional.some)).enumerated() {
        record(Tone.noise(frames: 4800 * (number + 1)), 1)
        let reply = desk.ask("/loops/save", .string(name)).last
        #expect(
          reply?.arguments == ["/loops/save", name, former].compactMap { $0.map(Argument.string) })
        desk.tell("/loop/1/clear")
        desk.pass(frames: 480)
      }
      for (set, seconds) in zip(formers + [name], [0.1, 0.2, 0.3]) {
        _ = desk.ask("/loops/load", .string(set))
        desk.pass(frames: 480)
        #expect(Float(length(1) ?? -1) == Float(seconds), "\(set)")
      }
      desk.tell("/loop/1/clear")
      desk.pass(frames: 480)
    }
    #expect(desk.ask("/loops", until: ["/loops/end"]).count == 7)
  }

  @Test func `a save waits for another one of the same loop`() {
    record(Tone.noise(frames: 240_000), 1)
    record(Tone.noise(frames: 4800), 2)
    let (one, two, three) = (Desk.client(9001), Desk.client(9002), Desk.client(9003))
    desk.tell("/take/save", .string("one"), as: one)
    desk.tell("/loops/save", .string("two"), as: two)
    desk.tell("/loop/1/save", .string("three"), as: three)
    var replies: [Client: [Received]] = [:]
    desk.pass(until: "all are saved") {
      for client in [one, two, three] { replies[client, default: []] += desk.take(client) }
      return [one, two, three].allSatisfy { replies[$0]?.isEmpty == false }
    }
    #expect(
      [one, two, three].allSatisfy { replies[$0]?.map(\.address) == ["/reply"] }, "\(replies)")
    // Each is complete.
    for client in [one, three] {
      let id = replies[client]?.last?.arguments[1].text ?? ""
      _ = desk.ask("/loop/3/load", .string(id))
      desk.pass(frames: 480)
      #expect(length(3) == 5)
    }
  }

  /// The voices of a voice changer: equal, sample by sample, on the first and the last loop.
  @Test(arguments: ["chipmunk", "vader", "snail", "rabbit", "echo", "reverb"])
  func `a change of voice affects all loops alike`(preset: String) throws {
    let shipped = Project.file("Presets").path
    let clip = (0..<24_000).map { frame -> Float in
      let (low, high) = (sin(Float(frame) * 0.02), sin(Float(frame) * 0.043))
      return 0.2 * low + 0.1 * high
    }
    func sound(ofLoop loop: Int) -> [Float] {
      let desk = Desk(
        presets: PresetLibrary(shipped: shipped, own: folder.path("presets")))
      desk.tell("/live/route", .string("off"))
      desk.tell("/loop/\(loop)/record")
      _ = desk.play(clip)
      desk.tell("/loop/\(loop)/stop")
      _ = desk.play(Tone.constant(0, frames: 9600))
      let refusals = desk.tell("/preset", .string(preset)).filter { $0.address == "/error" }
      #expect(refusals.isEmpty, "\(refusals)")
      _ = desk.play(Tone.constant(0, frames: 9600))
      desk.tell("/loop/\(loop)/play")
      return desk.play(Tone.constant(0, frames: 48_000)).left
    }
    let (first, last) = (sound(ofLoop: 1), sound(ofLoop: 4))
    #expect(Measure.peak(first) > 0.05)
    #expect(Measure.firstDifference(first, last) == nil)
  }
}
