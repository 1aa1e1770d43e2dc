internal import Glibc

/// The error of a system call that failed, with what it was for.
package struct SystemError: Error, CustomStringConvertible {
  /// The `errno` of the fault.
  package let code: Int32
  /// The action that failed, or the path of what it was about.
  package let action: String

  /// The error that `errno` tells of now.
  package init(_ action: String, code: Int32 = errno) {
    self.code = code
    self.action = action
  }

  /// Whether an address was in use already.
  package var isAddressInUse: Bool { code == EADDRINUSE }

  /// The `errno` of what is not there, ENOENT.
  package static let missing = ENOENT

  /// Whether what was looked for is not there.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }

  /// Whether a file is larger than what is taken.
  package var isTooLarge: Bool { code == EFBIG }

  package var description: String { "\(action): \(String(cString: strerror(code)))" }
}
