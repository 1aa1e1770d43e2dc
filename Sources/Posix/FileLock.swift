internal import Glibc

/// An exclusive lock on a file, released when the owner drops it or its process ends in any way.
package final class FileLock: Sendable {
  private let descriptor: Descriptor

  /// Locks a file, created if needed.
  ///
  /// Returns nil if another process holds the lock.
  package init?(_ path: String) throws(SystemError) {
    descriptor = try Self.opened(path)
    guard flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 else { return }
    guard errno == EWOULDBLOCK else { throw SystemError(path) }
    return nil
  }

  /// Locks a file, created if needed, as soon as no other process holds the lock.
  package init(awaiting path: String) throws(SystemError) {
    descriptor = try Self.opened(path)
    while flock(descriptor.number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw SystemError(path) }
    }
  }

  private static func opened(_ path: String) throws(SystemError) -> Descriptor {
    try Descriptor(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666), orThrow: path)
  }
}
