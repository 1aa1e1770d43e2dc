internal import Glibc
internal import Posix
internal import Screen

/// The terminal as a full screen: another page, no cursor, and each key at once.
///
/// What it has changed is as before after `leave`.
final class FullScreen {
  private var buffer: ScreenBuffer
  private var usual: termios?
  private var isOpen = false

  init(hasColor: Bool) { buffer = ScreenBuffer(hasColor: hasColor) }

  /// Whether both a picture can be shown and a person is there to see it.
  static var isPossible: Bool {
    guard let kind = Environment["TERM"] else { return false }
    return isatty(1) == 1 && kind != "dumb"
  }

  /// The terminal's size in columns and rows.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Takes the terminal; also again, after somebody else had it.
  func enter() {
    var modes = termios()
    // Where no keys come from a terminal, there are none.
    if tcgetattr(0, &modes) == 0 {
      if usual == nil { usual = modes }
      // Signals stay as they are: Ctrl-C and Ctrl-Z come as those.
      modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(0, TCSADRAIN, &modes)
    }
    buffer.forget()
    // Going to the other page twice would forget where the cursor was on the first.
    Environment.print(isOpen ? ScreenBuffer.hidingCursor : ScreenBuffer.opening)
    isOpen = true
  }

  /// Gives the terminal back.
  func leave() {
    Environment.print(ScreenBuffer.closing)
    isOpen = false
    if var usual { tcsetattr(0, TCSADRAIN, &usual) }
    usual = nil
  }

  /// Shows a picture: sends what of it is new; false where the terminal is gone.
  func show(_ canvas: Canvas) -> Bool {
    let output = buffer.update(to: canvas)
    return output.isEmpty || Environment.print(output)
  }

  /// Draws all with the next picture.
  func forget() { buffer.forget() }
}
