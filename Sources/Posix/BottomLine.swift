internal import Glibc

/// A status line at the bottom of the terminal that standard error goes to, below all other output.
///
/// Exists only in an interactive session. It never blocks on the terminal, which may be stopped for
/// any time.
package enum BottomLine {
  private struct State {
    // The terminal, opened again: O_NONBLOCK must not affect other processes that share standard
    // error.
    var terminal: Descriptor?
    var text = ""
    // Output that the terminal has not accepted yet.
    var waiting: [UInt8] = []
  }

  // A terminal may stay stopped for a night.
  private static let mostWaiting = 1 << 16

  private static let state = Guarded(State())
  private static let clearing = Array("\r\u{1B}[K".utf8)

  /// Opens an empty line.
  ///
  /// Returns false if standard error is not a capable terminal.
  package static func open() -> Bool {
    guard Environment.isWatched, let kind = Environment["TERM"], kind != "dumb",
      let path = ttyname(2).map({ String(cString: $0) }),
      let terminal = try? Descriptor(
        Glibc.open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), orThrow: path)
    else { return false }
    state.withLock { $0.terminal = terminal }
    return true
  }

  /// The width available to the line, in columns, or nil if this process is in the background.
  package static var columns: Int? {
    state.withLock { state in
      guard let number = state.terminal?.number, isOurs(number) else { return nil }
      // Leaves room for the echo of Ctrl-C, which must not wrap to a new line.
      let columns = (Environment.size(ofTerminal: number)?.columns ?? 0) - 3
      return columns > 0 ? columns : 77
    }
  }

  /// Shows a text in the line, unless it is there already or the terminal is stopped.
  package static func show(_ text: String) {
    state.withLock { state in
      guard text != state.text, flush(&state) else { return }
      // The next update overwrites whatever is not accepted now.
      _ = put(clearing + Array(text.utf8), state.terminal)
      state.text = text
    }
  }

  /// Clears and closes the line.
  package static func close() {
    state.withLock { state in
      if flush(&state), !state.text.isEmpty { _ = put(clearing, state.terminal) }
      state = State()
    }
  }

  /// Prints output above the line as soon as the terminal accepts it.
  ///
  /// Returns false if no line is open, or if the descriptor leads elsewhere.
  static func say(_ bytes: [UInt8], for descriptor: Int32) -> Bool {
    state.withLock { state in
      guard let number = state.terminal?.number, device(descriptor) == device(number) else {
        return false
      }
      // In the background there is no line of ours to clear.
      if !isOurs(number) { state.text = "" }
      let text = Array(state.text.utf8)
      let all = text.isEmpty ? bytes : clearing + bytes + text
      if state.waiting.count + all.count <= mostWaiting { state.waiting += all }
      _ = flush(&state)
      return true
    }
  }

  /// Whether this process is in the foreground.
  ///
  /// In the background its output would mix with that of another program.
  private static func isOurs(_ number: Int32) -> Bool {
    let owner = tcgetpgrp(number)
    return owner < 0 || owner == getpgrp()
  }

  private static func device(_ descriptor: Int32) -> dev_t? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_rdev : nil
  }

  /// Writes pending output.
  ///
  /// Returns false if the terminal does not accept all of it.
  private static func flush(_ state: inout State) -> Bool {
    while !state.waiting.isEmpty {
      let count = put(state.waiting, state.terminal)
      guard count > 0 else { return false }
      state.waiting.removeFirst(count)
    }
    return true
  }

  private static func put(_ bytes: [UInt8], _ terminal: Descriptor?) -> Int {
    guard let terminal else { return bytes.count }
    return write(terminal.number, bytes, bytes.count)
  }
}
