internal import OSC

/// A new subscriber, which is to be told how all is that it asked for.
struct Newcomer {
  let client: Client
  /// The place where it is told.
  let target: Client
  /// The places of the addresses that it asked for.
  let covered: [Int]
  let table: AddressTable
  let answerer: Answerer

  /// Whether it wants an address, and has not been sent its values by the same packet yet.
  func wants(_ path: String) -> Bool {
    guard let index = table.index(of: path), covered.contains(index) else { return false }
    return answerer.mayShow(index, to: client)
  }

  /// Tells it one message, where its packet is still answered.
  func tell(_ path: String, _ values: [Argument]) {
    answerer.show(path, values, to: client, at: target)
  }
}
