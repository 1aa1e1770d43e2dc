internal import Glibc

extension Files {
  /// The identity and version of a file, for detecting changes.
  package struct Stamp: Hashable, Sendable {
    let device: UInt64
    let file: UInt64
    let bytes: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The kind of a file system object.
  package enum Kind: Sendable {
    case file(Stamp)
    /// Equal for the same folder, regardless of the path.
    case folder(Stamp)
    case other
  }

  /// Returns the kind of the object at a path.
  ///
  /// Follows symbolic links.
  package static func kind(of path: String) throws(SystemError) -> Kind {
    var status = stat()
    guard stat(path, &status) == 0 else { throw SystemError(path) }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let stamp = Stamp(
      device: UInt64(status.st_dev), file: UInt64(status.st_ino),
      bytes: isFolder ? 0 : Int64(status.st_size),
      seconds: isFolder ? 0 : status.st_mtim.tv_sec,
      nanoseconds: isFolder ? 0 : status.st_mtim.tv_nsec)
    if isFolder { return .folder(stamp) }
    return status.st_mode & S_IFMT == S_IFREG ? .file(stamp) : .other
  }

  /// Creates a folder in the folder for temporary files, under a unique name, and returns its path.
  package static func makeTemporaryFolder(_ name: String) throws(SystemError) -> String {
    var path = Array("\(Environment["TMPDIR"] ?? "/tmp")/\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { throw SystemError("a folder in the TMPDIR") }
    return String(terminated: path)
  }

  /// Removes a file, or a folder with all it contains; does nothing if there is neither.
  package static func removeAll(_ path: String) throws(SystemError) {
    if isFolder(path), target(ofLink: path) == nil {
      for name in try entries(of: path) { try removeAll("\(path)/\(name)") }
    }
    guard Glibc.remove(path) == 0 || errno == ENOENT else { throw SystemError(path) }
  }

  /// Returns the free space for this user and the size of a path's file system, in bytes; nil if unknown.
  package static func space(at path: String) -> (free: Int, size: Int)? {
    var space = statvfs()
    guard statvfs(path, &space) == 0 else { return nil }
    let unit = Int(space.f_frsize)
    return (Int(space.f_bavail) * unit, Int(space.f_blocks) * unit)
  }

  /// Returns the text of a symbolic link; nil if there is none.
  package static func target(ofLink path: String) -> String? {
    var target = [UInt8](repeating: 0, count: 256)
    let count = readlink(path, &target, target.count)
    return count > 0 ? String(decoding: target[..<count], as: UTF8.self) : nil
  }

  /// Whether a path in a folder is that of a symbolic link which leads out of it.
  package static func leadsOut(_ path: String, of folder: String) -> Bool {
    guard let real = try? resolved(path), let root = try? resolved(folder) else { return false }
    return !real.hasPrefix(root + "/")
  }

  /// Returns the absolute path, with symbolic links resolved.
  package static func resolved(_ path: String) throws(SystemError) -> String {
    guard let text = realpath(path, nil) else { throw SystemError(path) }
    defer { free(text) }
    return String(cString: text)
  }
}
