internal import CJack
internal import Engine

/// Copies a port's messages of this block to one block, and those of MIDI clock to another, except other
/// ones longer than three bytes or without a channel.
@_noLocks
func receiveMIDI(
  _ port: OpaquePointer, _ frames: jack_nframes_t, _ block: MIDIBlock, clock: MIDIBlock
) {
  guard frames > 0, let buffer = jack_port_get_buffer(port, frames) else { return }
  let count = jack_midi_get_event_count(buffer)
  var event = jack_midi_event_t(time: 0, size: 0, buffer: nil)
  for index in 0..<count {
    guard jack_midi_event_get(&event, buffer, index) == 0, let bytes = event.buffer,
      event.size >= 1, event.size <= 3, bytes[0] >= 0x80
    else { continue }
    let size = event.size
    // JACK sorts them by time.
    let message = MIDIEvent(
      frame: min(event.time, frames &- 1), status: bytes[0], first: size > 1 ? bytes[1] : 0,
      second: size > 2 ? bytes[2] : 0)
    if bytes[0] >= 0xF0 {
      if message.isClock && size == message.byteCount { _ = clock.append(message) }
    } else if size > 1 {
      _ = block.append(message)
    }
  }
}

/// Writes the messages played in this block to a port.
@_noLocks
func sendMIDI(_ block: MIDIBlock, _ port: OpaquePointer, _ frames: jack_nframes_t) {
  guard let buffer = jack_port_get_buffer(port, frames) else { return }
  jack_midi_clear_buffer(buffer)
  for index in 0..<block.count {
    let event = block[index]
    let size = event.byteCount
    guard let bytes = jack_midi_event_reserve(buffer, event.frame, size) else { return }
    bytes[0] = event.status
    if size > 1 { bytes[1] = event.first }
    if size > 2 { bytes[2] = event.second }
  }
}

/// Clears what a port was given in an earlier block.
@_noLocks
func clearMIDI(_ port: OpaquePointer, _ frames: jack_nframes_t) {
  if let buffer = jack_port_get_buffer(port, frames) { jack_midi_clear_buffer(buffer) }
}
