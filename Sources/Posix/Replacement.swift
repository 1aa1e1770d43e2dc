internal import Glibc

/// A file that replaces another one atomically when it is complete.
///
/// Until then it has a temporary name in the same folder. It is deleted unless it is completed.
package struct Replacement: ~Copyable {
  /// The descriptor for writing.
  package let descriptor: Descriptor
  private let path: String
  private let temporary: String
  private var isComplete: Bool

  /// Begins a replacement for the file at a path.
  ///
  /// An existing object must be a regular file: devices and folders are not replaced. Symbolic
  /// links are followed.
  package init(of path: String) throws(SystemError) {
    var place = path
    var mode: mode_t?
    var status = stat()
    if stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw SystemError(path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
      }
      mode = status.st_mode & 0o7777
      place = (try? Files.resolved(path)) ?? place
    }
    let temporary = "\(place).\(getpid()).part"
    let descriptor = try Descriptor(
      open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666), orThrow: path)
    // Keeps the permissions of the replaced file.
    if let mode { fchmod(descriptor.number, mode) }
    self.path = place
    self.temporary = temporary
    self.descriptor = descriptor
    isComplete = false
  }

  /// Moves the file to its path durably.
  package consuming func complete() throws(SystemError) {
    guard fsync(descriptor.number) == 0, rename(temporary, path) == 0 else {
      throw SystemError(path)
    }
    isComplete = true
    try Files.keepFolder(of: path)
  }

  deinit {
    if !isComplete { unlink(temporary) }
  }
}
