/// A cache of values preloaded by name for upcoming scenes.
final class ReadAhead<Value> {
  /// How far a name is read.
  enum State {
    case unread
    case ready(Value)
    case failed(Refusal)
  }

  /// A source of values.
  struct Source {
    /// The limit on the total size of the values in memory, not counting the first name.
    let most: Double
    let size: (Value) -> Double
    /// Whether a value is still valid.
    let isCurrent: (String, Value) -> Bool
    /// Whether the next one may be read.
    var isReady: () -> Bool = { true }
    let read: (String, @escaping (Result<Value, Refusal>) -> Void) throws(Refusal) -> Void
    /// Called with a value that is no longer needed.
    var drop: (Value) -> Void = { _ in }
  }

  private let source: Source
  // In the order of their use.
  private var wanted: [String] = []
  private var read: [String: State] = [:]
  // The names whose values exceed the limit together with those before them.
  private var skipped: Set<String> = []
  private var reading: String?
  // Whether the value being read is outdated.
  private var isStale = false
  /// Called when a name is read, or can't be.
  var whenRead: () -> Void = {}

  init(_ source: Source) { self.source = source }

  /// Whether a name is being read, or waits for its turn.
  var isReading: Bool {
    reading != nil || wanted.contains { read[$0] == nil && !skipped.contains($0) }
  }

  /// Preloads these in this order, as far as they fit, and drops all others.
  func want(_ names: [String]) {
    if names != wanted { skipped = [] }
    wanted = names
    readNext()
  }

  /// Reads a name again, because it has changed.
  func forget(_ name: String) {
    drop(read.removeValue(forKey: name))
    if reading == name { isStale = true }
    readNext()
  }

  /// Reads all again.
  func forgetAll() {
    for state in read.values { drop(state) }
    read = [:]
    isStale = reading != nil
    readNext()
  }

  /// How far a name is read.
  func state(of name: String) -> State {
    readNext()
    return read[name] ?? .unread
  }

  /// Takes the value of a name out; nil if it is not read.
  func take(_ name: String) -> Value? {
    guard case .ready(let value)? = read[name] else { return nil }
    read[name] = nil
    return value
  }

  /// Adds a value that was read elsewhere, if it is wanted.
  func add(_ value: Value, as name: String) {
    if wanted.contains(name), read[name] == nil, reading != name { read[name] = .ready(value) }
  }

  private func drop(_ state: State?) {
    if case .ready(let value)? = state { source.drop(value) }
  }

  /// Drops values that are no longer wanted, and starts to read the next one.
  func readNext() {
    guard reading == nil else { return }
    for (name, state) in read {
      var isKept = wanted.contains(name)
      if case .ready(let value) = state, !source.isCurrent(name, value) { isKept = false }
      if !isKept { drop(read.removeValue(forKey: name)) }
    }
    var size = 0.0
    for (index, name) in wanted.enumerated() where !skipped.contains(name) {
      switch read[name] {
      case .ready(let value):
        if index > 0, size + source.size(value) > source.most {
          drop(read.removeValue(forKey: name))
          skipped.insert(name)
        } else if index > 0 {
          size += source.size(value)
        }
      case .failed: break
      case .unread, nil:
        if source.isReady() { read(name) }
        return
      }
    }
  }

  private func read(_ name: String) {
    reading = name
    isStale = false
    func end(_ outcome: Result<Value, Refusal>) {
      reading = nil
      switch outcome {
      case .success(let value):
        if isStale { source.drop(value) } else { read[name] = .ready(value) }
      case .failure(let refusal): if !isStale { read[name] = .failed(refusal) }
      }
      whenRead()
      readNext()
    }
    completing(end) { () throws(Refusal) in try source.read(name, end) }
  }
}
