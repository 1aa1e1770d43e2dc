internal import DSP

/// The scheduled commands, earliest first, and in the order of their arrival for the same frame.
///
/// A binary heap in memory of fixed size. The credits of `CommandQueue` keep it from overflowing. Audio
/// thread only.
struct Schedule: ~Copyable {
  struct Entry: BitwiseCopyable {
    var command: Command
    var number: UInt64
  }

  private let buffers = Buffers()
  private let entries: UnsafeMutablePointer<Entry>
  private let capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = capacity
    entries = buffers.filled(with: Entry(command: Command(.sync(0)), number: 0), count: capacity)
  }

  /// The frame of the earliest command; `Int64.max` without one.
  var nextFrame: Int64 {
    @_noLocks get { count > 0 ? entries[0].command.frame : .max }
  }

  /// The number of the earliest command, if there is one.
  var nextNumber: UInt64 { @_noLocks get { entries[0].number } }

  @_noLocks
  private func isEarlier(_ a: Int, _ b: Int) -> Bool {
    let (x, y) = (entries[a].command.frame, entries[b].command.frame)
    return x < y || (x == y && entries[a].number < entries[b].number)
  }

  @_noLocks
  private func swap(_ a: Int, _ b: Int) {
    let entry = entries[a]
    entries[a] = entries[b]
    entries[b] = entry
  }

  @_noLocks
  mutating func insert(_ command: Command, number: UInt64) {
    precondition(count < capacity)
    var index = count
    entries[index] = Entry(command: command, number: number)
    count &+= 1
    while index > 0 {
      let parent = (index &- 1) / 2
      guard isEarlier(index, parent) else { break }
      swap(index, parent)
      index = parent
    }
  }

  @_noLocks
  mutating func removeEarliest() -> Entry {
    precondition(count > 0)
    let earliest = entries[0]
    count &-= 1
    entries[0] = entries[count]
    sink(0)
    return earliest
  }

  /// Sifts an entry down the heap.
  @_noLocks
  private mutating func sink(_ first: Int) {
    var index = first
    while true {
      var least = index
      let left = 2 &* index &+ 1
      if left < count && isEarlier(left, least) { least = left }
      if left &+ 1 < count && isEarlier(left &+ 1, least) { least = left &+ 1 }
      if least == index { break }
      swap(index, least)
      index = least
    }
  }

  /// Shifts all commands when the timeline jumps.
  @_noLocks
  mutating func shift(by frames: Int64) {
    for index in 0..<count { entries[index].command.frame &+= frames }
  }

  /// Shifts commands on beats after an xrun has delayed the beats.
  @_noLocks
  mutating func delayBeats(by frames: Int64) {
    var isChanged = false
    for index in 0..<count where entries[index].command.isOnBeat {
      entries[index].command.frame &+= frames
      isChanged = true
    }
    if !isChanged { return }
    var index = count / 2
    while index > 0 {
      index &-= 1
      sink(index)
    }
  }

  /// Converts the frames of all commands to another sample rate, around a frame that stays.
  mutating func convert(by ratio: Double, around frame: Int64) {
    for index in 0..<count {
      let former = entries[index].command.frame
      entries[index].command.frame = frame &+ Handover.scaled(former &- frame, by: ratio)
    }
  }
}
