internal import OSC

/// The initial snapshot for a new subscription, for features whose state is not a single value.
struct InitialSnapshot {
  let client: Client
  /// The target of the messages.
  let target: Client
  /// The indices of the subscribed addresses.
  let covered: [Int]
  let table: AddressTable
  let replySender: ReplySender

  /// Whether the snapshot includes an address whose values this packet has not sent yet.
  func wants(_ path: String) -> Bool {
    guard let index = table.index(of: path), covered.contains(index) else { return false }
    return replySender.reserveInitialValue(index, to: client)
  }

  /// Sends one message, within the reply budget.
  func send(_ path: String, _ values: [Argument]) {
    replySender.sendInitial(path, values, to: client, at: target)
  }
}
