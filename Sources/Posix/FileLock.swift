internal import Glibc

/// A lock on a file that one process at a time holds, until it lets go of it or ends, however it
/// does.
package final class FileLock: Sendable {
  private let descriptor: Descriptor

  /// Locks a file, which is made where there is none; nil where another process has the lock.
  package init?(_ path: String) throws(SystemError) {
    descriptor = try Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666), orThrow: path)
    guard flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 else { return }
    guard errno == EWOULDBLOCK else { throw SystemError(path) }
    return nil
  }
}
