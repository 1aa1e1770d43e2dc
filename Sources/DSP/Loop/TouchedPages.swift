/// A queue of the pages written in a loop's versions, for the copy on disk.
///
/// If it overflows, `isOverfull` is set and all pages must be treated as written.
package struct TouchedPages: ~Copyable, @unchecked Sendable {
  /// A page of a version, and the time it was first seen.
  package struct Entry: BitwiseCopyable {
    /// The version's index in its loop.
    package let version: Int
    /// The version's serial number; 0 once it has been saved.
    package var serial: UInt32
    /// The page's index in the version.
    package let index: Int
    /// The frame at which it was first seen.
    package var since: Int64 = .max
  }

  private static var capacity: Int { @_noLocks get { 1024 } }
  // Writing a piece touches its own page, the next, and those of the tail.
  private static var nearby: Int { @_noLocks get { 4 } }

  private let buffers = Buffers()
  private let entries: UnsafeMutablePointer<Entry>
  private var first = 0
  private var end = 0
  /// Whether entries were lost.
  package private(set) var isOverfull = false
  /// Whether pages are recorded at all.
  package var isWanted = false

  init() {
    entries = buffers.filled(with: Entry(version: 0, serial: 0, index: 0), count: Self.capacity)
  }

  /// The number of entries.
  package var count: Int { @_noLocks get { end &- first } }

  /// An entry, of which 0 is the oldest.
  package subscript(place: Int) -> Entry {
    @_noLocks get { entries[(first &+ place) & (Self.capacity &- 1)] }
    @_noLocks set { entries[(first &+ place) & (Self.capacity &- 1)] = newValue }
  }

  /// Records that a page was written.
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

  /// Removes the oldest entry.
  @_noLocks
  package mutating func removeFirst() { first &+= 1 }

  /// Removes all entries and clears `isOverfull`.
  @_noLocks
  package mutating func removeAll() {
    first = end
    isOverfull = false
  }
}
