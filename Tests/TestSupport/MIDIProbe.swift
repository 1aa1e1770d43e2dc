internal import CJack
internal import Foundation

/// A JACK client that plays the node's MIDI input, and records its MIDI output.
package final class MIDIProbe: @unchecked Sendable {
  /// A MIDI message and the server's frame on which it was heard.
  package struct Heard: Equatable {
    /// The server's frame.
    package var frame: UInt32
    /// The bytes of the message.
    package var bytes: [UInt8]
  }

  private let client: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private let lock = NSLock()
  private var toPlay: [(frame: UInt32, bytes: [UInt8])] = []
  private var heard: [Heard] = []
  private var played: [UInt32] = []

  /// Joins a server.
  package init(server: String) throws {
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("keyboard", JackNoStartServer, &status, server) else {
      throw Fault("the keyboard can't join \(server)")
    }
    self.client = client
    input = jack_port_register(
      client, "in", JACK_DEFAULT_MIDI_TYPE, UInt(JackPortIsInput.rawValue), 0)
    output = jack_port_register(
      client, "out", JACK_DEFAULT_MIDI_TYPE, UInt(JackPortIsOutput.rawValue), 0)
    jack_set_process_callback(
      client,
      { frames, context in
        Unmanaged<MIDIProbe>.fromOpaque(context!).takeUnretainedValue().process(frames)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    jack_activate(client)
  }

  deinit { close() }

  private var isClosed = false

  /// Leaves the server.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    jack_client_close(client)
  }

  private func process(_ frames: UInt32) {
    let start = jack_last_frame_time(client)
    lock.lock()
    defer { lock.unlock() }
    look(start)
    let out = jack_port_get_buffer(output, frames)!
    jack_midi_clear_buffer(out)
    while let (frame, bytes) = toPlay.first, Int32(bitPattern: frame &- start) < Int32(frames) {
      toPlay.removeFirst()
      // What comes too late comes at once.
      let offset = UInt32(max(0, Int32(bitPattern: frame &- start)))
      guard let room = jack_midi_event_reserve(out, offset, bytes.count) else { continue }
      for (index, byte) in bytes.enumerated() { room[index] = byte }
      played.append(start &+ offset)
    }
    let source = jack_port_get_buffer(input, frames)!
    var event = jack_midi_event_t()
    for index in 0..<jack_midi_get_event_count(source) {
      guard jack_midi_event_get(&event, source, index) == 0, let data = event.buffer else {
        continue
      }
      heard.append(
        Heard(
          frame: start &+ event.time,
          bytes: Array(UnsafeBufferPointer(start: data, count: event.size))))
    }
  }

  /// The server's frame at about this moment.
  package var frame: UInt32 { jack_frame_time(client) }

  /// Plays a MIDI message on a frame, or at once.
  package func play(_ bytes: [UInt8], at frame: UInt32? = nil) {
    lock.withLock { toPlay.append((frame ?? jack_last_frame_time(client), bytes)) }
  }

  /// Takes the messages heard since the last call.
  package func take() -> [Heard] {
    lock.withLock {
      defer { heard = [] }
      return heard
    }
  }

  /// Takes the server's frames on which messages were played since the last call.
  package func takePlayed() -> [UInt32] {
    lock.withLock {
      defer { played = [] }
      return played
    }
  }

  /// Connects the probe with the node's MIDI input, or with its MIDI output.
  package func connect(to node: String, listening: Bool) throws {
    let result =
      listening
      ? jack_connect(client, "\(node):midi_out", "keyboard:in")
      : jack_connect(client, "keyboard:out", "\(node):midi_in")
    guard result == 0 || result == EEXIST else { throw Fault("can't connect MIDI") }
  }

  /// A position of the server's transport, at the first frame of a block.
  package struct Position {
    /// The server's frame.
    package var frame: UInt32
    /// The bar, counted from 1.
    package var bar: Int
    /// How many beats of it were over.
    package var beat: Double
    /// Beats a minute.
    package var tempo: Double
  }

  private var positions: [Position] = []

  private func look(_ start: UInt32) {
    var position = jack_position_t()
    guard jack_transport_query(client, &position) == JackTransportRolling,
      position.valid.rawValue & JackPositionBBT.rawValue != 0
    else { return }
    let isExact = position.valid.rawValue & JackTickDouble.rawValue != 0
    let tick = isExact ? position.tick_double : Double(position.tick)
    positions.append(
      Position(
        frame: start, bar: Int(position.bar),
        beat: Double(position.beat) - 1 + tick / position.ticks_per_beat,
        tempo: position.beats_per_minute))
  }

  /// Takes the positions of the transport, block by block, since the last call, while it rolled and
  /// somebody told of bars and beats.
  package func takePositions() -> [Position] {
    lock.withLock {
      defer { positions = [] }
      return positions
    }
  }

  /// Starts the server's transport, or stops it.
  package func roll(_ rolls: Bool) {
    if rolls { jack_transport_start(client) } else { jack_transport_stop(client) }
  }

  /// Becomes the timebase master; false where the server refuses.
  package func takeTimebase(conditionally: Bool = false) -> Bool {
    jack_set_timebase_callback(client, conditionally ? 1 : 0, { _, _, _, _, _ in }, nil) == 0
  }

  /// Releases the timebase.
  package func releaseTimebase() { jack_release_timebase(client) }
}
