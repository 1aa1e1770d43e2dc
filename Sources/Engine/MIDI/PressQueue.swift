internal import Synchronization

/// An event of a pedal, on its frame.
package struct PressNews: BitwiseCopyable, Sendable {
  /// The kinds of events.
  package enum Kind: BitwiseCopyable, Sendable {
    /// Presses of a trigger, as bits of `PressBits`, with a value from 0 to 127.
    case pressed(Trigger, UInt8, value: UInt8)
    /// The trigger that was learned, its value, and its channel from 0.
    case learnt(Trigger, value: UInt8, channel: UInt8)
    /// The outcome of an action of a binding.
    case answered(binding: UInt16, Event.Kind)
  }

  /// The event.
  package let kind: Kind
  /// The frame, in the engine's time.
  package let frame: Int64
  // The number of events of commands before it.
  let eventsBefore: UInt64

  @_noLocks
  init(_ kind: Kind, frame: Int64, eventsBefore: UInt64) {
    self.kind = kind
    self.frame = frame
    self.eventsBefore = eventsBefore
  }
}

/// The queue of pedal events: the audio thread writes, one control thread reads.
///
/// It records their order among the events of commands, so that a value set by both is reported correctly.
package struct PressQueue: ~Copyable, @unchecked Sendable {
  // More than feet can fill. A press that doesn't fit has no effect, and is counted.
  private static var capacity: Int { @_noLocks get { 1024 } }

  private let ring = Ring(
    capacity: Self.capacity,
    filler: PressNews(.pressed(Trigger(place: 0), 0, value: 0), frame: 0, eventsBefore: 0))
  private let lost = Atomic<UInt64>(0)

  /// Audio thread: whether there is room for one more.
  var hasRoom: Bool { @_noLocks get { ring.hasRoom } }

  /// Audio thread: writes one, or counts it as lost if there is no room.
  @_noLocks
  borrowing func push(_ news: PressNews) {
    if !ring.push(news) { lose() }
  }

  /// Counts a lost press.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func lose() { lost.add(1, ordering: .relaxed) }

  /// The number of lost presses.
  package var lostCount: UInt64 { lost.load(ordering: .relaxed) }

  /// Removes and returns the oldest event, unless more command events precede it.
  borrowing func pop(behind events: UInt64) -> PressNews? {
    ring.pop { $0.eventsBefore <= events }
  }
}
