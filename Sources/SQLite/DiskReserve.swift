internal import Glibc

/// A file that occupies disk space until the disk is full.
///
/// Deleting rows takes space before it frees any: for the log, and for what the log has not written to
/// the database file yet. Releasing the reserve makes that possible.
struct DiskReserve {
  // A disk with little more than the reserve is better used for data.
  private static let usualShare = 4

  private let path: String
  private let bytes: Int

  /// Creates the reserve of a database file.
  init(of database: String, bytes: Int) {
    path = "\(database)-reserve"
    self.bytes = bytes
  }

  /// Occupies the space, if it is at most a quarter of the free space.
  ///
  /// Takes any free space `again` after a release.
  func hold(again: Bool = false) {
    var status = stat()
    if stat(path, &status) == 0, Int(status.st_size) == bytes { return }
    guard let free = Self.freeBytes(near: path), free >= bytes * (again ? 1 : Self.usualShare)
    else { return }
    let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { return }
    defer { close(number) }
    if posix_fallocate(number, 0, off_t(bytes)) != 0 { unlink(path) }
  }

  /// Frees the space.
  func release() { unlink(path) }

  /// The free bytes of the disk of a file or its folder, or nil if unknown.
  static func freeBytes(near path: String) -> Int? {
    let end = path.lastIndex(of: "/")
    let folder = end.map { String(path[...$0]) } ?? "."
    var disk = statvfs()
    guard statvfs(folder, &disk) == 0 else { return nil }
    let (bytes, isTooLarge) = Int(clamping: disk.f_bavail)
      .multipliedReportingOverflow(by: Int(clamping: disk.f_frsize))
    return isTooLarge ? .max : bytes
  }
}
