internal import Glibc

/// An open file descriptor, closed with its last reference.
package final class Descriptor: Sendable {
  /// The descriptor's number, as the system has it.
  package let number: Int32

  /// Owns a descriptor that a system call returned.
  package init(_ number: Int32, orThrow action: String) throws(SystemError) {
    guard number >= 0 else { throw SystemError(action) }
    self.number = number
  }

  deinit { close(number) }
}
