internal import Glibc
internal import Posix

/// The URL file, which tells programs on this machine where the node listens.
struct URLFile {
  private let path: String
  /// The URL that stands in the file.
  let url: String

  /// Writes the file; nil where there is no folder for it.
  init?(name: String, url: String) {
    guard let folder = Self.folder else { return nil }
    path = "\(folder)/\(name).url"
    self.url = url
    do throws(SystemError) {
      try Files.makeFolder(folder)
      try Files.write(url + "\n", to: path)
      // For all that may enter the folder, though the node's takes are for nobody else.
      chmod(path, 0o644)
    } catch {
      Environment.say("can't write \(path) (\(error)); the node runs without it")
      return nil
    }
  }

  /// The folder of URL files.
  static var folder: String? { Environment["XDG_RUNTIME_DIR"].map { $0 + "/syrinx" } }

  /// Removes the file, unless it is another node's by now.
  func remove() {
    if Files.read(path) == url + "\n" { Files.remove(path) }
  }
}
