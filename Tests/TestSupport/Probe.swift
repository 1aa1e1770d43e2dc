internal import CJack
internal import Drivers
internal import Foundation

/// A pair of JACK clients: a player into the node, and a recorder of its output.
///
/// Two, because a single one would close a loop with the node, which JACK opens with a delay.
package final class Probe: ServerClient, @unchecked Sendable {
  /// Called in the recorder's callback with each block: the frame of its first sample, and the
  /// samples.
  package typealias Listener = (_ frame: UInt32, _ samples: UnsafeBufferPointer<Float>) -> Void

  /// A recording.
  ///
  /// `gaps` counts the discontinuities of the server's frame count in it: buffers that the recorder
  /// missed or received twice. A synchronous server has none, unless one of its clients is stopped
  /// or killed.
  package typealias Recording = (start: UInt32, samples: [Float], gaps: Int)

  private let player: OpaquePointer
  private let hearer: OpaquePointer
  // Separate from this object, because a callback may hold the last reference to it: then it would
  // close its own client from its own thread.
  private let callbacks: ProbeCallbacks

  /// Joins a server.
  ///
  /// `plays` returns the sample for each frame.
  package init(
    server: String, playerName: String = "player", hearerName: String = "hearer",
    capturedDelay: UInt32 = 0,
    plays: @escaping (UInt32) -> Float = { _ in 0 }
  ) throws {
    func open(_ name: String) throws -> OpaquePointer {
      var status = JackStatus(rawValue: 0)
      guard let client = nj_client_open(name, JackNoStartServer, &status, server) else {
        throw Fault("the probe can't join \(server)")
      }
      return client
    }
    player = try open(playerName)
    hearer = try open(hearerName)
    callbacks = ProbeCallbacks(
      player: player, hearer: hearer, capturedDelay: capturedDelay, plays: plays)
    callbacks.install()
    jack_activate(player)
    jack_activate(hearer)
    ServerClients.add(self, of: server)
  }

  deinit { close() }

  private var isClosed = false

  /// Leaves the server.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    callbacks.end()
    jack_client_close(hearer)
    jack_client_close(player)
  }

  /// Calls `listener` with each block from now on.
  package func listen(_ listener: Listener?) {
    callbacks.listen(listener)
  }

  /// The number of frames received so far.
  package var heardFrames: Int { callbacks.heardFrames }

  /// Waits for a duration of sound, counted in frames.
  package func pass(
    seconds: Double, file: String = #fileID, line: Int = #line, _ reason: StaticString
  ) throws {
    try pass(frames: frames(seconds), file: file, line: line)
  }

  private func frames(_ seconds: Double) -> Int {
    Int(seconds * Double(jack_get_sample_rate(hearer)))
  }

  // The server has the time limit of a wait for as many.
  private static let step = 4800

  private func pass(frames: Int, file: String, line: Int) throws {
    let end = callbacks.heardFrames + frames
    // A busy server can take any time, but it goes on.
    while case let next = min(end, callbacks.heardFrames + Self.step), callbacks.heardFrames < end {
      try waitUntil("\(frames) frames are received", file: file, line: line) {
        callbacks.heardFrames >= next
      }
    }
  }

  // The frames recorded before and after a body.
  private static let margin = 2400

  /// Records while a body runs, with a margin before and after.
  package func record(
    file: String = #fileID, line: Int = #line, _ body: () throws -> Void
  ) throws -> Recording {
    callbacks.beginRecording()
    try pass(frames: Self.margin, file: file, line: line)
    try body()
    try pass(frames: Self.margin, file: file, line: line)
    return callbacks.endRecording()
  }

  /// Records seconds of sound, counted in frames, with a margin before and after.
  package func record(
    seconds: Double, file: String = #fileID, line: Int = #line
  ) throws -> Recording {
    try record(file: file, line: line) {
      try pass(frames: frames(seconds), file: file, line: line)
    }
  }

  /// Records seconds of sound, after transients have decayed; throws if a buffer is missing.
  package func unbroken(
    seconds: Double, file: String = #fileID, line: Int = #line
  ) throws -> [Float] {
    let heard = try record(seconds: Self.leadSeconds + seconds, file: file, line: line)
    guard heard.gaps == 0 else { throw Fault("\(file):\(line): \(heard.gaps) buffers are missing") }
    return Array(heard.samples.suffix(frames(seconds)))
  }

  // Longer than the memory of any engine.
  private static let leadSeconds = 0.35

  /// Records at least this many frames, with a margin before and after.
  package func record(
    frames: Int, file: String = #fileID, line: Int = #line
  ) throws -> Recording {
    try record(file: file, line: line) { try pass(frames: frames, file: file, line: line) }
  }

  /// Waits for a new block that satisfies a condition.
  package func awaitBlock(
    _ what: String, seconds: Double = waitLimit, file: String = #fileID, line: Int = #line,
    _ isSo: ([Float]) -> Bool
  ) throws {
    callbacks.forgetLatest()
    try waitUntil("a block comes in which \(what)", seconds: seconds, file: file, line: line) {
      let block = callbacks.latest.samples
      return !block.isEmpty && isSo(block)
    }
  }

  /// Waits until new output equals the player's signal, sample by sample.
  package func awaitPassage(file: String = #fileID, line: Int = #line) throws {
    callbacks.forgetLatest()
    try waitUntil("the output equals the input", file: file, line: line) {
      let (start, samples) = callbacks.latest
      return !samples.isEmpty
        && samples.indices.allSatisfy { samples[$0] == callbacks.signal(start &+ UInt32($0)) }
    }
  }

  /// Connects the player to the node's inputs, and one of the node's outputs to the recorder.
  package func connect(to node: String, output: String = "out_1") throws {
    for (ours, theirs) in [("left", "in_1"), ("right", "in_2")] {
      let result = jack_connect(player, "player:\(ours)", "\(node):\(theirs)")
      guard result == 0 || result == EEXIST else { throw Fault("can't connect \(theirs)") }
    }
    try hear("\(node):\(output)")
  }

  /// Connects an output to the recorder.
  package func hear(_ output: String) throws {
    try connect(output, String(cString: jack_get_client_name(hearer)) + ":in")
  }

  /// Connects two ports, as a user would.
  package func connect(_ from: String, _ to: String) throws {
    let result = jack_connect(hearer, from, to)
    guard result == 0 || result == EEXIST else { throw Fault("can't connect \(from) to \(to)") }
  }

  /// Disconnects two ports, as a user would.
  ///
  /// Returns false if they are not connected.
  package func disconnect(_ from: String, _ to: String) -> Bool {
    jack_disconnect(hearer, from, to) == 0
  }

  /// Lists the connections of a port.
  package func connections(of port: String) -> [String] {
    guard let handle = jack_port_by_name(hearer, port) else { return [] }
    return copyNames(jack_port_get_all_connections(hearer, handle)).sorted()
  }

  /// Lists the ports of a client.
  package func ports(of client: String) -> [String] {
    copyNames(jack_get_ports(hearer, "^\(client):", nil, 0))
  }

  /// Returns the latency that a port reports, in frames: from the capture side, or to the playback
  /// side.
  package func latency(of port: String, isCapture: Bool) -> ClosedRange<Int>? {
    guard let handle = jack_port_by_name(hearer, port) else { return nil }
    var range = jack_latency_range_t()
    jack_port_get_latency_range(
      handle, isCapture ? JackCaptureLatency : JackPlaybackLatency, &range)
    return Int(range.min)...Int(range.max)
  }

  /// Reads a property of a port from the server's metadata.
  package func property(_ key: String, of port: String) -> String? {
    guard let handle = jack_port_by_name(hearer, port) else { return nil }
    var value: UnsafeMutablePointer<CChar>?
    var type: UnsafeMutablePointer<CChar>?
    guard
      jack_get_property(
        jack_port_uuid(handle), "http://jackaudio.org/metadata/\(key)", &value, &type) == 0,
      let value
    else { return nil }
    defer {
      jack_free(value)
      if let type { jack_free(type) }
    }
    return String(cString: value)
  }

  /// Sets the server's buffer size, in frames.
  package func setBlock(_ frames: Int) { jack_set_buffer_size(hearer, UInt32(frames)) }

  /// Starts or stops freewheeling.
  package func setFreewheel(_ free: Bool) { jack_set_freewheel(hearer, free ? 1 : 0) }
}
