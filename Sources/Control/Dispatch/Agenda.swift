internal import Posix

/// The agenda of commands for later than the audio thread plans ahead, in the order of their time.
///
/// A frame is fixed only shortly before: the clock's rate of now would not be true for long.
struct Agenda {
  /// Commands of one time from one packet.
  struct Item {
    let commands: [PlannedCommand]
    /// In microseconds of the host's steady clock.
    let due: Double
    let origin: Origin
  }

  private var items: [Item] = []
  /// How many commands wait.
  private(set) var count = 0
  private var counts: [IPAddress: Int] = [:]

  /// Time at which the first is due.
  var nextDue: Double? { items.last?.due }

  /// How many of them came from a machine.
  func count(from address: IPAddress) -> Int { counts[address] ?? 0 }

  private mutating func add(_ number: Int, of client: Client?) {
    count += number
    guard let address = client?.endpoint.address else { return }
    counts[address, default: 0] += number
    if counts[address] == 0 { counts[address] = nil }
  }

  mutating func insert(_ item: Item) {
    // The latest first, so that the next one is the last; of equals the earlier to come is
    // nearer to the end.
    var (low, high) = (0, items.count)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].due > item.due { low = middle + 1 } else { high = middle }
    }
    items.insert(item, at: low)
    add(item.commands.count, of: item.origin.client)
  }

  /// Takes the first where it is due by a time.
  mutating func take(dueBy time: Double) -> Item? {
    guard let item = items.last, item.due <= time else { return nil }
    items.removeLast()
    add(-item.commands.count, of: item.origin.client)
    return item
  }
}
