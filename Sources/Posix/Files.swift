internal import Glibc

/// The file system: small files and folders.
package enum Files {
  /// Makes a folder, and those above it.
  package static func makeFolder(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
      guard mkdir(made, 0o755) == 0 || errno == EEXIST else { throw SystemError(made) }
    }
    var status = stat()
    guard stat(path, &status) == 0, access(path, W_OK | X_OK) == 0 else { throw SystemError(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SystemError(path, code: ENOTDIR) }
  }

  /// Makes the absolute path of one that may be relative to the working folder.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard getcwd(&buffer, buffer.count) != nil else { return path }
    let folder = String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    let parts = path.split(separator: "/").filter { $0 != "." }
    return ([folder == "/" ? "" : folder] + parts.map(String.init)).joined(separator: "/")
  }

  /// Finds out whether `makeFolder` would succeed, and leaves nothing behind.
  package static func tryFolder(_ path: String) throws(SystemError) {
    var nearest = path
    while !exist(nearest), let slash = nearest.lastIndex(of: "/") {
      nearest = slash == nearest.startIndex ? "/" : String(nearest[..<slash])
    }
    // Permission bits don't tell all: a file system can refuse for reasons of its own.
    let trial = "\(nearest)/.syrinx-\(getpid())"
    guard mkdir(trial, 0o700) == 0 else { throw SystemError(path) }
    rmdir(trial)
  }

  /// Writes a file so that at any time there is either the old one or the new one, whole.
  package static func write(_ text: String, to path: String) throws(SystemError) {
    try write(Array(text.utf8), to: path)
  }

  /// Writes a file so that at any time there is either the old one or the new one, whole.
  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let file = try Replacement(of: path)
    try file.descriptor.write(bytes, action: path)
    try file.complete()
  }

  /// Adds a line to a file that only its owner can read, safe on the disk; it is made where there is none.
  package static func append(line: String, to path: String) throws(SystemError) {
    let file = try Descriptor(
      open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600), orThrow: path)
    let bytes = Array((line + "\n").utf8)
    // In one go: a line is there whole or not at all.
    guard Glibc.write(file.number, bytes, bytes.count) == bytes.count, fsync(file.number) == 0
    else { throw SystemError(path) }
  }

  /// Reads a text file; nil where there is none.
  package static func read(_ path: String) -> String? {
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
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Removes a file, if it is there.
  package static func remove(_ path: String) { unlink(path) }

  /// Gives a file another name, in the place of what had it; false where that can't be.
  package static func move(_ path: String, to other: String) -> Bool { rename(path, other) == 0 }

  /// Whether two paths lead to the same file.
  package static func areSame(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino
  }

  /// Whether there is something at a path.
  package static func exist(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
