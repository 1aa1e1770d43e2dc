internal import CPosix
internal import Glibc

/// An open file descriptor, closed with its last reference.
package final class Descriptor: Sendable {
  /// The number of the descriptor.
  package let number: Int32

  /// Takes ownership of a descriptor returned by a system call.
  ///
  /// `action` names the call in the error.
  package init(_ number: Int32, orThrow action: String) throws(SystemError) {
    guard number >= 0 else { throw SystemError(action) }
    self.number = number
  }

  /// Creates a file for writing, which only its owner can read and which must not exist.
  ///
  /// `action`, by default the path, is named in the error.
  package convenience init(
    creating path: String, orThrow action: String? = nil
  ) throws(SystemError) {
    let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    try self.init(number, orThrow: action ?? path)
  }

  deinit { close(number) }

  /// Creates the two ends of a pipe.
  static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
    var ends: [Int32] = [-1, -1]
    guard px_pipe(&ends) == 0 else { throw SystemError("pipe") }
    return (try Descriptor(ends[0], orThrow: "pipe"), try Descriptor(ends[1], orThrow: "pipe"))
  }

  /// Writes all bytes.
  ///
  /// `action` is named in the error.
  package func write(
    _ bytes: UnsafeRawBufferPointer, action: String
  ) throws(SystemError) {
    let (written, code) = Self.move(bytes.count, codeOfNone: ENOSPC) { done in
      Glibc.write(number, bytes.baseAddress! + done, bytes.count - done)
    }
    guard written == bytes.count else { throw SystemError(action, code: code) }
  }

  /// Writes all bytes.
  ///
  /// `action` is named in the error.
  package func write(_ bytes: [UInt8], action: String) throws(SystemError) {
    try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
      try write(UnsafeRawBufferPointer(bytes), action: action)
    }
  }

  /// Writes bytes at an offset of the file.
  ///
  /// Returns the number of bytes written and, if not all, the error code.
  package func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> (count: Int, code: Int32) {
    Self.move(bytes.count, codeOfNone: ENOSPC) { done in
      pwrite(number, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
    }
  }

  /// Reads bytes at an offset of the file.
  ///
  /// Returns the number of bytes read. If not all, the error code is 0 at the end of the file.
  package func read(
    into memory: UnsafeMutableRawBufferPointer, at offset: Int
  ) -> (count: Int, code: Int32) {
    Self.move(memory.count, codeOfNone: 0) { done in
      pread(number, memory.baseAddress! + done, memory.count - done, off_t(offset + done))
    }
  }

  /// Repeats a system call until it has moved `count` bytes, moves none, or fails.
  private static func move(
    _ count: Int, codeOfNone: Int32, _ call: (_ done: Int) -> Int
  ) -> (count: Int, code: Int32) {
    var done = 0
    while done < count {
      let moved = call(done)
      if moved < 0, errno == EINTR { continue }
      if moved <= 0 { return (done, moved < 0 ? errno : codeOfNone) }
      done += moved
    }
    return (done, 0)
  }
}

extension Descriptor {
  /// Returns the process at the other end of a Unix-domain socket of this process, and the path to which it is
  /// connected; nil if a number is no such descriptor.
  package static func peer(of number: Int32) -> (process: Int32, path: String)? {
    var path = [CChar](repeating: 0, count: 128)
    let process = px_peer(number, &path, path.count)
    return process > 0 ? (process, String(terminated: path)) : nil
  }
}
