internal import Posix

/// A rate limiter: counts posts per address over the last minute.
///
/// Any thread.
final class PostRate: Sendable {
  private static let minute = 60e6
  // Limits the memory that a sender with many addresses can occupy. Further senders share one
  // entry.
  private static let mostSenders = 4096
  private static let others = IPAddress.any6

  private let most: Int?
  private let recent = Guarded<[IPAddress: [Double]]>([:])

  init(most: Int?) { self.most = most }

  /// Counts a post from an address at a time in microseconds.
  ///
  /// Returns false if it exceeds the limit.
  func admit(_ address: IPAddress, now: Double) -> Bool {
    guard let most else { return true }
    return recent.withLock { recent in
      if recent.count >= Self.mostSenders {
        recent = recent.filter { now - ($0.value.last ?? 0) < Self.minute }
      }
      var sender = address.network
      if recent[sender] == nil, recent.count >= Self.mostSenders { sender = Self.others }
      var times = (recent[sender] ?? []).filter { now - $0 < Self.minute }
      let isAdmitted = times.count < most
      if isAdmitted { times.append(now) }
      recent[sender] = times
      return isAdmitted
    }
  }
}
