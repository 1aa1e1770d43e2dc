internal import Glibc

extension Files {
  /// Reads a regular file.
  ///
  /// Throws if it is longer than `most` bytes.
  package static func contents(of path: String, atMost most: Int) throws(SystemError) -> [UInt8] {
    // Nonblocking: opening a pipe without a writer would hang.
    let file = try Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), orThrow: path)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw SystemError(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    guard status.st_size <= most else { throw SystemError(path, code: EFBIG) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let (filled, code) = bytes.withUnsafeMutableBytes { file.read(into: $0, at: 0) }
    guard code == 0 else { throw SystemError(path, code: code) }
    return Array(bytes.prefix(filled))
  }

  /// Returns the size of an open file in bytes, or nil if it is not a regular file.
  package static func size(of file: Descriptor) -> Int? {
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Returns the size of a file in bytes, or nil if there is no regular file.
  package static func size(at path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Returns the time of the last change to a file's content, in nanoseconds since 1970, or nil if it is
  /// missing.
  package static func modified(_ path: String) -> Int? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
  }

  /// Lists the non-hidden names in a folder, unsorted.
  ///
  /// Empty if it can't be read.
  package static func names(in folder: String) -> [String] { (try? list(folder)) ?? [] }

  /// Lists the non-hidden names in a folder, unsorted.
  package static func list(_ folder: String) throws(SystemError) -> [String] {
    try entries(of: folder).filter { !$0.hasPrefix(".") }
  }

  /// Lists all names in a folder but those of itself and its parent, unsorted.
  static func entries(of folder: String) throws(SystemError) -> [String] {
    guard let stream = opendir(folder) else { throw SystemError(folder) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Whether a path is a folder.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Deletes a file durably.
  package static func delete(_ path: String) throws(SystemError) {
    guard unlink(path) == 0 else { throw SystemError(path) }
    try keepFolder(of: path)
  }

  /// Returns the path of the folder that contains a path.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Makes the content of an open file durable.
  ///
  /// Errors name the path.
  package static func keep(_ file: Descriptor, path: String) throws(SystemError) {
    // EINVAL: a pipe, or a file system without sync. Nothing can be done about that.
    guard fdatasync(file.number) == 0 || errno == EINVAL else { throw SystemError(path) }
  }

  /// Makes the directory entries of a path's folder durable.
  static func keepFolder(of path: String) throws(SystemError) {
    try keep(folder: folder(of: path))
  }

  /// Makes the directory entries of a folder durable.
  package static func keep(folder path: String) throws(SystemError) {
    let folder = try Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY), orThrow: path)
    // Some file systems don't support fsync for folders and return EINVAL.
    guard fsync(folder.number) == 0 || errno == EINVAL else { throw SystemError(path) }
  }
}
