internal import Glibc
internal import Posix
internal import Screen

/// The terminal in full-screen mode: the alternate screen, no cursor, and unbuffered keys.
///
/// `leave` restores all changes.
final class FullScreen {
  private var buffer: ScreenBuffer
  private var usual: termios?
  private var isOpen = false

  init(hasColor: Bool) { buffer = ScreenBuffer(hasColor: hasColor) }

  /// Whether the terminal can show a picture and a person can see it.
  static var isPossible: Bool {
    guard let kind = Environment["TERM"] else { return false }
    return isatty(1) == 1 && kind != "dumb"
  }

  /// The terminal's size in columns and rows.
  var size: (columns: Int, rows: Int) {
    guard let size = Environment.size(ofTerminal: 1), size.rows > 0 else { return (80, 24) }
    return size
  }

  /// Takes over the terminal, also after another program has used it.
  func enter() {
    var modes = termios()
    // Without a terminal as input there are no keys.
    if tcgetattr(0, &modes) == 0 {
      if usual == nil { usual = modes }
      // Ctrl-C and Ctrl-Z still send signals.
      modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(0, TCSADRAIN, &modes)
    }
    buffer.forget()
    // Entering the alternate screen twice would lose the cursor position of the main screen.
    Environment.print(isOpen ? ScreenBuffer.hidingCursor : ScreenBuffer.opening)
    isOpen = true
  }

  /// Restores the terminal.
  func leave() {
    Environment.print(ScreenBuffer.closing)
    isOpen = false
    if var usual { tcsetattr(0, TCSADRAIN, &usual) }
    usual = nil
  }

  /// Draws the changes of a picture.
  ///
  /// Returns false if the terminal is gone.
  func show(_ canvas: Canvas) -> Bool {
    let output = buffer.update(to: canvas)
    return output.isEmpty || Environment.print(output)
  }

  /// Makes the next picture redraw everything.
  func forget() { buffer.forget() }
}
