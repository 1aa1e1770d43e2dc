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
  }

  private static let state = Guarded(State())

  /// Begins it, empty; false where standard error is no terminal, or one that can't do it.
  package static func open() -> Bool {
    guard Environment.isWatched, let kind = Environment["TERM"], kind != "dumb",
      let path = ttyname(2).map({ String(cString: $0) }),
      let terminal = try? Descriptor(
        Glibc.open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), orThrow: path)
    else { return false }
    state.withLock { $0.terminal = terminal }
    return true
  }

  /// How many columns there are for it; nil where nobody would see it at the moment.
  package static var columns: Int? {
    let columns = state.withLockIfFree { state -> Int? in
      guard let number = state.terminal?.number else { return nil }
      // Behind another program it would write into what that shows.
      let owner = tcgetpgrp(number)
      guard owner < 0 || owner == getpgrp() else { return nil }
      var size = winsize()
      guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 3 else { return 77 }
      // Ctrl-C is shown behind it, and must not begin another line.
      return Int(size.ws_col) - 3
    }
    return columns ?? nil
  }

  /// Shows a text in it, unless it stands there already; or unless somebody says something just now.
  package static func show(_ text: String) {
    state.withLockIfFree { state in
      guard text != state.text else { return }
      put("\r\u{1B}[K\(text)", state.terminal)
      state.text = text
    }
  }

  /// Ends it, and leaves the line empty.
  package static func close() {
    state.withLockIfFree { state in
      if !state.text.isEmpty { put("\r\u{1B}[K", state.terminal) }
      state = State()
    }
  }

  /// Writes something else to the terminal, with the line out of its way.
  static func above<Result>(_ write: () -> Result) -> Result {
    state.withLock { state in
      guard !state.text.isEmpty else { return write() }
      put("\r\u{1B}[K", state.terminal)
      defer { put(state.text, state.terminal) }
      return write()
    }
  }

  private static func put(_ text: String, _ terminal: Descriptor?) {
    guard let terminal else { return }
    let bytes = Array(text.utf8)
    // What it does not take now, the next text writes over.
    _ = write(terminal.number, bytes, bytes.count)
  }
}
