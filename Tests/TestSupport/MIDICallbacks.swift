internal import CJack
internal import Foundation

/// What the callback of a MIDI probe's client does, and what it leaves for the test.
final class MIDICallbacks: @unchecked Sendable {
  /// What was noted since the last look at it.
  struct Notes {
    /// What was heard.
    var heard: [MIDIProbe.Heard] = []
    /// The frames on which something was played.
    var played: [UInt32] = []
    /// Where the transport was.
    var positions: [MIDIProbe.Position] = []
  }

  private let client: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  private let gate = CallbackGate()
  // Read and written under the lock.
  private let lock = NSLock()
  private var toPlay: [(frame: UInt32, bytes: [UInt8])] = []
  private var notes = Notes()

  /// Makes the ports of a client that is not active yet, and gives it its callback, which runs until the
  /// client is closed: so long this must live.
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
        // What was played in the block before is not played again, whatever comes.
        jack_midi_clear_buffer(jack_port_get_buffer(callbacks.output, frames))
        _ = callbacks.gate.pass { callbacks.process(frames) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Lets the callback do nothing any more.
  func end() { gate.close() }

  private func process(_ frames: UInt32) {
    let start = jack_last_frame_time(client)
    lock.lock()
    defer { lock.unlock() }
    look(start)
    let out = jack_port_get_buffer(output, frames)!
    while let (frame, bytes) = toPlay.first, Int32(bitPattern: frame &- start) < Int32(frames) {
      toPlay.removeFirst()
      // What comes too late comes at once.
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

  /// Whether nothing is left that is to be played.
  var hasPlayedAll: Bool { lock.withLock { toPlay.isEmpty } }

  /// What was noted of one kind since the last look.
  func take<Note>(_ kind: WritableKeyPath<Notes, [Note]>) -> [Note] {
    lock.withLock {
      defer { notes[keyPath: kind] = [] }
      return notes[keyPath: kind]
    }
  }
}
