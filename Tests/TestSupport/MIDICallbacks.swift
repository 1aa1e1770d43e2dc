internal import CJack
internal import Foundation

/// The callback of a MIDI probe's client, and its data for the test.
final class MIDICallbacks: @unchecked Sendable {
  /// The data recorded since the last call.
  struct Notes {
    /// The received messages.
    var heard: [MIDIProbe.Heard] = []
    /// The frames on which messages were played.
    var played: [UInt32] = []
    /// The transport's positions.
    var positions: [MIDIProbe.Position] = []
  }

  private let client: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private let gate = CallbackGate()
  // Accessed under the lock.
  private let lock = NSLock()
  private var toPlay: [(frame: UInt32, bytes: [UInt8])] = []
  private var notes = Notes()
  private var cycles = 0

  /// Registers the ports of an inactive client and sets its callback, which runs until the client
  /// is closed; this object must live as long.
  init(_ client: OpaquePointer) {
    self.client = client
    input = jack_port_register(
      client, "in", JACK_DEFAULT_MIDI_TYPE, UInt(JackPortIsInput.rawValue), 0)
    output = jack_port_register(
      client, "out", JACK_DEFAULT_MIDI_TYPE, UInt(JackPortIsOutput.rawValue), 0)
    jack_set_process_callback(
      client,
      { frames, context in
        let callbacks = Unmanaged<MIDICallbacks>.fromOpaque(context!).takeUnretainedValue()
        // Clears the messages of the previous block in any case.
        jack_midi_clear_buffer(jack_port_get_buffer(callbacks.output, frames))
        _ = callbacks.gate.pass { callbacks.process(frames) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Makes the callback do nothing from now on.
  func end() { gate.close() }

  private func process(_ frames: UInt32) {
    let start = jack_last_frame_time(client)
    lock.lock()
    defer { lock.unlock() }
    cycles += 1
    look(start)
    let out = jack_port_get_buffer(output, frames)!
    while let (frame, bytes) = toPlay.first, Int32(bitPattern: frame &- start) < Int32(frames) {
      toPlay.removeFirst()
      // A late message is played at once.
      let offset = UInt32(max(0, Int32(bitPattern: frame &- start)))
      guard let room = jack_midi_event_reserve(out, offset, bytes.count) else { continue }
      for (index, byte) in bytes.enumerated() { room[index] = byte }
      notes.played.append(start &+ offset)
    }
    let source = jack_port_get_buffer(input, frames)!
    var event = jack_midi_event_t()
    for index in 0..<jack_midi_get_event_count(source) {
      guard jack_midi_event_get(&event, source, index) == 0, let data = event.buffer else {
        continue
      }
      notes.heard.append(
        MIDIProbe.Heard(
          frame: start &+ event.time,
          bytes: Array(UnsafeBufferPointer(start: data, count: event.size))))
    }
  }

  private func look(_ start: UInt32) {
    var position = jack_position_t()
    guard jack_transport_query(client, &position) == JackTransportRolling,
      position.valid.rawValue & JackPositionBBT.rawValue != 0
    else { return }
    let isExact = position.valid.rawValue & JackTickDouble.rawValue != 0
    let tick = isExact ? position.tick_double : Double(position.tick)
    notes.positions.append(
      MIDIProbe.Position(
        frame: start, bar: Int(position.bar),
        beat: Double(position.beat) - 1 + tick / position.ticks_per_beat,
        tempo: position.beats_per_minute))
  }

  // MARK: - For the test

  /// Plays a message on a frame.
  func play(_ bytes: [UInt8], at frame: UInt32) { lock.withLock { toPlay.append((frame, bytes)) } }

  /// The number of cycles so far, counted at the start of each.
  var cycleCount: Int { lock.withLock { cycles } }

  /// Whether all queued messages have been played.
  var hasPlayedAll: Bool { lock.withLock { toPlay.isEmpty } }

  /// Takes the data of one kind recorded since the last call.
  func take<Note>(_ kind: WritableKeyPath<Notes, [Note]>) -> [Note] {
    lock.withLock {
      defer { notes[keyPath: kind] = [] }
      return notes[keyPath: kind]
    }
  }
}
