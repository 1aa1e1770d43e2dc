/// A store for what the home folder keeps, by address.
protocol SettingsStore: AnyObject {
  /// Keeps settings, and then calls `ending`; refuses where too much waits for the disk.
  func keep(
    _ settings: [(path: String, text: String)],
    then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal)
}

/// The writer of settings to the home folder: the latest of each, and one write at a time.
///
/// What is set once is written at once; what a wheel or a pedal moves on and on, a few times a second.
final class SettingsWriter {
  // Between the beginnings of two writes, in microseconds.
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
  ///
  /// `whenUnkept` is told of each setting that could not be kept: why, its address, and who set it.
  func poll(
    _ now: Double, to store: (any SettingsStore)?,
    whenUnkept: @escaping (Refusal, String, Client?) -> Void
  ) -> Int? {
    guard !waiting.isEmpty, !isUnderWay, let store else { return nil }
    guard isUrgent || now >= due else { return max(1, Int((due - now) / 1000)) }
    let settings = waiting
    do throws(Refusal) {
      try store.keep(settings.map { ($0.path, $0.text) }) { [weak self] outcome in
        self?.isUnderWay = false
        guard case .failure(let refusal) = outcome else { return }
        for setting in settings { whenUnkept(refusal, setting.path, setting.client) }
      }
    } catch {
      // Others wait for the disk, too.
      return Self.busyMilliseconds
    }
    waiting = []
    isUnderWay = true
    due = now + Self.period
    return nil
  }
}
