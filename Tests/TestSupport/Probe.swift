internal import CJack
internal import Foundation
internal import JackClient
internal import Synchronization

/// A pair of JACK clients: one plays into the node, the other records it.
///
/// Two, because one on both sides of the node would make a loop, which JACK opens with a delay.
package final class Probe: @unchecked Sendable {
  /// The callback of the hearing client, called with each block: the frame of its first sample, the
  /// samples, and whether the server runs free.
  package typealias Listener = (_ frame: UInt32, _ samples: UnsafeBufferPointer<Float>) -> Void

  private let player: OpaquePointer
  private let hearer: OpaquePointer
  private let playerPorts: [OpaquePointer]
  private let hearerPort: OpaquePointer
  // Written before activation, or under the lock.
  private let lock = NSLock()
  private var listener: Listener?
  private var signal: (UInt32) -> Float = { _ in 0 }
  private var recording: [Float] = []
  private var recordingStart: UInt32 = 0
  private var isRecording = false
  private var nextFrame: UInt32 = 0
  private var gapCount = 0

  /// The latency that the player's port reports, in frames.
  private let capturedDelay: UInt32

  /// Joins a server.
  ///
  /// `plays` gives the sample for each frame.
  package init(
    server: String, playerName: String = "player", capturedDelay: UInt32 = 0,
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
    hearer = try open("hearer")
    playerPorts = ["left", "right"].map { [player] (name: String) -> OpaquePointer in
      jack_port_register(player, name, JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsOutput.rawValue), 0)
    }
    hearerPort = jack_port_register(
      hearer, "in", JACK_DEFAULT_AUDIO_TYPE, UInt(JackPortIsInput.rawValue), 0)
    self.capturedDelay = capturedDelay
    signal = plays
    let context = Unmanaged.passUnretained(self).toOpaque()
    jack_set_process_callback(
      player,
      { frames, context in
        Unmanaged<Probe>.fromOpaque(context!).takeUnretainedValue().play(frames)
        return 0
      }, context)
    jack_set_process_callback(
      hearer,
      { frames, context in
        Unmanaged<Probe>.fromOpaque(context!).takeUnretainedValue().hear(frames)
        return 0
      }, context)
    jack_set_latency_callback(
      player,
      { mode, context in
        guard mode == JackCaptureLatency else { return }
        let probe = Unmanaged<Probe>.fromOpaque(context!).takeUnretainedValue()
        var range = jack_latency_range_t(min: probe.capturedDelay, max: probe.capturedDelay)
        for port in probe.playerPorts { jack_port_set_latency_range(port, mode, &range) }
      }, context)
    jack_activate(player)
    jack_activate(hearer)
  }

  deinit { close() }

  private var isClosed = false

  /// Leaves the server.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    jack_client_close(hearer)
    jack_client_close(player)
  }

  private func play(_ frames: UInt32) {
    let start = jack_last_frame_time(player)
    for port in playerPorts {
      let samples = jack_port_get_buffer(port, frames)!.assumingMemoryBound(to: Float.self)
      for index in 0..<frames { samples[Int(index)] = signal(start &+ index) }
    }
  }

  private func hear(_ frames: UInt32) {
    let start = jack_last_frame_time(hearer)
    let samples = UnsafeBufferPointer(
      start: jack_port_get_buffer(hearerPort, frames)!.assumingMemoryBound(to: Float.self),
      count: Int(frames))
    lock.lock()
    if isRecording {
      if recording.isEmpty { recordingStart = start } else if start != nextFrame { gapCount += 1 }
      recording += samples
      nextFrame = start &+ frames
    }
    let listener = listener
    lock.unlock()
    listener?(start, samples)
  }

  /// Calls `listener` with each block from now on.
  package func listen(_ listener: Listener?) {
    lock.withLock { self.listener = listener }
  }

  /// Records what is heard while a body runs, and a little before and after.
  ///
  /// `gaps` counts the blocks that the server lost meanwhile.
  package func record(
    _ body: () throws -> Void
  ) rethrows -> (start: UInt32, samples: [Float], gaps: Int) {
    lock.withLock {
      recording = []
      recording.reserveCapacity(48_000 * 20)
      gapCount = 0
      isRecording = true
    }
    usleep(50_000)
    try body()
    usleep(50_000)
    return lock.withLock {
      isRecording = false
      return (recordingStart, recording, gapCount)
    }
  }

  /// Connects the player with the node's inputs, and one of the node's outputs with the hearer.
  package func connect(to node: String, output: String = "out_1") throws {
    for (ours, theirs) in [("left", "in_1"), ("right", "in_2")] {
      let result = jack_connect(player, "player:\(ours)", "\(node):\(theirs)")
      guard result == 0 || result == EEXIST else { throw Fault("can't connect \(theirs)") }
    }
    let result = jack_connect(hearer, "\(node):\(output)", "hearer:in")
    guard result == 0 || result == EEXIST else { throw Fault("can't connect \(output)") }
  }

  /// Disconnects two ports, as a person would; false where they are not connected.
  package func disconnect(_ from: String, _ to: String) -> Bool {
    jack_disconnect(hearer, from, to) == 0
  }

  /// Lists the connections of a port.
  package func connections(of port: String) -> [String] {
    guard let handle = jack_port_by_name(hearer, port) else { return [] }
    return takeNames(jack_port_get_all_connections(hearer, handle)).sorted()
  }

  /// Lists the ports of a client.
  package func ports(of client: String) -> [String] {
    takeNames(jack_get_ports(hearer, "^\(client):", nil, 0))
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

  /// Sets the server's block, in frames.
  package func setBlock(_ frames: Int) { jack_set_buffer_size(hearer, UInt32(frames)) }

  /// Starts freewheeling, or ends it.
  package func setFreewheel(_ free: Bool) { jack_set_freewheel(hearer, free ? 1 : 0) }
}
