/// The pages of a loop's versions that were written to, for whoever writes them down elsewhere.
///
/// Where they are more than there is room for, that is known, and all are to be taken for touched.
package struct TouchedPages: ~Copyable, @unchecked Sendable {
  /// A page of a version, and since when it is one of these.
  package struct Entry: BitwiseCopyable {
    /// The number of the version in the memory of its loop.
    package let version: Int
    /// The number of the version among all that there were; 0 where it is written down already.
    package var serial: UInt32
    /// The number of the page in the version.
    package let index: Int
    /// The frame at which it was looked at first.
    package var since: Int64 = .max
  }

  private static var capacity: Int { @_noLocks get { 1024 } }
  // A piece that is written touches its own page, the next, and those of what lies behind the end.
  private static var nearby: Int { @_noLocks get { 4 } }

  private let entries: UnsafeMutablePointer<Entry>
  private var first = 0
  private var end = 0
  /// Whether some were lost.
  package private(set) var isOverfull = false
  /// Whether anybody wants to know.
  package var isWanted = false

  init() {
    entries = .allocate(capacity: Self.capacity)
    entries.initialize(repeating: Entry(version: 0, serial: 0, index: 0), count: Self.capacity)
  }

  deinit { entries.deallocate() }

  /// How many there are.
  package var count: Int { @_noLocks get { end &- first } }

  /// One of them, the oldest being 0.
  package subscript(place: Int) -> Entry {
    @_noLocks get { entries[(first &+ place) & (Self.capacity &- 1)] }
    @_noLocks set { entries[(first &+ place) & (Self.capacity &- 1)] = newValue }
  }

  /// Notes that a page was written to.
  @_noLocks
  mutating func note(_ version: Int, _ serial: UInt32, _ index: Int) {
    if !isWanted { return }
    var place = end &- 1
    while place >= first && place >= end &- Self.nearby {
      let entry = entries[place & (Self.capacity &- 1)]
      if entry.index == index && entry.serial == serial { return }
      place &-= 1
    }
    if count == Self.capacity {
      isOverfull = true
      return
    }
    entries[end & (Self.capacity &- 1)] = Entry(version: version, serial: serial, index: index)
    end &+= 1
  }

  /// Removes the oldest one.
  @_noLocks
  package mutating func removeFirst() { first &+= 1 }

  /// Removes all, and forgets that some were lost.
  @_noLocks
  package mutating func removeAll() {
    first = end
    isOverfull = false
  }
}
