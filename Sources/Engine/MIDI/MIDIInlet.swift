/// The MIDI input: parses the messages of a keyboard on any channel.
struct MIDIInlet: BitwiseCopyable {
  /// The meaning of a message.
  enum Meaning: BitwiseCopyable {
    case nothing
    case note(NoteAction)
    /// Bends all notes, in semitones.
    case bend(Float)
    /// Sets a controller: its number and its value.
    case control(UInt8, UInt8)
    /// Channel pressure, from 0 to 1.
    case pressure(Float)
  }

  /// The pitches of the keys; without a map, those of equal temperament.
  var map: KeyMapPointer?
  /// Whether keys play the pitches of the scale.
  var snaps = true
  /// The range of the pitch wheel, in semitones.
  var bendRange: Float = 2
  // From -1 to 1.
  private var wheel: Float = 0

  /// Returns the default value of a controller: no pedal, full volume, centered.
  @_noLocks
  static func rest(of controller: UInt8) -> UInt8 {
    switch controller {
    case 7, 11: 127
    case 8, 10: 64
    default: 0
    }
  }

  /// The bend of the wheel, in semitones.
  var bend: Float { @_noLocks get { wheel * bendRange } }

  /// Centers the wheel.
  @_noLocks
  mutating func center() { wheel = 0 }

  @_noLocks
  mutating func meaning(of event: MIDIEvent) -> Meaning {
    // Data bytes are at most 127.
    let (first, second) = (event.first & 127, event.second & 127)
    switch event.status & 0xF0 {
    case 0x80: return .note(.off(.midi(first)))
    case 0x90: return second == 0 ? .note(.off(.midi(first))) : .note(.on(start(first, second)))
    case 0xB0: return .control(first, second)
    case 0xD0: return .pressure(Float(first) / 127)
    case 0xE0:
      let place = Float(Int(second) << 7 | Int(first)) - 8192
      wheel = place < 0 ? place / 8192 : place / 8191
      return .bend(bend)
    default: return .nothing
    }
  }

  @_noLocks
  private func start(_ key: UInt8, _ velocity: UInt8) -> NoteStart {
    var cents = Float(key) * 100
    if let map { cents = map.pitch(of: key, isSnapped: snaps) }
    let nearest = max(0, min(127, Int(max(0, cents) / 100 + 0.5)))
    return NoteStart(
      finger: .midi(key), key: UInt8(truncatingIfNeeded: nearest), cents: cents,
      velocity: Float(velocity) / 127)
  }
}
