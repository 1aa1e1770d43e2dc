/// A store for settings in the data directory, by address.
protocol SettingsStore: AnyObject {
  /// Writes settings, then calls `ending`.
  ///
  /// Throws if too many writes are queued.
  func keep(
    _ settings: [(path: String, text: String)],
    then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal)
}

/// Writes settings to the data directory: the latest value of each, one write at a time.
///
/// A single change is written immediately. Continuous changes are written a few times per second.
final class SettingsWriter {
  // The minimum time between two writes, in microseconds.
  private static let period = 240_000.0
  private static let busyMilliseconds = 2

  private struct Setting {
    let path: String
    var text: String
    var client: Client?
  }

  private var waiting: [Setting] = []
  private var isUnderWay = false
  private var due = 0.0
  /// Whether pending settings are written as soon as possible.
  var isUrgent = false

  /// Whether a write is in progress.
  var isWriting: Bool { isUnderWay || !waiting.isEmpty }

  /// Queues a setting, replacing an older value not yet written.
  func keep(_ path: String, _ text: String, for client: Client?) {
    let setting = Setting(path: path, text: text, client: client)
    if let index = waiting.firstIndex(where: { $0.path == path }) {
      waiting[index] = setting
    } else {
      waiting.append(setting)
    }
  }

  /// Writes pending settings when due.
  ///
  /// Calls `whenUnsaved` with the error, the address and the client of each setting that could not be
  /// written.
  func poll(
    _ now: Double, to store: (any SettingsStore)?,
    whenUnsaved: @escaping (Refusal, String, Client?) -> Void
  ) -> Int? {
    guard !waiting.isEmpty, !isUnderWay, let store else { return nil }
    guard isUrgent || now >= due else { return max(1, Int((due - now) / 1000)) }
    let settings = waiting
    do throws(Refusal) {
      try store.keep(settings.map { ($0.path, $0.text) }) { [weak self] outcome in
        self?.isUnderWay = false
        guard case .failure(let refusal) = outcome else { return }
        for setting in settings { whenUnsaved(refusal, setting.path, setting.client) }
      }
    } catch {
      // The write queue is full.
      return Self.busyMilliseconds
    }
    waiting = []
    isUnderWay = true
    due = now + Self.period
    return nil
  }
}
