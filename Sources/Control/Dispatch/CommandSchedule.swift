internal import Posix

/// A priority queue of commands beyond the audio thread's planning horizon, ordered by time.
///
/// Frames are assigned late, because the clock's current rate does not hold for long.
struct CommandSchedule {
  /// Commands of one packet with the same time.
  struct Item {
    let commands: [PlannedCommand]
    /// In microseconds of the host's steady clock.
    let due: Double
    let origin: Origin
  }

  private var items: [Item] = []
  /// The number of queued commands.
  private(set) var count = 0
  private var counts: [IPAddress: Int] = [:]

  /// The time of the first command.
  var nextDue: Double? { items.last?.due }

  /// The number of commands queued by a host.
  func count(from address: IPAddress) -> Int { counts[address] ?? 0 }

  private mutating func add(_ number: Int, of client: Client?) {
    count += number
    guard let address = client?.endpoint.address else { return }
    counts[address, default: 0] += number
    if counts[address] == 0 { counts[address] = nil }
  }

  mutating func insert(_ item: Item) {
    // In descending order, so that the next one is last. Among equals the earlier one is nearer the end.
    var (low, high) = (0, items.count)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].due > item.due { low = middle + 1 } else { high = middle }
    }
    items.insert(item, at: low)
    add(item.commands.count, of: item.origin.client)
  }

  /// Removes and returns the first item if it is due.
  mutating func popFirst(dueBy time: Double) -> Item? {
    guard let item = items.last, item.due <= time else { return nil }
    items.removeLast()
    add(-item.commands.count, of: item.origin.client)
    return item
  }
}
