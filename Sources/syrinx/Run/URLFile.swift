internal import Glibc
internal import Posix

/// The file that tells programs on this machine where the node listens.
struct URLFile {
  private let path: String
  /// What stands in it.
  let url: String

  /// Writes it; nil where there is no folder for it.
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

  /// Where such files are.
  static var folder: String? { Environment["XDG_RUNTIME_DIR"].map { $0 + "/syrinx" } }

  /// Removes it, unless it is another's by now.
  func remove() {
    if Files.read(path) == url + "\n" { Files.remove(path) }
  }
}
