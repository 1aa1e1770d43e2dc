internal import Posix

/// The count of posts that each address sent in the last minute.
///
/// Any thread.
final class PostRate: Sendable {
  private static let minute = 60e6
  // Who has very many addresses gets no more memory for it: those share the last places.
  private static let mostAddresses = 4096

  private let most: Int?
  private let recent = Guarded<[IPAddress: [Double]]>([:])

  init(most: Int?) { self.most = most }

  /// Counts a post of an address at a time in microseconds; false where that is one too many.
  func admit(_ address: IPAddress, now: Double) -> Bool {
    guard let most else { return true }
    return recent.withLock { recent in
      if recent.count >= Self.mostAddresses {
        recent = recent.filter { now - ($0.value.last ?? 0) < Self.minute }
      }
      let key = recent.count < Self.mostAddresses ? address : .any6
      var times = (recent[key] ?? []).filter { now - $0 < Self.minute }
      let isAdmitted = times.count < most
      if isAdmitted { times.append(now) }
      recent[key] = times
      return isAdmitted
    }
  }
}
