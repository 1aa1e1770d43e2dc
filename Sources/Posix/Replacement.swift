internal import Glibc

/// A file in the making that takes another's place only when it is whole: until then it has a
/// name of its own beside it, and unless it is completed it vanishes.
package struct Replacement: ~Copyable {
  /// The descriptor that the new bytes are written to.
  package let descriptor: Descriptor
  private let path: String
  private let temporary: String
  private var isComplete: Bool

  /// Begins the file that shall stand at a path.
  ///
  /// What stands there already must be a file: a device or a folder is not replaced. Behind a
  /// link it is what the link leads to.
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
    // Who could read the former one can read this one, and nobody else.
    if let mode { fchmod(descriptor.number, mode) }
    self.path = place
    self.temporary = temporary
    self.descriptor = descriptor
    isComplete = false
  }

  /// Puts the file in its place, safe on the disk.
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
