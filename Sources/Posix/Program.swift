internal import CPosix
internal import Glibc

/// Runs an external program to completion.
package enum Program {
  /// The way in which a program ended.
  package enum Ending: Equatable, Sendable {
    /// The program exited with a code.
    case code(Int32)
    /// A signal terminated it.
    case signal(Int32)
    /// The program was killed after the timeout.
    case late
    /// The program was not found.
    case missing
  }

  private static let look = timespec(tv_sec: 0, tv_nsec: 10_000_000)

  /// Runs a program from the search path.
  ///
  /// Waits for its end for at most `seconds`.
  package static func run(_ words: [String], seconds: Double) throws(SystemError) -> Ending {
    guard let process = try spawn(words) else { return .missing }
    return wait(for: process, seconds: seconds)
  }

  /// Runs a program from the search path, and returns what it writes to its standard output.
  ///
  /// Reads at most `most` bytes, and waits at most `seconds` for the program to exit.
  package static func output(
    of words: [String], seconds: Double, most: Int = 1 << 24
  ) throws(SystemError) -> (ending: Ending, bytes: [UInt8]) {
    var (reading, writing): (Descriptor, Descriptor?) = try Descriptor.pipe()
    guard let process = try spawn(words, output: writing) else { return (.missing, []) }
    // The child has its own copy; with this one open, there would be no end of file.
    writing = nil
    let end = HostTime.steady + seconds * 1e6
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < most {
      let left = Int32(max(0, (end - HostTime.steady) / 1e3))
      var ready = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
      let state = poll(&ready, 1, left)
      if state < 0, errno == EINTR { continue }
      guard state > 0 else { break }
      let count = read(reading.number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return (wait(for: process, seconds: max(0, (end - HostTime.steady) / 1e6)), bytes)
  }

  /// Starts a program from the search path in a process group of its own, with descriptors as its standard
  /// input and output, or none.
  ///
  /// Returns nil if it was not found.
  static func spawn(
    _ words: [String], input: Descriptor? = nil, output: Descriptor? = nil
  ) throws(SystemError) -> pid_t? {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The node blocks signals. The program needs the default mask.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for number: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
    if let input { posix_spawn_file_actions_adddup2(&actions, input.number, 0) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output.number, 1) }
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let code = posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
    guard code == 0 else {
      if code == ENOENT { return nil }
      throw SystemError(words[0], code: code)
    }
    return process
  }

  /// Waits for the end of a program for at most `seconds`, and then kills it.
  static func wait(for process: pid_t, seconds: Double) -> Ending {
    let end = HostTime.steady + seconds * 1e6
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { break }
      // Another waiter has reaped it already.
      if ended < 0, errno != EINTR { return .code(0) }
      if HostTime.steady > end {
        kill(-process, SIGKILL)
        waitpid(process, &status, 0)
        return .late
      }
      var left = look
      nanosleep(&left, nil)
    }
    let signal = status & 0x7F
    return signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
  }
}
