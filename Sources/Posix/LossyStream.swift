internal import Glibc

/// Standard output or standard error, written without blocking.
///
/// Lines that are not read are dropped.
///
/// The process that started this one may have stopped reading, which must not block the node. Lines
/// stay complete and in order. After a loss, the next line reports the number of dropped lines. Any
/// thread.
final class LossyStream: Sendable {
  private struct State {
    // The rest of a partially written line.
    var rest: [UInt8] = []
    var lostCount = 0
  }

  private enum Way {
    // A separate open file description: O_NONBLOCK must not affect other processes that share the
    // stream.
    case opened(Descriptor)
    case socket
    case shared
  }

  static let output = LossyStream(1)
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

  /// Writes a line or drops it, after waiting up to `milliseconds`.
  ///
  /// Returns whether it was written.
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
        whole =
          Array("syrinx: \(state.lostCount) \(lines) dropped: the reader was too slow\n".utf8)
          + line
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

  /// Writes bytes, and leaves the rest in the array.
  ///
  /// Returns false if a rest remains.
  private func put(_ bytes: inout [UInt8], _ milliseconds: Int) -> Bool {
    while !bytes.isEmpty {
      var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      guard poll(&entry, 1, Int32(milliseconds)) > 0 else { return false }
      let count = putSome(bytes)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return false }
      // The reader has closed the stream for good.
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
    // A writable pipe accepts PIPE_BUF bytes without blocking.
    case .shared: Glibc.write(number, bytes, min(bytes.count, Int(PIPE_BUF)))
    }
  }
}
