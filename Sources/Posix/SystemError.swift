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

  package var description: String { "\(action): \(String(cString: strerror(code)))" }
}
