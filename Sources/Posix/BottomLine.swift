internal import Glibc

/// A line at the bottom of the terminal that standard error goes to, below all that is said there.
///
/// It is there only where a person reads along, and never waits for the terminal: that may stand
/// still for as long as it wants.
package enum BottomLine {
  private struct State {
    // The same terminal, opened anew: a writing that doesn't wait is not to be that of
    // whoever else has standard error.
    var terminal: Descriptor?
    var text = ""
    // What was said and the terminal has not taken yet.
    var waiting: [UInt8] = []
  }

  // A terminal that stands still may do so for a night.
  private static let mostWaiting = 1 << 16

  private static let state = Guarded(State())
  private static let clearing = Array("\r\u{1B}[K".utf8)

  /// Opens the line, empty; false where standard error is no terminal, or one that can't do it.
  package static func open() -> Bool {
    guard Environment.isWatched, let kind = Environment["TERM"], kind != "dumb",
      let path = ttyname(2).map({ String(cString: $0) }),
      let terminal = try? Descriptor(
        Glibc.open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), orThrow: path)
    else { return false }
    state.withLock { $0.terminal = terminal }
    return true
  }

  /// The columns of the terminal that the line may take; nil where nobody would see it at the
  /// moment.
  package static var columns: Int? {
    state.withLock { state in
      guard let number = state.terminal?.number, isOurs(number) else { return nil }
      var size = winsize()
      guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 3 else { return 77 }
      // Ctrl-C is shown behind it, and must not begin another line.
      return Int(size.ws_col) - 3
    }
  }

  /// Shows a text in the line, unless it stands there already, or the terminal stands still.
  package static func show(_ text: String) {
    state.withLock { state in
      guard text != state.text, flush(&state) else { return }
      // What it does not take now, the next text writes over.
      _ = put(clearing + Array(text.utf8), state.terminal)
      state.text = text
    }
  }

  /// Closes the line, and leaves it empty.
  package static func close() {
    state.withLock { state in
      if flush(&state), !state.text.isEmpty { _ = put(clearing, state.terminal) }
      state = State()
    }
  }

  /// Says something on its terminal, with the line out of its way, as soon as the terminal takes it;
  /// false where there is no such line, or a descriptor leads elsewhere.
  static func say(_ bytes: [UInt8], for descriptor: Int32) -> Bool {
    state.withLock { state in
      guard let number = state.terminal?.number, device(descriptor) == device(number) else {
        return false
      }
      // Behind another program there is no line of ours to be cleared any more.
      if !isOurs(number) { state.text = "" }
      let text = Array(state.text.utf8)
      let all = text.isEmpty ? bytes : clearing + bytes + text
      if state.waiting.count + all.count <= mostWaiting { state.waiting += all }
      _ = flush(&state)
      return true
    }
  }

  /// Whether the terminal shows what this program writes: behind another one it would write into
  /// what that shows.
  private static func isOurs(_ number: Int32) -> Bool {
    let owner = tcgetpgrp(number)
    return owner < 0 || owner == getpgrp()
  }

  private static func device(_ descriptor: Int32) -> dev_t? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_rdev : nil
  }

  /// Writes what waits; false where the terminal does not take all of it.
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
