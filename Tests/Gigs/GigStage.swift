import Control
import DSP
import Engine
import Foundation
import Howl
import OSC
import Posix
import TestSupport

/// A node in simulated time: the gig provides its clock, sound server, disk and client.
final class GigStage: Outlet, SoundServer, @unchecked Sendable {
  /// The node's faults so far.
  private(set) var faults: [String] = []
  /// The seconds of audio rendered so far.
  private(set) var played = 0.0
  /// The sample rate of the server, in Hz.
  private(set) var rate = 48_000
  /// The data directory.
  private(set) var home: String
  /// What the node said as it opened its data, at the last start.
  private(set) var said: [String] = []
  /// The messages to the client since the last `take`.
  private var received: [Received] = []
  /// The last seconds of the input.
  private(set) var heard = SoundPast()

  private let root: TemporaryFolder
  private let setup = LoopSetup(count: 4, seconds: 10, keptSeconds: 20)
  private(set) var node: Node!
  private var host: OfflineHost!
  private var block = 256
  private var seconds = 1000.0
  private var homes = 1
  private var isServerRunning = true
  private var portChanges = 0
  private var lead = TransportLead.no
  private var sounding: Set<[UInt8]> = []
  private var noise: UInt64
  private let client = Client(
    endpoint: Endpoint(address: .loopback4, port: 9000), transport: .datagrams(socket: 0))

  init(seed: Int) throws {
    root = try TemporaryFolder()
    home = root.path("home-1")
    noise = UInt64(seed) | 1
    try Files.makeFolder(home)
    try begin()
  }

  // MARK: - The node

  private func begin() throws {
    let engine = Engine(sampleRate: Double(rate), loops: setup)
    node = Node(
      name: "gig", engine: engine, soundServer: self, table: AddressTable(loops: setup), home: home
    ) { [unowned self] in seconds * 1e6 }
    said = []
    let say = { [unowned self] (line: String) in said.append(line) }
    let file = StateFile(home: home, name: "gig")
    guard file.claim() else { throw Fault("the state of \(home) is in use") }
    let saved = try file.read()
    if let saved { _ = node.keeper.resume(saved) }
    node[LoopPersistence.self].open(home: home, name: "gig", discarding: false, say)
    node[Takes.self].open(say)
    node[Instruments.self].open(say)
    node.keeper.keepState(in: file, holding: saved, forgetsFormer: false, say)
    host = OfflineHost(takingOver: engine, sampleRate: Double(rate))
    node.connect(to: self)
    sounding = []
  }

  /// Ends the node's threads, and leaves the engine without a driver, so that nothing reads what the node
  /// frees.
  private func end() throws {
    node[LoopPersistence.self].close()
    try waitUntil("the node has written all") {
      _ = node.tick()
      return !node.isWriting
    }
    _ = host.engine.takeOver(sampleRate: Double(rate))
    host = nil
    node = nil
  }

  /// Ends the node, and deletes the files of the gig.
  func leave() {
    try? end()
    try? FileManager.default.removeItem(at: root.url)
  }

  /// Ends the node as `/quit` does, and starts another one with its data.
  func restart() throws {
    node.keeper.saveState()
    node.endRequests()
    node[Captures.self].end()
    try end()
    try begin()
  }

  /// Starts a node with the data on disk at this moment, as after `kill -9`.
  func kill() throws {
    homes += 1
    let (former, copy) = (home, root.path("home-\(homes)"))
    try copyHome(to: copy)
    try end()
    try? FileManager.default.removeItem(atPath: former)
    home = copy
    try begin()
  }

  // Retries, because a compaction that ends meanwhile replaces a file.
  private func copyHome(to copy: String) throws {
    for _ in 0..<10 {
      do {
        return try FileManager.default.copyItem(atPath: home, toPath: copy)
      } catch CocoaError.fileNoSuchFile, CocoaError.fileReadNoSuchFile {
        try? FileManager.default.removeItem(atPath: copy)
      }
    }
    throw Fault("\(home) can't be copied")
  }

  /// Waits until the node has finished reading, copying and writing.
  func awaitIdle() {
    // A running capture or session counts as a write that never ends.
    tell("/capture/on", .int32(0))
    tell("/session/record", .int32(0))
    var (waited, idle) = (0, 0)
    // A loop set loads in several transfers, with idle polls between them.
    while idle < 5 {
      idle = node.isWriting || node.keeper.isOpening ? 0 : idle + 1
      waited += 1
      guard waited < 20_000 else {
        return fail("these have not written in 200 s: \(node.writers)")
      }
      run(frames: 480)
      if idle == 0 { usleep(1000) }
    }
  }

  /// Waits until all writes are on disk; the disk runs in real time, not in simulated time.
  func awaitDisk() throws {
    awaitIdle()
    let loops = node[LoopPersistence.self]
    // A loop left overdubbing by chance never stops writing; all memory is written within five seconds.
    var (steps, idle, written) = (0, 0, loops.bytesWritten)
    while steps < 60, idle < 8 {
      run(frames: rate / 12)
      // The pass under way may have missed them.
      let wanted = (loops.writePasses ?? 0) + 2
      try waitUntil("the loops are written", every: 0.001) {
        loops.requestWritePass()
        return loops.writePasses.map { $0 >= wanted } ?? true
      }
      steps += 1
      idle = loops.bytesWritten == written ? idle + 1 : 0
      written = loops.bytesWritten
    }
  }

  // MARK: - The sound server

  var status: SoundServerStatus {
    var status = SoundServerStatus()
    status.isRunning = isServerRunning
    status.rate = rate
    status.block = block
    status.lead = lead
    status.portChanges = portChanges
    return status
  }

  var ports: [SoundPort] { [] }

  func leadTransport(_ leads: Bool) { lead = leads ? .asked : .no }

  /// Kills the server, and restarts it with another rate and buffer size.
  ///
  /// The node's own clock runs meanwhile.
  func loseServer(for gone: Double, rate newRate: Int, block newBlock: Int) {
    isServerRunning = false
    portChanges += 1
    let pause = 0.004
    host = OfflineHost(takingOver: host, sampleRate: Double(rate), after: pause)
    advance(pause)
    let frames = Int(gone * Double(rate))
    var done = 0
    while done < frames {
      let count = min(240, frames - done)
      _ = host.render(Tone.constant(0, frames: count), block: count)
      advance(Double(count) / Double(rate))
      _ = node.tick()
      done += count
    }
    host = OfflineHost(takingOver: host, sampleRate: Double(newRate), after: pause)
    advance(pause)
    (rate, block) = (newRate, newBlock)
    isServerRunning = true
    portChanges += 1
    heard = SoundPast()
    _ = node.tick()
  }

  /// Whether the stems and the click are connected, besides the main ports.
  var areStemsConnected = true {
    didSet { host.use = areStemsConnected ? .all : .main }
  }

  /// Loses frames, as in an xrun.
  func lose(frames: Int) {
    host.lose(frames: UInt32(frames))
    advance(Double(frames) / Double(rate))
    heard = SoundPast()
  }

  private func advance(_ seconds: Double) {
    self.seconds += seconds
    played += seconds
  }

  // MARK: - Playing

  /// Plays noise into the node for a number of frames, and returns what it plays.
  ///
  /// Checks that all output is finite and at most at full scale.
  @discardableResult
  func run(frames: Int, silent: Bool = false) -> OfflineHost.Output {
    var all = OfflineHost.Output()
    all.loops = Array(repeating: [], count: setup.count)
    var done = 0
    while done < frames {
      let count = min(max(block, 512), frames - done)
      let input = silent ? Tone.constant(0, frames: count) : nextNoise(count)
      heard.append(input)
      let output = host.render(input, block: block)
      advance(Double(count) / Double(rate))
      _ = node.tick()
      check(output)
      all.left += output.left
      all.right += output.right
      for index in 0..<setup.count { all.loops[index] += output.loops[index] }
      done += count
    }
    return all
  }

  private func nextNoise(_ count: Int) -> [Float] {
    var samples = Tone.constant(0, frames: count)
    for index in 0..<count {
      noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      samples[index] = 0.25 * (Float(noise >> 40) / Float(1 << 23) - 1)
    }
    return samples
  }

  private func check(_ output: OfflineHost.Output) {
    for side in [output.left, output.right] {
      var peak: Float = 0
      var sum: Float = 0
      for sample in side {
        peak = max(peak, abs(sample))
        sum += sample * 0
      }
      if peak > 1 { fail("the output is \(peak), louder than full scale") }
      if sum.isNaN { fail("the output is not finite") }
    }
    for (index, stem) in output.loops.enumerated() where areStemsConnected {
      var sum: Float = 0
      for sample in stem { sum += sample * 0 }
      if sum.isNaN { fail("loop \(index + 1) is not finite") }
    }
    if isLogged {
      for message in output.midi { log("  < MIDI \(message.bytes)") }
    }
    // Pedal LEDs are notes, too.
    for message in output.midi where message.bytes.count == 3 && !pedals.contains(message.bytes[1])
    {
      let key = [message.bytes[0] & 0x0F, message.bytes[1]]
      switch (message.bytes[0] & 0xF0, message.bytes[2]) {
      case (0x90, 1...): sounding.insert(key)
      case (0x80, _), (0x90, 0): sounding.remove(key)
      case (0xB0, _) where message.bytes[1] >= 120:
        sounding = sounding.filter { $0[0] != key[0] }
      default: break
      }
    }
  }

  /// The number of notes held by receivers of the node's MIDI.
  var notesHeld: Int { sounding.count }

  /// Records a fault with the time of the gig.
  func fail(_ what: String) {
    faults.append("at \(plain(played)) s: \(what)")
  }

  // MARK: - Messages

  func send(_ packet: [UInt8], to client: Client) {
    let messages = packet.withUnsafeBytes(Received.all(in:))
    if isLogged { for message in messages { log("  < \(message)") } }
    received += messages
  }

  /// Plays a MIDI message in the next buffer.
  func play(midi bytes: [UInt8]) {
    if isLogged { log("MIDI \(bytes)") }
    host.midi.append((host.frame, bytes))
  }

  /// The notes of the mapped pedals.
  let pedals: ClosedRange<UInt8> = 40...42

  /// Releases everything that a foot may hold: while one pedal is held, the others are ignored.
  func releasePedals() {
    for key in pedals { play(midi: [0x80, key, 0]) }
    play(midi: [0xB0, 64, 0])
    tell("/loop/*/pedal", .float(0))
    run(frames: 480)
  }

  /// Sends a packet.
  func give(_ packet: [UInt8]) {
    if isLogged {
      for message in packet.withUnsafeBytes(Received.all(in:)) { log("\(message)") }
    }
    packet.withUnsafeBytes { node.receive($0, from: client) }
  }

  private let isLogged = ProcessInfo.processInfo.environment["GIGS_LOG"] != nil

  private func log(_ line: String) {
    FileHandle.standardError.write(Data("\(Int(played * 1000)) ms \(line)\n".utf8))
  }

  /// Sends a message.
  func tell(_ path: String, _ arguments: Argument...) {
    give([UInt8](address: path, arguments))
  }

  /// Returns and clears the messages that the client received.
  func take() -> [Received] {
    defer { received = [] }
    return received
  }

  /// The value of an address.
  func value(_ path: String) -> [Argument] {
    _ = take()
    tell(path)
    return take().first { $0.address == path }?.arguments ?? []
  }

  /// The state of a loop.
  func loop(_ index: Int) -> PublishedLoop.Reading { host.engine.shared.loops[index].state.read() }

  /// The number of loops.
  var loopCount: Int { setup.count }

  /// Sends messages, and runs until the node has processed them.
  func sync() {
    _ = take()
    tell("/sync", .int32(7))
    for _ in 0..<400 {
      run(frames: 480)
      if take().contains(where: { $0.address == "/synced" }) { return }
    }
    fail("/sync got no reply within 4 s")
  }
}
