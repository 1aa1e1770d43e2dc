internal import Posix

/// The count of posts that each address sent in the last minute.
///
/// Any thread.
final class PostRate: Sendable {
  /// Who sends: an address of version 4, or a network of version 6, of which one machine has all
  /// addresses.
  private struct Sender: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ address: IPAddress) {
      high = address.high
      low = address.isVersion4 ? address.low : 0
    }
  }

  private static let minute = 60e6
  // Who has very many addresses gets no more memory for it: those share one place.
  private static let mostSenders = 4096
  private static let others = Sender(.any6)

  private let most: Int?
  private let recent = Guarded<[Sender: [Double]]>([:])

  init(most: Int?) { self.most = most }

  /// Counts a post of an address at a time in microseconds; false where that is one too many.
  func admit(_ address: IPAddress, now: Double) -> Bool {
    guard let most else { return true }
    return recent.withLock { recent in
      if recent.count >= Self.mostSenders {
        recent = recent.filter { now - ($0.value.last ?? 0) < Self.minute }
      }
      var sender = Sender(address)
      if recent[sender] == nil, recent.count >= Self.mostSenders { sender = Self.others }
      var times = (recent[sender] ?? []).filter { now - $0 < Self.minute }
      let isAdmitted = times.count < most
      if isAdmitted { times.append(now) }
      recent[sender] = times
      return isAdmitted
    }
  }
}
