internal import Foundation

/// A pseudo terminal with the program under test on it.
package final class PseudoTerminal {
  /// The contents of the terminal.
  package private(set) var picture: TerminalPicture
  /// All text written to the terminal.
  package private(set) var output = ""

  private let process = Process()
  private let near: Int32
  private let far: Int32
  private let before: termios
  // An incomplete escape sequence or character.
  private var rest: [UInt8] = []

  // Runs a program like an interactive shell; a stopped program continues after the next line.
  private static let shell = [
    "bash", "-c", #"set -m; "$@"; if read -r; then fg; fi; exit $?"#, "sh",
  ]

  /// Starts the program under test on a terminal of a size; in a shell if it will be stopped.
  package init(
    _ arguments: [String], columns: Int = 80, rows: Int = 24, inShell: Bool = false,
    environment: [String: String] = [:]
  ) throws {
    picture = TerminalPicture(columns: columns, rows: rows)
    var (near, far): (Int32, Int32) = (0, 0)
    guard openpty(&near, &far, nil, nil, nil) == 0 else { throw Fault("no terminal") }
    (self.near, self.far) = (near, far)
    _ = fcntl(near, F_SETFL, O_NONBLOCK)
    var modes = termios()
    tcgetattr(far, &modes)
    before = modes
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The foreground process of a terminal must be in its own session.
    process.arguments =
      ["setsid", "--wait", "--ctty"] + (inShell ? Self.shell : [])
      + [NodeProcess.binary.path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TERM": "xterm", "LC_ALL": "C.UTF-8"].merging(environment) { $1 }
    ) { $1 }
    let terminal = FileHandle(fileDescriptor: far)
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    setSize(columns, rows)
    try process.run()
  }

  deinit {
    if process.isRunning {
      signal(SIGKILL)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    close(near)
    close(far)
  }

  /// The process id of the program.
  package var id: Int32 { tcgetpgrp(near) }

  /// Sends the program a signal.
  package func signal(_ number: Int32) {
    // 0, -1 and 1 would signal other processes, and many.
    if id > 1 { Foundation.kill(id, number) }
  }

  /// Resizes the terminal, with the signal that terminals send.
  package func resize(columns: Int, rows: Int) {
    picture = TerminalPicture(columns: columns, rows: rows)
    setSize(columns, rows)
  }

  private func setSize(_ columns: Int, _ rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(near, UInt(TIOCSWINSZ), &size)
  }

  /// Presses keys.
  package func type(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(near, bytes, bytes.count)
  }

  /// Reads output until a condition holds.
  ///
  /// Returns false on timeout.
  package func wait(
    seconds: Double = waitLimit, until isDone: (TerminalPicture) -> Bool
  ) -> Bool {
    (try? waitUntil("the terminal shows the expected output", seconds: seconds, every: 0.01) {
      read()
      return isDone(picture)
    }) != nil
  }

  /// Waits until the terminal shows a text.
  ///
  /// Returns false on timeout.
  package func shows(_ text: String, seconds: Double = waitLimit) -> Bool {
    wait(seconds: seconds) { $0.lines.contains { $0.contains(text) } }
  }

  private func read() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = Foundation.read(near, &buffer, buffer.count), count > 0 {
      rest += buffer[..<count]
    }
    // A sequence may continue in the next read.
    let isEscape: (UInt8) -> Bool = { $0 == 0x1B }
    var end = rest.count
    if let escape = rest.lastIndex(where: isEscape),
      !rest[(escape + 1)...].dropFirst().contains(where: { (0x40...0x7E).contains($0) })
    {
      end = escape
    } else if let start = rest.suffix(4).lastIndex(where: { $0 & 0xC0 == 0xC0 }) {
      let length = rest[start] >= 0xF0 ? 4 : rest[start] >= 0xE0 ? 3 : 2
      if start + length > rest.count { end = start }
    }
    let text = String(decoding: rest[..<end], as: UTF8.self)
    rest.removeFirst(end)
    output += text
    picture.take(text)
  }

  /// Waits for the program to exit, and returns its exit code; nil on timeout.
  package func awaitEnd(seconds: Double = waitLimit) -> Int32? {
    guard wait(seconds: seconds, until: { _ in !process.isRunning }) else { return nil }
    read()
    return process.terminationStatus
  }

  /// Whether the terminal's mode is restored: line-buffered, with echo.
  package var isAsBefore: Bool {
    var modes = termios()
    tcgetattr(far, &modes)
    return modes.c_lflag == before.c_lflag && modes.c_iflag == before.c_iflag
      && modes.c_oflag == before.c_oflag
  }
}
