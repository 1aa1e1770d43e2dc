internal import Glibc

/// A system call that failed, with what it was for.
package struct SystemError: Error, CustomStringConvertible {
  /// The system's number for the fault.
  package let code: Int32
  /// What was tried.
  package let action: String

  /// The fault that `errno` tells of now.
  package init(_ action: String, code: Int32 = errno) {
    self.code = code
    self.action = action
  }

  /// Whether an address was in use already.
  package var isAddressInUse: Bool { code == EADDRINUSE }

  /// The system's number for what is not there.
  package static let missing = ENOENT

  /// Whether what was looked for is not there.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether a file is larger than what is taken.
  package var isTooLarge: Bool { code == EFBIG }

  package var description: String { "\(action): \(String(cString: strerror(code)))" }
}
