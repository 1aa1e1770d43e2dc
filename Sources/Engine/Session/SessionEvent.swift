/// Something on a frame of a session: a MIDI message, a beat, or a change of a loop.
package struct SessionEvent: BitwiseCopyable, Sendable {
  /// The kind of an event.
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// A received MIDI message, of the bytes `first`, `second` and `third`.
    case received
    /// A sent MIDI message.
    case sent
    /// A beat: its number in the bar from 1, and the number of beats of the bar.
    case beat
    /// A loop, from 0, has changed: it is still now, records, plays, or is overdubbed.
    case still, record, play, overdub
    /// A marker of the control side, by its number of three bytes, the highest first.
    case mark
  }

  /// The frame, counted from the start of the session.
  package var frame: Int
  /// The kind of the event.
  package var kind: Kind
  /// The three bytes that the kind describes.
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
