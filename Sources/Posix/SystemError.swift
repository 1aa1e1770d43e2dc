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

  /// Whether the file exceeds the size limit.
  package var isTooLarge: Bool { code == EFBIG }

  package var description: String { "\(action): \(String(cString: strerror(code)))" }
}
