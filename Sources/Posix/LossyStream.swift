internal import Glibc

/// Standard output or standard error, written without waiting: what nobody reads gets lost.
///
/// Whoever started the program may have stopped to read, and must not stop the program with that.
/// Lines come whole and in order; where some were lost, the next one says how many. Any thread.
final class LossyStream: Sendable {
  private struct State {
    // The rest of a line of which the reader has taken a part.
    var rest: [UInt8] = []
    var lostCount = 0
  }

  private enum Way {
    // An opening of our own: not to wait is not to be true for others who have the stream.
    case opened(Descriptor)
    case socket
    case shared
  }

  /// Standard output.
  static let output = LossyStream(1)
  /// Standard error.
  static let errors = LossyStream(2)

  private let number: Int32
  private let way: Way
  private let state = Guarded(State())

  private init(_ number: Int32) {
    self.number = number
    var status = stat()
    guard fstat(number, &status) == 0 else {
      way = .shared
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFIFO, S_IFCHR:
      let anew = open(
        "/proc/self/fd/\(number)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      way = (try? Descriptor(anew, orThrow: "stream")).map(Way.opened) ?? .shared
    case S_IFSOCK: way = .socket
    default: way = .shared
    }
  }

  /// Writes a line, or loses it, and says whether it was written; waits for so many milliseconds.
  @discardableResult
  func write(_ line: [UInt8], waitingFor milliseconds: Int = 0) -> Bool {
    state.withLock { state in
      guard put(&state.rest, milliseconds) else {
        state.lostCount += 1
        return false
      }
      var whole = line
      if state.lostCount > 0 {
        let lines = state.lostCount == 1 ? "line" : "lines"
        whole = Array("syrinx: \(state.lostCount) \(lines) lost here: nobody read\n".utf8) + line
      }
      let length = whole.count
      guard put(&whole, milliseconds) || whole.count < length else {
        state.lostCount += 1
        return false
      }
      state.rest = whole
      state.lostCount = 0
      return true
    }
  }

  /// Writes bytes, and leaves those that are not taken; false where there are such.
  private func put(_ bytes: inout [UInt8], _ milliseconds: Int) -> Bool {
    while !bytes.isEmpty {
      var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      guard poll(&entry, 1, Int32(milliseconds)) > 0 else { return false }
      let count = putSome(bytes)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return false }
      // Whoever has gone wants no more, ever.
      guard count > 0 else {
        bytes = []
        return true
      }
      bytes.removeFirst(count)
    }
    return true
  }

  private func putSome(_ bytes: [UInt8]) -> Int {
    switch way {
    case .opened(let descriptor): Glibc.write(descriptor.number, bytes, bytes.count)
    case .socket:
      send(number, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    // A pipe that has room at all has it for so much.
    case .shared: Glibc.write(number, bytes, min(bytes.count, Int(PIPE_BUF)))
    }
  }
}
