internal import Glibc
internal import Posix

/// The URL file, from which programs on this machine learn the node's port.
struct URLFile {
  private let path: String
  /// The URL in the file.
  let url: String

  /// Writes the file; nil if its folder doesn't exist.
  init?(name: String, url: String) {
    guard let folder = Self.folder else { return nil }
    path = "\(folder)/\(name).url"
    self.url = url
    do throws(SystemError) {
      try Files.makeFolder(folder)
      try Files.write(url + "\n", to: path)
      // Readable for everyone who can enter the folder, although the node's umask keeps takes
      // private.
      chmod(path, 0o644)
    } catch {
      Environment.say("can't write \(path) (\(error)); the node runs without it")
      return nil
    }
  }

  /// The folder of URL files.
  static var folder: String? { Environment["XDG_RUNTIME_DIR"].map { $0 + "/syrinx" } }

  /// Removes the file, unless it belongs to another node by now.
  func remove() {
    if Files.read(path) == url + "\n" { Files.remove(path) }
  }
}
