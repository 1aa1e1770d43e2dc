internal import Engine
internal import Glibc
internal import Posix
internal import SoundFiles

/// The log of a running session, which buffers lines while the disk is full.
final class SessionLogFile {
  let path: String
  let descriptor: Descriptor
  private var end = 0
  private var pending: [UInt8] = []

  init(_ path: String, rate: Int, date: ZonedDate) throws(SystemError) {
    self.path = path
    descriptor = try Descriptor(
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666), orThrow: path)
    add(line: SessionLog.head(rate: rate, date: date))
  }

  func add(line: String) { pending += Array((line + "\n").utf8) }

  func add(_ events: [SessionEvent], marks: [Int: String]) {
    for event in events {
      if let line = SessionLog.line(event, marks: marks) { add(line: line) }
    }
  }

  /// Writes the pending lines.
  func write() throws(SoundFileError) {
    if pending.isEmpty { return }
    let (count, code) = pending.withUnsafeBytes { descriptor.write($0, at: end) }
    end += count
    pending.removeFirst(count)
    guard pending.isEmpty else {
      throw SoundFileError(
        .cannotWrite, "can't write \(SystemError(path, code: code))",
        isTemporary: code == ENOSPC || code == EDQUOT)
    }
  }
}
