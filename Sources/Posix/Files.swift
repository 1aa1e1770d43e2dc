internal import Glibc

/// File system functions for small files and folders.
package enum Files {
  /// Creates a folder and its parents, durably.
  package static func makeFolder(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      let parent = made.isEmpty ? "." : made
      made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
      if mkdir(made, 0o755) == 0 {
        do throws(SystemError) { try keep(folder: parent) } catch {
          // A folder that one may write in but not read can't be opened.
          guard error.code == EACCES else { throw error }
        }
      } else {
        guard errno == EEXIST else { throw SystemError(made) }
      }
    }
    var status = stat()
    guard stat(path, &status) == 0, access(path, W_OK | X_OK) == 0 else { throw SystemError(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(path, code: ENOTDIR) }
  }

  /// Makes a path absolute, relative to the working directory.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else { return path }
    let folder = String(terminated: buffer)
    let parts = path.split(separator: "/").filter { $0 != "." }
    return ([folder == "/" ? "" : folder] + parts.map(String.init)).joined(separator: "/")
  }

  /// Tests whether `makeFolder` would succeed.
  ///
  /// Leaves nothing behind.
  package static func tryFolder(_ path: String) throws(SystemError) {
    var nearest = path
    while !exist(nearest), nearest.contains("/") { nearest = folder(of: nearest) }
    // Permission bits are not enough: a file system can refuse for other reasons.
    let trial = "\(nearest)/.syrinx-\(getpid())"
    guard mkdir(trial, 0o700) == 0 else { throw SystemError(path) }
    rmdir(trial)
  }

  /// Writes a file atomically.
  package static func write(_ text: String, to path: String) throws(SystemError) {
    try write(Array(text.utf8), to: path)
  }

  /// Writes a file atomically.
  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let file = try Replacement(of: path)
    try file.descriptor.write(bytes, action: path)
    try file.complete()
  }

  /// Writes a file atomically that only its owner can read, from the start.
  ///
  /// Replaces a former file together with its permissions.
  package static func writePrivate(_ text: String, to path: String) throws(SystemError) {
    let temporary = "\(path).\(getpid())"
    unlink(temporary)
    do {
      let file = try Descriptor(creating: temporary, orThrow: path)
      try file.write(Array(text.utf8), action: path)
      guard fsync(file.number) == 0 else { throw SystemError(path) }
    }
    guard move(temporary, to: path) else { throw SystemError(path) }
    try keepFolder(of: path)
  }

  /// Writes a file atomically, in a folder that is created if needed.
  package static func write(
    _ bytes: [UInt8], to path: String, inNewFolder folder: String
  ) throws(SystemError) {
    try makeFolder(folder)
    try write(bytes, to: path)
  }

  /// Appends a line durably to a file, which is created with owner-only access if needed.
  package static func append(line: String, to path: String) throws(SystemError) {
    let isNew = !exist(path)
    let file = try Descriptor(
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600), orThrow: path)
    let bytes = Array((line + "\n").utf8)
    // A single write: the line is complete or missing.
    guard Glibc.write(file.number, bytes, bytes.count) == bytes.count, fsync(file.number) == 0
    else { throw SystemError(path) }
    if isNew { try keepFolder(of: path) }
  }

  /// Reads a text file.
  ///
  /// Returns nil if it can't be opened.
  package static func read(_ path: String) -> String? {
    contents(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a file of any kind and unknown size, such as one of `/proc`.
  ///
  /// Empty if it can't be opened.
  package static func bytes(_ path: String) -> [UInt8] { contents(path) ?? [] }

  private static func contents(_ path: String) -> [UInt8]? {
    guard
      let file = try? Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path)
    else { return nil }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(file.number, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes
  }

  /// Removes a file if it exists.
  ///
  /// After a power failure it can be there again.
  package static func remove(_ path: String) { unlink(path) }

  /// Renames a file, replacing an existing one.
  ///
  /// After a power failure it can have its former name.
  ///
  /// Returns false on failure.
  package static func move(_ path: String, to other: String) -> Bool { rename(path, other) == 0 }

  /// Whether files can be created in a folder.
  package static func isWritable(_ folder: String) -> Bool {
    isFolder(folder) && access(folder, W_OK | X_OK) == 0
  }

  /// Whether a file or folder is on a file system that is mounted read-only.
  package static func isOnReadOnlyDisk(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Whether two paths lead to the same file.
  package static func areSame(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }

  /// Whether a path exists.
  package static func exist(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
