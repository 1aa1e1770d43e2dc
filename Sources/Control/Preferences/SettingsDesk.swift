internal import Takes

/// Settings on their way into the library of takes: the latest of each, and one write at a time.
///
/// What is set once is written at once; what a wheel or a pedal moves on and on, a few times a second.
final class SettingsDesk {
  // Between the beginnings of two writes, in microseconds.
  private static let period = 240_000.0
  private static let busyMilliseconds = 2

  private struct Setting: Sendable {
    let path: String
    var text: String
    var client: Client?
  }

  private var waiting: [Setting] = []
  private var isUnderWay = false
  private var due = 0.0
  /// Whether what waits is written as soon as that can be.
  var isUrgent = false

  /// Whether something is on its way to the disk.
  var isWriting: Bool { isUnderWay || !waiting.isEmpty }

  /// Takes a setting on; an older value of it that waits still is not written any more.
  func keep(_ path: String, _ text: String, for client: Client?) {
    let setting = Setting(path: path, text: text, client: client)
    if let index = waiting.firstIndex(where: { $0.path == path }) {
      waiting[index] = setting
    } else {
      waiting.append(setting)
    }
  }

  /// Writes what is due; returns in how many milliseconds to look again, nil for any time.
  func look(_ now: Double, node: Node) -> Int? {
    guard !waiting.isEmpty, !isUnderWay else { return nil }
    guard isUrgent || now >= due else { return max(1, Int((due - now) / 1000)) }
    guard let takes = node.takes else { return nil }
    let settings = waiting
    do throws(Refusal) {
      try takes.list { library throws(LibraryFault) in
        for setting in settings { try library.set(setting.path, setting.text) }
      } then: { [weak self, weak node] outcome in
        self?.isUnderWay = false
        guard case .failure(let refusal) = outcome else { return }
        for setting in settings { node?.tellUnkept(refusal, setting.path, setting.client) }
      }
    } catch {
      // Others wait for the library, too.
      return Self.busyMilliseconds
    }
    waiting = []
    isUnderWay = true
    due = now + Self.period
    return nil
  }
}
