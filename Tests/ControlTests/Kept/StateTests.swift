import Engine
import Foundation
import OSC
import TestSupport
import Testing

@testable import Control

@Suite struct NodeStateTests {
  private func state(_ values: [String], _ links: [(String, String)] = []) -> NodeState {
    var state = NodeState()
    state.values = values
    state.connections = links.map { SoundConnection(own: $0.0, other: $0.1) }
    return state
  }

  @Test func `a written state is read back`() throws {
    for state in [
      NodeState(), state(["/live/gain=-4.5", "/preset=", "/preset=a=b"]),
      state(
        ["/preset=two\nlines\r\nand a \\ \\n"], [("in_1", "an app=x/y:out \n1"), ("in_1", "b")]),
      state([], [("out_1", "system:playback_1")]),
    ] {
      #expect(try NodeState(state.text) == state)
      var more = state
      more.connectedPorts = ["in_1", "out_2"]
      more.server = "a = b"
      #expect(try NodeState(more.text) == more)
    }
  }

  @Test func `a truncated state is rejected at any length`() throws {
    let text = state(["/live/gain=-12", "/loop/route=off"], [("in_1", "system:capture_1")]).text
    for count in 0..<text.utf8.count {
      let part = String(decoding: text.utf8.prefix(count), as: UTF8.self)
      #expect(throws: NodeState.Fault.self, "\(count)") { try NodeState(part) }
    }
  }

  @Test(arguments: ["syrinx state 2\nend\n", "{}", "\n", "end\n", "/live/gain=3\nend\n"])
  func `an invalid state is reported`(text: String) {
    #expect(throws: NodeState.Fault.self) { try NodeState(text) }
  }
}

@Suite struct StateFileTests {
  private let folder: TemporaryFolder
  private let file: StateFile

  init() throws {
    folder = try TemporaryFolder()
    file = StateFile(home: folder.url.path, name: "me")
  }

  @Test func `the file is read back as written, and does not exist before`() throws {
    #expect(file.claim())
    #expect(try file.read() == nil)
    var state = NodeState()
    state.values = ["/live/gain=2"]
    try file.write(state.text)
    #expect(try file.read() == state)
    #expect(file.path == folder.path("state/me"))
  }

  @Test func `one node at a time owns the file`() throws {
    #expect(file.claim())
    #expect(file.claim())
    #expect(!StateFile(home: folder.url.path, name: "me").claim())
    #expect(StateFile(home: folder.url.path, name: "you").claim())
  }

  @Test func `temporary files of a killed node are removed, and no others`() throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("state"), withIntermediateDirectories: true)
    for name in ["me.123.part", "you.123.part", "me", "me.too.123.part", "me..part"] {
      try Data("x".utf8).write(to: folder.url.appendingPathComponent("state/\(name)"))
    }
    #expect(file.claim())
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("state"))
    #expect(
      left.filter { !$0.hasPrefix(".") }.sorted() == [
        "me", "me..part", "me.too.123.part", "you.123.part",
      ])
  }

  @Test func `an unreadable file is set aside, replacing the previous one`() throws {
    #expect(file.claim())
    let bad = file.path + ".bad"
    for text in ["one", "two"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
      #expect(throws: NodeState.Fault.self) { try file.read() }
      #expect(file.setAside())
      #expect(try String(contentsOfFile: bad, encoding: .utf8) == text)
      #expect(try file.read() == nil)
    }
    #expect(!file.setAside())
  }

  @Test func `a file that could not be claimed is claimed on write, unless another node did`()
    throws
  {
    let place = folder.url.appendingPathComponent("state")
    try Data().write(to: place)
    let other = StateFile(home: folder.url.path, name: "me")
    #expect(file.claim() && other.claim())
    #expect(throws: Refusal.self) { try file.write("") }
    try FileManager.default.removeItem(at: place)
    try file.write("mine")
    #expect(throws: Refusal.self) { try other.write("yours") }
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "mine")
  }

  @Test(arguments: ["folder", "empty", "bytes", "large", "cut"])
  func `an invalid file is reported`(kind: String) throws {
    #expect(file.claim())
    let url = URL(fileURLWithPath: file.path)
    switch kind {
    case "folder":
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    case "empty": try Data().write(to: url)
    case "bytes":
      try Data("syrinx state 1\n\u{FF}".utf16.map { UInt8(truncatingIfNeeded: $0) })
        .write(to: url)
    case "large": try Data(repeating: 10, count: 2 << 20).write(to: url)
    default: try Data("syrinx state 1\n/live/gain=3\n".utf8).write(to: url)
    }
    #expect(throws: NodeState.Fault.self) { try file.read() }
  }

  @Test func `a file that can't exist is claimed by everyone`() throws {
    try Data().write(to: folder.url.appendingPathComponent("state"))
    #expect(file.claim())
    #expect(try file.read() == nil)
    #expect(throws: Refusal.self) { try file.write("") }
  }
}

@Suite struct StateTests {
  /// A value other than the initial one.
  private static func another(_ address: Address) -> Argument? {
    guard let initial = address.initial, let form = address.forms.first else { return nil }
    if let words = address.words { return .string(words[initial == 0 ? 1 : 0]) }
    let (least, greatest) = address.range
    return form.kind == .whole
      ? .int32(Int32(initial == greatest ? least : greatest))
      : .float(initial == greatest ? least : (initial + greatest) / 2)
  }

  @Test func `every value is restored, except those of the library and momentary ones`()
    throws
  {
    let desk = Desk()
    var values: [(Address, Argument)] = []
    for address in desk.node.table.addresses {
      guard let value = Self.another(address) else { continue }
      desk.tell(address.path, value)
      values.append((address, value))
    }
    desk.pass()
    let other = Desk()
    let text = desk.node.keeper.state.text
    #expect(other.node.keeper.resume(try NodeState(text)).isEmpty)
    _ = other.host.render(Tone.constant(0, frames: 64), block: 64)
    #expect(values.count > 50)
    for (address, value) in values {
      let found = other.tell(address.path).first?.arguments.first
      let isBack = address.kept?.place == .session
      #expect((found == value) == isBack, "\(address.path)")
    }
    #expect(values.filter { $0.0.kept == nil }.map(\.0.path) == ["/live/off", "/echo/hold"])
    // It is in effect, since the same state is written again.
    other.pass()
    #expect(other.node.keeper.state.text == text)
  }

  @Test func `a value with several names is written under the first, and read under each`() throws {
    let desk = Desk()
    desk.tell("/loop/1/gain", .float(-4))
    desk.tell("/loop/1/source", .string("grid"))
    let written = desk.node.keeper.state.values
    #expect(written.contains("/loop/gain=-4") && written.contains("/player/source=grid"))
    #expect(!written.contains { $0.hasPrefix("/loop/1/gain=") || $0.hasPrefix("/loop/selected/") })
    #expect(written.contains { $0.hasPrefix("/loop/1/pan=") })
    for path in ["/loop/gain", "/loop/1/gain"] {
      var state = NodeState()
      state.values = ["\(path)=-7"]
      let other = Desk()
      #expect(other.node.keeper.resume(state).isEmpty)
      #expect(other.tell("/loop/1/gain").first?.arguments == [.float(-7)])
      #expect(other.tell("/loop/gain").first?.arguments == [.float(-7)])
    }
  }

  @Test func `the name of the preset is restored without loading the preset`() throws {
    let desk = Desk()
    var state = NodeState()
    state.values = ["/preset=gone since", "/pitch/semitones=5"]
    #expect(desk.node.keeper.resume(state).isEmpty)
    #expect(desk.tell("/preset") == [Received("/preset", [.string("gone since")])])
    #expect(desk.tell("/pitch/semitones") == [Received("/pitch/semitones", [.float(5)])])
    #expect(desk.node.keeper.state.values.contains("/preset=gone since"))
  }

  @Test(arguments: [
    "/live/gain=99", "/live/gain=loud", "/live/gain=nan", "/live/gain", "/no/such=1", "garbage",
    "/capture/on=1", "/quit=1", "/echo/hold=1", "/player/record=1", "/player/position=3", "",
  ])
  func `an invalid value is one line, and the others are restored`(line: String) {
    let desk = Desk()
    var state = NodeState()
    state.values = ["/in/gain=-3", line, "/out/gain=-6"]
    #expect(desk.node.keeper.resume(state).count == 1)
    #expect(desk.tell("/in/gain") == [Received("/in/gain", [.float(-3)])])
    #expect(desk.tell("/out/gain") == [Received("/out/gain", [.float(-6)])])
    #expect(desk.tell("/live/gain") == [Received("/live/gain", [.float(0)])])
    #expect(!desk.node.isQuitting)
  }

  @Test func `the role of timebase master is requested again when the server responds`() {
    let desk = Desk()
    var state = NodeState()
    state.values = ["/transport/lead=1"]
    #expect(desk.node.keeper.resume(state).isEmpty)
    #expect(desk.lead == .no)
    desk.node[Tempo.self].resumeLeading()
    #expect(desk.lead == .asked)
    desk.lead = .yes
    desk.pass()
    #expect(desk.node.keeper.state.values.contains("/transport/lead=1"))
    // Another program has taken the role.
    desk.lead = .no
    desk.pass()
    #expect(desk.node.keeper.state.values.contains("/transport/lead=0"))
  }

  @Test func `the role of timebase master carries over between sessions that want it`() {
    let desk = Desk()
    var state = NodeState()
    state.values = ["/transport/lead=1"]
    desk.node.keeper.beginSession()
    #expect(desk.node.keeper.resumeSession(state).isEmpty)
    desk.node[Tempo.self].resumeLeading()
    desk.lead = .yes
    desk.pass()
    desk.node.keeper.beginSession()
    #expect(desk.node.keeper.resumeSession(state).isEmpty)
    // Another JACK client, without a request yet.
    desk.lead = .no
    desk.pass()
    #expect(desk.node.keeper.sessionState.values.contains("/transport/lead=1"))
    desk.node[Tempo.self].resumeLeading()
    #expect(desk.lead == .asked)
  }

  @Test func `a node denied the role of timebase master gives it up`() {
    let desk = Desk()
    var state = NodeState()
    state.values = ["/transport/lead=1"]
    #expect(desk.node.keeper.resume(state).isEmpty)
    desk.node[Tempo.self].resumeLeading()
    // The server replies before the poll.
    desk.lead = .denied
    desk.pass()
    #expect(desk.node.keeper.state.values.contains("/transport/lead=0"))
  }
}

/// Writes of the state.
@Suite final class StateDeskTests {
  private let folder: TemporaryFolder
  private let desk = Desk()
  private let file: StateFile
  private var said: [String] = []

  init() throws {
    folder = try TemporaryFolder()
    file = StateFile(home: folder.url.path, name: "desk")
  }

  private func begin() {
    #expect(file.claim())
    desk.node.keeper.keepState(in: file, holding: nil) { [unowned self] in said.append($0) }
  }

  private var kept: [String]? { try? file.read()?.values }

  /// Runs the clock, and waits for the disk.
  private func pass(_ seconds: Double) {
    for _ in 0..<Int(seconds / 0.01 + 0.5) { desk.pass(seconds: 0.01) }
    desk.awaitWriting()
  }

  @Test func `a change is written within a quarter of a second, with those after it`() {
    begin()
    desk.tell("/live/gain", .float(-1))
    pass(0.1)
    #expect(kept == nil)
    desk.tell("/live/gain", .float(-2))
    pass(0.16)
    #expect(kept?.contains("/live/gain=-2") == true)
  }

  @Test func `while a fader moves the state is written four times per second`() throws {
    begin()
    var files: Set<Int> = []
    for step in 0..<100 {
      desk.tell("/live/gain", .float(-Float(step) / 10))
      pass(0.01)
      let status = try? FileManager.default.attributesOfItem(atPath: file.path)
      if let number = status?[.systemFileNumber] as? Int { files.insert(number) }
    }
    // Each write makes another file. An inode can be reused once its file is gone.
    #expect((2...4).contains(files.count))
  }

  @Test func `continuous changes are written less often, and finish within two seconds`() throws {
    begin()
    var files: Set<Int> = []
    var last = 0
    for step in 0..<1000 {
      desk.tell("/live/gain", .float(-Float(step) / 100))
      pass(0.01)
      let status = try? FileManager.default.attributesOfItem(atPath: file.path)
      guard let number = status?[.systemFileNumber] as? Int, number != last else { continue }
      last = number
      files.insert(step)
    }
    // Nine in a little over two seconds, and then at most five.
    #expect((5...14).contains(files.count))
    pass(1.8)
    #expect(kept?.contains("/live/gain=-9.99") == true)
    // A single change again.
    pass(1)
    desk.tell("/live/gain", .float(-1))
    pass(0.26)
    #expect(kept?.contains("/live/gain=-1") == true)
  }

  @Test func `a discarded state is overwritten immediately`() {
    #expect(file.claim())
    desk.node.keeper.keepState(in: file, holding: nil, forgetsFormer: true) { _ in }
    pass(0)
    #expect(kept?.contains("/live/gain=0") == true)
  }

  @Test func `an unchanged state is not written again`() throws {
    begin()
    desk.tell("/live/gain", .float(-2))
    pass(0.3)
    try FileManager.default.removeItem(atPath: file.path)
    desk.tell("/live/gain", .float(-3))
    desk.tell("/live/gain", .float(-2))
    pass(0.3)
    #expect(kept == nil)
    desk.tell("/live/gain", .float(-3))
    pass(0.3)
    #expect(kept?.contains("/live/gain=-3") == true)
  }

  @Test func `at exit the state is written immediately`() {
    begin()
    desk.tell("/live/gain", .float(-1))
    desk.node.keeper.saveState()
    pass(0)
    #expect(kept?.contains("/live/gain=-1") == true)
  }

  @Test func `connections are part of the state`() throws {
    begin()
    let link = SoundConnection(own: "in_1", other: "system:capture_1")
    desk.node.keeper.connections = [link]
    pass(0.3)
    #expect(try file.read()?.connections == [link])
    #expect(try file.read()?.connectedPorts == ["in_1"])
    desk.node.keeper.connections = []
    pass(0.3)
    #expect(try file.read()?.connections.isEmpty == true)
    // Disconnected by a user.
    #expect(try file.read()?.connectedPorts == ["in_1"])
  }

  @Test func `a full disk is reported once, and retried`() throws {
    // Root may write anywhere, but not to a file used as a folder.
    let place = folder.url.appendingPathComponent("state")
    try Data().write(to: place)
    begin()
    let client = Desk.client(9001)
    desk.tell("/subscribe", .string("/error"), as: client)
    _ = desk.take(client)
    for step in 1...3 {
      desk.tell("/live/gain", .float(-Float(step)))
      pass(0.3)
    }
    #expect(said.count == 1 && said[0].contains("the state is not saved"))
    let told = desk.take(client)
    #expect(told.map(\.address) == ["/error"] && told[0].arguments[1] == .string("io"))
    try FileManager.default.removeItem(at: place)
    desk.tell("/live/gain", .float(-4))
    pass(0.3)
    #expect(kept?.contains("/live/gain=-4") == true)
    #expect(said.count == 1)
    try FileManager.default.removeItem(at: place)
    try Data().write(to: place)
    desk.tell("/live/gain", .float(-5))
    pass(0.3)
    #expect(said.count == 2)
  }

  @Test
  func `a state refused by a full disk is written when there is room, without another change`()
    throws
  {
    let place = folder.url.appendingPathComponent("state")
    try Data().write(to: place)
    begin()
    desk.tell("/live/gain", .float(-3))
    pass(0.3)
    #expect(said.count == 1)
    // More than one attempt fails.
    pass(5)
    #expect(said.count == 1)
    try FileManager.default.removeItem(at: place)
    pass(2.5)
    #expect(kept?.contains("/live/gain=-3") == true)
    #expect(said.count == 1)
  }
}

/// Sessions, whose state is stored by their manager.
@Suite final class SessionStateTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func change(_ desk: Desk) {
    desk.tell("/live/gain", .float(-5))
    desk.tell("/grid/sustain", .int32(1))
    desk.tell("/grid/root", .string("D"))
    desk.tell("/scale/user", .string("mine"), .int32(0), .int32(3), .int32(7))
    desk.tell("/grid/scale", .string("mine"))
    desk.tell("/grid/reference", .float(441.5))
    desk.tell("/piano/octave", .int32(2))
    desk.tell("/location", .float(52.5), .float(13.25))
    desk.tell("/settings/autoplay", .int32(1))
    desk.tell("/midi/learn", .string("/echo/mix"), .int32(7))
    desk.pass()
    _ = desk.take()
  }

  private static let asked = [
    "/live/gain", "/grid/sustain", "/grid/root", "/scale/user", "/grid/scale", "/grid/reference",
    "/piano/octave", "/location", "/settings/autoplay", "/midi/bindings",
  ]

  private func values(_ desk: Desk) -> [Received] {
    desk.pass()
    _ = desk.take()
    // NaN is not equal to itself.
    return Self.asked.flatMap { desk.tell($0) }.map { message in
      Received(
        message.address,
        message.arguments.map { $0.number?.isNaN == true ? .string("none") : $0 })
    }
  }

  @Test func `a session has its own settings, and another session none of them`() throws {
    let desk = Desk(home: folder.path("home"))
    let initial = values(desk)
    desk.node.keeper.beginSession()
    #expect(values(desk) == initial)
    change(desk)
    let changed = values(desk)
    #expect(zip(changed, initial).allSatisfy { $0 != $1 })
    let text = desk.node.keeper.sessionState.text
    desk.node.keeper.beginSession()
    #expect(values(desk) == initial)
    #expect(desk.node.keeper.resumeSession(try NodeState(text)).isEmpty)
    #expect(values(desk) == changed)
    #expect(desk.node.keeper.sessionState.text == text)
  }

  @Test func `session settings are not persisted outside it`() throws {
    let desk = Desk(home: folder.path("home"))
    let initial = values(desk)
    desk.node[Takes.self].open { _ in }
    desk.node.keeper.beginSession()
    change(desk)
    desk.awaitDisk()
    let next = Desk(home: folder.path("home"))
    next.node[Takes.self].open { _ in }
    next.awaitDisk()
    #expect(values(next) == initial)
  }

  @Test func `a value set before the library opens wins, even before the audio thread has it`()
    throws
  {
    let first = Desk(home: folder.path("home"))
    first.node[Takes.self].open { _ in }
    first.tell("/midi/bend", .float(7))
    first.awaitDisk()
    let desk = Desk(home: folder.path("home"))
    try desk.node.set("/midi/bend=12")
    desk.node[Takes.self].open { _ in }
    // No audio yet, so no command is reported applied.
    desk.wait(until: "the library is open") {
      _ = desk.node.tick()
      return !desk.node.keeper.isOpening
    }
    desk.awaitDisk()
    #expect(desk.tell("/midi/bend").first?.arguments[0].number == 12)
  }

  @Test
  func `a continuously changing setting is written a few times per second, and its last value`()
    throws
  {
    let desk = Desk(home: folder.path("home"))
    desk.node[Takes.self].open { _ in }
    var most = 0
    for step in 1...1000 {
      desk.tell("/midi/bend", .float(Float(step) / 100))
      desk.pass(seconds: 0.001)
      most = max(most, try desk.node.features[Takes.self].library().lists.count)
    }
    // One write of settings, and the requests when the library opens.
    #expect(most <= 3)
    desk.node.keeper.saveState()
    desk.awaitWriting()
    let next = Desk(home: folder.path("home"))
    next.node[Takes.self].open { _ in }
    next.awaitDisk()
    next.pass()
    #expect(next.tell("/midi/bend").first?.arguments[0].number == 10)
  }

  @Test func `scheduled commands are dropped when another session opens`() {
    let desk = Desk()
    desk.pass()
    let now = desk.node.context.engine.shared.clockReading.microseconds
    try? desk.node.perform("/live/gain", [.float(-9)], at: now + 2e6)
    desk.node.keeper.beginSession()
    desk.pass(frames: 48_000 * 3)
    #expect(desk.tell("/live/gain").first?.arguments == [.float(0)])
  }

  @Test func `takes of a session are in its own folder`() throws {
    let desk = Desk(home: folder.path("home"))
    desk.node.keeper.beginSession()
    desk.node.moveTakes(to: folder.path("session")) { _ in }
    desk.tell("/capture/on", .int32(1))
    desk.pass(frames: 4800)
    desk.tell("/capture/on", .int32(0))
    desk.awaitDisk()
    #expect(FileManager.default.fileExists(atPath: folder.path("session/takes")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("home/takes")))
  }
}
