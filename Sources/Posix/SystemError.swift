internal import Glibc

/// A failed system call: its error code and its purpose.
package struct SystemError: Error, CustomStringConvertible {
  /// The `errno` value.
  package let code: Int32
  /// The failed action, or the path that it was about.
  package let action: String

  /// Creates an error, by default from the current `errno`.
  package init(_ action: String, code: Int32 = errno) {
    self.code = code
    self.action = action
  }

  /// Whether the address is already in use.
  package var isAddressInUse: Bool { code == EADDRINUSE }

  package static let missing = ENOENT

  /// Whether the file was not found.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether another process uses it.
  package var isBusy: Bool { code == EBUSY }

  /// Whether the permission is missing.
  package var isDenied: Bool { code == EACCES || code == EPERM }

  /// Whether the disk is the reason, and not the path: it is read-only, full or failing.
  package var isOfDisk: Bool { [EROFS, ENOSPC, EDQUOT, EIO].contains(code) }

  /// Whether the file exceeds the size limit.
  package var isTooLarge: Bool { code == EFBIG }

  /// The system's description of the code.
  package var reason: String { String(cString: strerror(code)) }

  package var description: String { "\(action): \(reason)" }
}

/// Returns the value of a system call, or throws what `fault` makes of its error.
@discardableResult
package func system<Value: ~Copyable, Fault: Error>(
  _ value: @autoclosure () throws(SystemError) -> Value, or fault: (SystemError) -> Fault
) throws(Fault) -> Value {
  do throws(SystemError) { return try value() } catch { throw fault(error) }
}

extension String {
  /// Decodes a buffer up to its first zero byte.
  package init(terminated buffer: [CChar]) {
    self.init(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
  }
}
