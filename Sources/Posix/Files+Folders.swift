internal import Glibc

extension Files {
  /// A file's stamp, which tells whether it is still the one that it was.
  package struct Stamp: Hashable, Sendable {
    let device: UInt64
    let file: UInt64
    let bytes: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The kind of what stands at a path: a file, a folder or neither.
  package enum Kind: Sendable {
    case file(Stamp)
    /// Equal where it is the same folder, by whatever way it was reached.
    case folder(Stamp)
    case other
  }

  /// Finds the kind of what stands at a path; follows links.
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

  /// Lists the names in a folder, in no order, without hidden ones.
  package static func list(_ folder: String) throws(SystemError) -> [String] {
    guard let stream = opendir(folder) else { throw SystemError(folder) }
    closedir(stream)
    return names(in: folder)
  }

  /// Resolves a path to one without links and dots.
  package static func resolved(_ path: String) throws(SystemError) -> String {
    guard let text = realpath(path, nil) else { throw SystemError(path) }
    defer { free(text) }
    return String(cString: text)
  }
}
