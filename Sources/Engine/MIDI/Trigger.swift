/// A trigger of a pedal: a kind of message, and its number.
package struct Trigger: BitwiseCopyable, Hashable, Sendable {
  /// The kinds of triggers.
  package enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case note, controller, program
    /// A key of a pedal that works as a computer keyboard.
    case key
  }

  /// The number of triggers.
  package static var count: Int { @_noLocks get { 384 &+ keys } }
  /// The number of key codes of Linux.
  package static var keys: Int { @_noLocks get { 768 } }
  /// The number of triggers of MIDI, which come first.
  static var midi: UInt16 { @_noLocks get { 384 } }
  // Notes and controllers can have lights.
  static var lights: Int { @_noLocks get { 256 } }

  /// The index among all triggers, from 0.
  package let place: UInt16

  @_noLocks
  init(place: UInt16) { self.place = place }

  /// Creates the trigger with a number from 0, or nil if it does not exist.
  package init?(_ kind: Kind, _ number: Int) {
    guard number >= 0, number < (kind == .key ? Self.keys : 128) else { return nil }
    place = UInt16(Int(kind.rawValue) * 128 + number)
  }

  @_noLocks
  static func note(_ number: UInt8) -> Trigger { Trigger(place: UInt16(number & 127)) }

  @_noLocks
  static func controller(_ number: UInt8) -> Trigger { Trigger(place: 128 &+ UInt16(number & 127)) }

  @_noLocks
  static func program(_ number: UInt8) -> Trigger { Trigger(place: 256 &+ UInt16(number & 127)) }

  @_noLocks
  static func key(_ number: UInt16) -> Trigger { Trigger(place: 384 &+ min(number, 767)) }

  /// Its kind.
  package var kind: Kind {
    @_noLocks get {
      place < 128 ? .note : place < 256 ? .controller : place < 384 ? .program : .key
    }
  }

  /// Its number among those of its kind.
  package var number: Int {
    @_noLocks get { place < 384 ? Int(place & 127) : Int(place) &- 384 }
  }

  /// Whether the trigger can have a light, which is sent as the same message.
  package var hasLight: Bool { @_noLocks get { place < 256 } }
}

/// The bits of presses.
package enum PressBits {
  /// The trigger went down, and up.
  package static var down: UInt8 { @_noLocks get { 1 } }
  package static var up: UInt8 { @_noLocks get { 2 } }
  /// A short press, a long one, and a double one.
  package static var short: UInt8 { @_noLocks get { 4 } }
  package static var long: UInt8 { @_noLocks get { 8 } }
  package static var double: UInt8 { @_noLocks get { 16 } }
}
