internal import Glibc

/// The environment of the process: variables, standard streams, the service manager.
package enum Environment {
  /// The value of an environment variable, or nil if unset or empty.
  package static subscript(name: String) -> String? {
    guard let value = getenv(name), value[0] != 0 else { return nil }
    return String(cString: value)
  }

  /// The home directory of the user.
  package static var homeFolder: String {
    self["HOME"] ?? getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
  }

  /// The path of the running executable.
  package static var programPath: String? { try? Files.resolved("/proc/self/exe") }

  package static var processID: Int32 { getpid() }

  /// Sends a line to systemd's notification socket, if there is one.
  package static func notifyServiceManager(_ line: String) {
    guard var path = self["NOTIFY_SOCKET"].map({ Array($0.utf8) }),
      path.count < 108,
      let socket = try? Descriptor(
        socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0), orThrow: "socket")
    else { return }
    // An @ stands for the zero byte of an abstract socket address.
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let bytes = Array(line.utf8)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
      }
    }
  }

  /// Writes a text to standard output.
  ///
  /// Returns false if a write fails.
  @discardableResult
  package static func print(_ text: String) -> Bool { print(Array(text.utf8)) }

  /// Writes bytes to standard output.
  ///
  /// Returns false if a write fails.
  package static func print(_ bytes: [UInt8]) -> Bool {
    BottomLine.say(bytes, for: 1) || put(bytes, 1)
  }

  /// Writes a line to standard output, or drops it if the reader is stalled for a second.
  package static func announce(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    if !BottomLine.say(bytes, for: 1) {
      LossyStream.output.write(bytes, waitingFor: patienceMilliseconds)
    }
  }

  /// Writes a message to standard error, or drops it if the reader is stalled.
  package static func say(_ line: String) { say(line, waitingFor: 0) }

  /// Writes the last message to standard error, or drops it if the reader is stalled for a second.
  package static func sayLast(_ line: String) { say(line, waitingFor: patienceMilliseconds) }

  private static func say(_ line: String, waitingFor milliseconds: Int) {
    let bytes = Array("syrinx: \(line)\n".utf8)
    if !BottomLine.say(bytes, for: 2) {
      LossyStream.errors.write(bytes, waitingFor: milliseconds)
    }
  }

  /// Whether standard error is an interactive terminal.
  package static var isWatched: Bool { isatty(2) == 1 }

  /// Returns the size of a terminal, or nil if the descriptor isn't a terminal or its size is unknown.
  package static func size(ofTerminal number: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Overwrites the current line of the terminal.
  package static func show(_ line: String) { _ = put(Array("\r\u{1B}[K\(line)".utf8), 2) }

  // Messages about an exit or a wait are worth a short delay for a slow reader.
  private static let patienceMilliseconds = 1000

  private static func put(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // EPIPE: the reader closed the pipe, which is not an error.
      guard count > 0 else { return errno == EPIPE }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
