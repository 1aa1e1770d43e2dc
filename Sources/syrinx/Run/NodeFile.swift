internal import Glibc
internal import Posix

/// A file in which programs on this machine find a running node.
struct NodeFile {
  /// The folder of these files; nil without $XDG_RUNTIME_DIR.
  static var folder: String? { Environment["XDG_RUNTIME_DIR"].map { $0 + "/syrinx" } }

  private let path: String
  private let text: String

  /// Writes a file with the permissions `mode`, regardless of the node's umask, which keeps takes private.
  ///
  /// If that fails, reports so with the consequence, and returns nil.
  init?(_ name: String, in folder: String, _ text: String, mode: mode_t, _ consequence: String) {
    path = "\(folder)/\(name)"
    self.text = text
    do throws(SystemError) {
      try Files.write(Array(text.utf8), to: path, inNewFolder: folder)
      chmod(path, mode)
    } catch {
      Environment.say("can't write \(path) (\(error)); \(consequence)")
      return nil
    }
  }

  /// Removes the file, unless it belongs to another node by now.
  func remove() {
    if Files.read(path) == text { Files.remove(path) }
  }
}
