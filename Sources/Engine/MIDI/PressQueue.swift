internal import Synchronization

/// News of a pedal, on its frame.
package struct PressNews: BitwiseCopyable, Sendable {
  /// The news.
  package enum Kind: BitwiseCopyable, Sendable {
    /// Presses, as bits of `PressBits`, of a trigger that came with a value from 0 to 127.
    case pressed(Trigger, UInt8, value: UInt8)
    /// The trigger that was to be learnt, its value and its channel, from 0.
    case learnt(Trigger, value: UInt8, channel: UInt8)
    /// What became of a binding's action.
    case answered(binding: UInt16, Event.Kind)
  }

  /// The news.
  package let kind: Kind
  /// The frame of it, in the engine's time.
  package let frame: Int64
  // How many events had been written before it.
  let eventsBefore: UInt64

  @_noLocks
  init(_ kind: Kind, frame: Int64, eventsBefore: UInt64) {
    self.kind = kind
    self.frame = frame
    self.eventsBefore = eventsBefore
  }
}

/// The way of the pedals' news out of the audio thread: it writes, one control thread reads.
///
/// Their order among the events of commands is known: a value that was set by both is told as it
/// is.
package struct PressQueue: ~Copyable, @unchecked Sendable {
  // Nobody has so many feet. A press for which there is no room does nothing, and is counted.
  private static var capacity: Int { @_noLocks get { 1024 } }

  private let slots: UnsafeMutablePointer<PressNews>
  private let written = Atomic<UInt64>(0)
  private let read = Atomic<UInt64>(0)
  private let lost = Atomic<UInt64>(0)

  init() {
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(
      repeating: PressNews(
        .pressed(Trigger(place: 0), 0, value: 0), frame: 0, eventsBefore: 0),
      count: Self.capacity)
  }

  deinit { slots.deallocate() }

  /// Audio thread: whether there is room for one more.
  var hasRoom: Bool {
    @_noLocks get {
      // Acquiring: the reader is done with the slot.
      written.load(ordering: .relaxed) &- read.load(ordering: .acquiring) < UInt64(Self.capacity)
    }
  }

  /// Audio thread: writes one where there is room, and counts it as lost where there is none.
  @_noLocks
  borrowing func push(_ news: PressNews) {
    guard hasRoom else {
      lose()
      return
    }
    let position = written.load(ordering: .relaxed)
    slots[Int(truncatingIfNeeded: position & UInt64(Self.capacity &- 1))] = news
    written.store(position &+ 1, ordering: .releasing)  // publishes the slot
  }

  /// Audio thread: counts a press that is lost.
  @_noLocks
  borrowing func lose() { lost.add(1, ordering: .relaxed) }

  /// How many presses were lost.
  package var lostCount: UInt64 { lost.load(ordering: .relaxed) }

  /// Removes and returns the oldest that is not behind so many events.
  borrowing func pop(behind events: UInt64) -> PressNews? {
    let position = read.load(ordering: .relaxed)
    // Acquiring: the writer has filled the slot.
    guard position != written.load(ordering: .acquiring) else { return nil }
    let news = slots[Int(position & UInt64(Self.capacity - 1))]
    guard news.eventsBefore <= events else { return nil }
    read.store(position + 1, ordering: .releasing)  // frees the slot
    return news
  }
}
