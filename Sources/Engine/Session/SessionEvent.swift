/// An event at a frame of a session: a MIDI message, a beat, a marker, or a loop's change of state.
package struct SessionEvent: BitwiseCopyable, Sendable {
  /// The kind of an event.
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// A received MIDI message: the bytes `first`, `second` and `third`.
    case received
    /// A sent MIDI message.
    case sent
    /// A beat: `first` is its number in the bar, from 1, and `second` the number of beats per bar.
    case beat
    /// The new state of the loop `first`, from 0: idle, recording, playing or overdubbing.
    case still, record, play, overdub
    /// A marker from the control side: its number in three bytes, the most significant first.
    case mark
  }

  /// The frame, counted from the start of the session.
  package var frame: Int
  /// The kind of the event.
  package var kind: Kind
  /// The three bytes, whose meaning depends on the kind.
  package var first: UInt8, second: UInt8, third: UInt8

  /// The number of a marker.
  package var number: Int { Int(first) << 16 | Int(second) << 8 | Int(third) }

  /// Creates an event.
  @_noLocks
  package init(_ frame: Int, _ kind: Kind, _ first: UInt8, _ second: UInt8, _ third: UInt8) {
    self.frame = frame
    self.kind = kind
    self.first = first
    self.second = second
    self.third = third
  }
}
