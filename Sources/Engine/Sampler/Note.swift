/// The start of a note: its finger, pitch and velocity.
package struct NoteStart: BitwiseCopyable, Sendable {
  /// The finger: it has one note at a time, and the next one ends it.
  package var finger: Finger
  /// The MIDI key nearest to its pitch, 0 to 127.
  package var key: UInt8
  /// Its pitch, in cents above MIDI key 0.
  package var cents: Float
  /// The velocity, above 0, up to 1.
  package var velocity: Float

  /// The start of a note.
  @_noLocks
  package init(finger: Finger, key: UInt8, cents: Float, velocity: Float) {
    self.finger = finger
    self.key = key
    self.cents = cents
    self.velocity = velocity
  }
}

/// A finger: a source that can hold one note, such as a key of a keyboard or a cell of the grid.
package struct Finger: BitwiseCopyable, Sendable {
  /// The number of fingers.
  package static var count: Int { @_noLocks get { 2048 } }
  /// The maximum number of cells of a grid.
  package static var mostCells: Int { @_noLocks get { 512 } }
  // Half of them play by hand, and half repeat a phrase.
  private static var repeating: UInt16 { @_noLocks get { 1024 } }

  /// Its number, from 0.
  package let number: UInt16

  /// The finger with a number below `count`.
  @_noLocks
  init(_ number: UInt16) { self.number = number }

  /// A key of a MIDI keyboard, 0 to 127.
  @_noLocks
  package static func midi(_ key: UInt8) -> Finger { Finger(UInt16(key & 127)) }

  /// A key that a message names by its number, 0 to 127.
  @_noLocks
  package static func key(_ key: UInt8) -> Finger { Finger(128 &+ UInt16(key & 127)) }

  /// A white key of an octave, 1 to 7.
  @_noLocks
  package static func piano(_ key: UInt8) -> Finger { Finger(256 &+ UInt16(key & 7)) }

  /// A cell of the grid, by its index from 0 up to `mostCells`.
  @_noLocks
  package static func cell(_ place: Int) -> Finger { Finger(512 &+ UInt16(place & 511)) }

  /// The finger that repeats the notes of this one.
  @_noLocks
  package func repeated() -> Finger { Finger(number | Finger.repeating) }

  /// Whether it repeats the notes of another one.
  package var isRepeated: Bool { @_noLocks get { number & Finger.repeating != 0 } }

  /// Whether it is a key of a MIDI keyboard.
  package var isMIDI: Bool { @_noLocks get { number < 128 } }
}

/// An action on notes.
package enum NoteAction: BitwiseCopyable, Sendable {
  /// Starts a note, and ends the one that the finger has.
  case on(NoteStart)
  /// Ends the finger's note, if it has one.
  case off(Finger)
  /// Ends all notes, including sustained ones.
  case allOff
}
