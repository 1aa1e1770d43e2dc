/// What is to happen later than the audio thread plans ahead, in the order of its time.
///
/// A frame is fixed only shortly before: the clock's rate of now would not be true for long.
struct Agenda {
  /// Commands of one time from one packet.
  struct Item {
    let commands: [PlannedCommand]
    /// In microseconds of the host's steady clock.
    let due: Double
    let path: String
    let client: Client?
  }

  private var items: [Item] = []
  /// How many commands wait.
  private(set) var count = 0

  /// When the first is due.
  var nextDue: Double? { items.last?.due }

  mutating func insert(_ item: Item) {
    // The latest first, so that the next one is the last; of equals the earlier to come is
    // nearer to the end.
    var (low, high) = (0, items.count)
    while low < high {
      let middle = (low + high) / 2
      if items[middle].due > item.due { low = middle + 1 } else { high = middle }
    }
    items.insert(item, at: low)
    count += item.commands.count
  }

  /// Takes the first where it is due by a time.
  mutating func take(dueBy time: Double) -> Item? {
    guard let item = items.last, item.due <= time else { return nil }
    items.removeLast()
    count -= item.commands.count
    return item
  }
}
