internal import Posix
internal import SQLite

/// The version of the layout of a data directory, in its file `version`.
///
/// A directory without that file has version 0.
package enum HomeVersion {
  /// The version that this program reads and writes.
  package static let current = 1

  /// The folder with the copy that an upgrade to this version keeps.
  static let copyName = "\(copyPrefix)\(current)"

  private static let file = "version"
  private static let copyPrefix = "before-"
  // Names of what an upgrade does not change: sounds, which are large, and secrets.
  private static let uncopied = [
    "takes", "loops", "sessions", "outbox", "incoming", "tls", "web-token", file,
  ]
  // Larger files are sounds or pictures.
  private static let mostBytes = 1 << 20

  /// Throws if a newer program has used the data directory, or if its version can't be read.
  package static func check(_ home: String) throws(LibraryFault) { _ = try version(of: home) }

  /// Marks a new data directory, or upgrades one of an earlier version and keeps a copy of its settings
  /// and databases in it.
  ///
  /// Returns a line for people if it was upgraded. Call it after the directory was created.
  package static func upgrade(_ home: String) throws(LibraryFault) -> String? {
    let former = try version(of: home)
    if former == current { return nil }
    let copy = "\(home)/\(copyName)"
    let names = Files.names(in: home)
    let isNew = names.isEmpty
    if !isNew, !Files.isFolder(copy) {
      let part = copy + ".part"
      try system(try Files.removeAll(part), or: LibraryFault.init)
      try self.copy(
        home, to: part, names.filter { !uncopied.contains($0) && !$0.hasPrefix(copyPrefix) })
      // Another node may have been faster.
      guard Files.move(part, to: copy) || Files.isFolder(copy) else {
        throw LibraryFault(.io, "can't create \(copy)")
      }
    }
    try mark(home)
    if isNew { return nil }
    return
      "the data directory \(home) was upgraded from version \(former ?? 0) to \(current); a copy of its "
      + "settings and databases is in \(copyName)"
  }

  /// Writes the version into a new data directory.
  package static func mark(_ home: String) throws(LibraryFault) {
    try system(try Files.write("\(current)\n", to: "\(home)/\(file)"), or: LibraryFault.init)
  }

  /// The version of a data directory, or nil if it has none.
  private static func version(of home: String) throws(LibraryFault) -> Int? {
    let path = "\(home)/\(file)"
    guard Files.exist(path) else { return nil }
    let text = Files.read(path)?.prefix { $0 != "\n" } ?? ""
    guard let version = Int(text), version > 0 else {
      throw LibraryFault(
        .io,
        "can't use the data directory \(home): its file \(file) contains no version; it should be \(current)"
      )
    }
    guard version <= current else {
      throw LibraryFault(
        .io,
        "can't use the data directory \(home): a newer Syrinx has upgraded it to version \(version), and this one "
          + "supports up to \(current); install the newer one, or choose another with --home")
    }
    return version
  }

  private static func copy(
    _ folder: String, to other: String, _ names: [String]
  ) throws(LibraryFault) {
    try system(try Files.makeFolder(other), or: LibraryFault.init)
    for name in names {
      let (path, target) = ("\(folder)/\(name)", "\(other)/\(name)")
      if Files.target(ofLink: path) != nil { continue }
      if Files.isFolder(path) {
        try copy(path, to: target, Files.names(in: path))
      } else if name.hasSuffix(".sqlite") {
        // The file alone lacks the rows that are still in the write-ahead log.
        try LibraryDatabase(path).run("VACUUM INTO ?", [.text(target)])
      } else if !name.contains(".sqlite"), let size = Files.size(at: path), size <= mostBytes {
        try system(
          try Files.write(Files.contents(of: path, atMost: mostBytes), to: target),
          or: LibraryFault.init)
      }
    }
  }
}
