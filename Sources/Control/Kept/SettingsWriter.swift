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
/// A single change is written immediately. Continuous changes are written a few times per second. What can't be
/// written, as on a full disk, is reported once, and written when that is possible.
final class SettingsWriter {
  // The minimum time between two writes, and between two attempts on a disk that fails, in microseconds.
  private static let (period, retryPeriod) = (240_000.0, 2_000_000.0)
  private static let busyMilliseconds = 2

  private struct Setting {
    let path: String
    var text: String
    var client: Client?
    /// Whether the client was told that it could not be written.
    var isReported = false
  }

  private var waiting: [Setting] = []
  private var isUnderWay = false
  // Whether the last write failed.
  private var isFailing = false
  private var wroteAt = -Double.infinity
  /// Whether pending settings are written as soon as possible, and only once.
  var isUrgent = false

  /// Whether a write is in progress or imminent.
  var isWriting: Bool { isUnderWay || !waiting.isEmpty && (isUrgent || !isFailing) }

  private var due: Double {
    let isOnlyRetry = isFailing && waiting.allSatisfy(\.isReported)
    return wroteAt + (isOnlyRetry ? Self.retryPeriod : Self.period)
  }

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
  /// Calls `whenUnsaved` with the error, the address and the client of each setting that can't be written
  /// now.
  func poll(
    _ now: Double, to store: (any SettingsStore)?,
    whenUnsaved: @escaping (Refusal, String, Client?) -> Void
  ) -> Int? {
    guard !waiting.isEmpty, !isUnderWay, let store else { return nil }
    guard isUrgent || now >= due else { return max(1, Int((due - now) / 1000)) }
    let settings = waiting
    do throws(Refusal) {
      try store.keep(settings.map { ($0.path, $0.text) }) { [weak self] outcome in
        guard let self else { return }
        isUnderWay = false
        isFailing = false
        guard case .failure(let refusal) = outcome else { return }
        isFailing = true
        for setting in settings where !setting.isReported {
          whenUnsaved(refusal, setting.path, setting.client)
        }
        // Another attempt can help neither on exit nor with a text that the library doesn't take.
        if !isUrgent, refusal.code == .io || refusal.code == .busy { wait(settings) }
      }
    } catch {
      // The write queue is full.
      return Self.busyMilliseconds
    }
    waiting = []
    isUnderWay = true
    wroteAt = now
    return nil
  }

  /// Queues settings again, but for those with a newer value.
  private func wait(_ settings: [Setting]) {
    for var setting in settings where !waiting.contains(where: { $0.path == setting.path }) {
      setting.isReported = true
      waiting.append(setting)
    }
  }
}
