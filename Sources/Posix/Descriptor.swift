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

  /// Writes all bytes.
  ///
  /// `action` is named in the error.
  package func write(
    _ bytes: UnsafeRawBufferPointer, action: String
  ) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(number, rest.base.baseAddress! + rest.startIndex, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(action) }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes all bytes.
  ///
  /// `action` is named in the error.
  package func write(_ bytes: [UInt8], action: String) throws(SystemError) {
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, SystemError> in
      Result { () throws(SystemError) in try write(bytes, action: action) }
    }
    try result.get()
  }
}
