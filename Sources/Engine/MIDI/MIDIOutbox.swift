internal import DSP

/// The MIDI output: sends the notes played here to a synthesizer, except those of a keyboard.
///
/// Two fingers can hold one key: it is restarted for the second, and ends with the last. Messages
/// that don't fit, or have no receiver, are sent as soon as possible: no note is left on.
struct MIDIOutbox: ~Copyable {
  private static var keys: Int { @_noLocks get { 128 } }
  private static var mostMessages: Int { @_noLocks get { 1024 } }
  private static var none: UInt8 { @_noLocks get { 255 } }

  private let buffers = Buffers()
  // By finger: the key that it holds, or none.
  private let held: UnsafeMutablePointer<UInt8>
  // By key: the number of fingers that hold it, and the channel of its note-on.
  private let holders: UnsafeMutablePointer<UInt16>
  private let channels: UnsafeMutablePointer<UInt8>
  private var channel: UInt8 = 0
  private(set) var isBehind = false

  private var block: MIDIBlock?
  private var frame: UInt32 = 0

  init() {
    held = buffers.filled(with: Self.none, count: Finger.count)
    holders = buffers.filled(with: 0, count: Self.keys)
    channels = buffers.filled(with: Self.none, count: Self.keys)
  }

  /// Sets the channel that notes go out on, 1 to 16.
  @_noLocks
  mutating func setChannel(_ number: Int) { channel = UInt8(truncatingIfNeeded: number &- 1) & 15 }

  /// Starts a block of output, if there is a receiver.
  @_noLocks
  mutating func begin(_ block: MIDIBlock?) {
    self.block = block
    frame = 0
    block?.clear()
    if isBehind { catchUp() }
  }

  /// Moves to the frame of the block on which the next messages are.
  @_noLocks
  mutating func move(to frame: Int) { self.frame = UInt32(truncatingIfNeeded: frame) }

  /// Ends the block.
  @_noLocks
  mutating func end() { block = nil }

  /// Sends note messages.
  @_noLocks
  mutating func tell(_ action: NoteAction) {
    switch action {
    case .on(let start):
      if start.finger.isMIDI { return }
      release(start.finger)
      press(start)
    case .off(let finger): if !finger.isMIDI { release(finger) }
    case .allOff:
      for finger in 0..<Finger.count { held[finger] = Self.none }
      for key in 0..<Self.keys {
        holders[key] = 0
        silence(key)
      }
    }
  }

  @_noLocks
  private mutating func press(_ start: NoteStart) {
    let key = Int(start.key & 127)
    held[Int(start.finger.number)] = UInt8(truncatingIfNeeded: key)
    holders[key] &+= 1
    silence(key)
    // A key whose note-off could not be sent can't be restarted.
    guard channels[key] == Self.none else { return }
    let velocity = max(1, min(127, Int(start.velocity * 127 + 0.5)))
    if send(0x90 | channel, key, velocity) { channels[key] = channel }
  }

  @_noLocks
  private mutating func release(_ finger: Finger) {
    let key = Int(held[Int(finger.number)])
    guard key < Self.keys else { return }
    held[Int(finger.number)] = Self.none
    holders[key] &-= 1
    if holders[key] == 0 { silence(key) }
  }

  /// Ends a key, on the channel on which it sounds.
  @_noLocks
  private mutating func silence(_ key: Int) {
    guard channels[key] != Self.none else { return }
    if send(0x80 | channels[key], key, 0) {
      channels[key] = Self.none
    } else {
      isBehind = true
    }
  }

  /// Sends note-offs that could not be sent before.
  @_noLocks
  private mutating func catchUp() {
    guard case .some = block else { return }
    isBehind = false
    for key in 0..<Self.keys where holders[key] == 0 { silence(key) }
  }

  /// Sends a message of the clock.
  ///
  /// Returns false if there is no room or no receiver.
  @_noLocks
  func tell(_ status: UInt8, _ first: UInt8 = 0, _ second: UInt8 = 0) -> Bool {
    send(status, Int(first), Int(second))
  }

  /// Sends a light's value.
  ///
  /// Returns false if there is no room or no receiver.
  @_noLocks
  func light(_ status: UInt8, _ number: UInt8, _ value: UInt8) -> Bool {
    send(status, Int(number), Int(value))
  }

  @_noLocks
  private func send(_ status: UInt8, _ key: Int, _ value: Int) -> Bool {
    // A port may hold fewer messages than a block. The rest is ended in the next one.
    guard let block, block.count < Self.mostMessages else { return false }
    return block.append(
      MIDIEvent(
        frame: frame, status: status, first: UInt8(truncatingIfNeeded: key),
        second: UInt8(truncatingIfNeeded: value)))
  }
}
