internal import Posix

/// A file named by a message, inside the node's data directory.
package struct HomeFile {
  // Reserved for the node. Messages must not write there.
  private static let own = [
    "takes", "sets", "presets", "instruments", "pedals", "loops", "state", "feed", "outbox",
    "board", "tls", "scenes", "setlists", "sessions", "version", HomeVersion.copyName,
  ]
  // Only SQLite may open these files: POSIX releases all of a process's locks on a file when any of
  // its descriptors is closed.
  private static let database = "library.sqlite"

  /// Whether a resolved path is that of the library's database or one of its auxiliary files.
  ///
  /// `home` must be resolved, too.
  package static func isDatabase(_ path: String, home: String) -> Bool {
    path.hasPrefix("\(home)/\(database)")
  }

  /// The absolute path, with symbolic links resolved.
  package let path: String

  /// Resolves the name of an existing file, relative to the data directory, or absolute and inside
  /// it.
  package init(reading name: String, home: String) throws(LibraryFault) {
    let (root, inside) = try Self.place(name, home)
    guard let real = Self.real("\(root)/\(inside)") else {
      throw LibraryFault(.missing, "\(inside) not found in \(home)")
    }
    guard real.hasPrefix(root + "/") else { throw Self.leaves(name, home) }
    guard !Self.isDatabase(real, home: root) else {
      throw LibraryFault(.denied, "\(inside) is managed by the node")
    }
    path = real
  }

  /// Reads the file.
  ///
  /// Fails if it is longer than `limit` bytes.
  package func contents(atMost limit: Int) throws(LibraryFault) -> [UInt8] {
    try system(try Files.contents(of: path, atMost: limit), or: LibraryFault.init)
  }

  /// Resolves the name of a new file, and creates its folder if needed.
  ///
  /// Throws if the file exists: a remote client sees no folder and can't confirm an overwrite.
  package init(writing name: String, home: String) throws(LibraryFault) {
    let (root, inside) = try Self.place(name, home)
    var folder = root
    let parts = inside.split(separator: "/").map(String.init)
    try Self.check(parts.first ?? "", inside)
    for part in parts.dropLast() {
      let next = "\(folder)/\(part)"
      if !Files.exist(next) { try system(try Files.makeFolder(next), or: LibraryFault.init) }
      guard let real = Self.real(next), real.hasPrefix(root + "/") else {
        throw Self.leaves(name, home)
      }
      folder = real
    }
    let path = "\(folder)/\(parts.last ?? "")"
    // An existing file can itself be a symbolic link.
    let former = Self.real(path)
    let real = former ?? path
    guard real.hasPrefix(root + "/") else { throw Self.leaves(name, home) }
    try Self.check(
      String(real.dropFirst(root.utf8.count + 1).prefix { $0 != "/" }), inside)
    guard former == nil else {
      throw LibraryFault(.denied, "\(inside) already exists; choose another name")
    }
    self.path = real
  }

  private static func check(_ first: String, _ name: String) throws(LibraryFault) {
    guard own.contains(first) || first.hasPrefix(database) else { return }
    throw LibraryFault(.denied, "\(name) is managed by the node; choose another name")
  }

  /// Resolves the symbolic links of the data directory, and makes the name relative to it.
  private static func place(
    _ name: String, _ home: String
  ) throws(LibraryFault) -> (root: String, inside: String) {
    guard let root = real(home) else {
      throw LibraryFault(.io, "the data directory \(home) no longer exists")
    }
    var inside = name[...]
    if name.hasPrefix("/") {
      guard let start = [home, root].first(where: { name.hasPrefix($0 + "/") }) else {
        throw leaves(name, home)
      }
      inside = name.dropFirst(start.count + 1)
    }
    let parts = inside.split(separator: "/")
    guard !parts.isEmpty, !parts.contains(".."), !name.hasSuffix("/"),
      name.unicodeScalars.allSatisfy({ $0.value >= 32 })
    else { throw leaves(name, home) }
    return (root, parts.filter { $0 != "." }.joined(separator: "/"))
  }

  private static func leaves(_ name: String, _ home: String) -> LibraryFault {
    LibraryFault(
      .denied, "expected a path in the data directory, such as sounds/owl.flac; got \(name)"
    )
  }

  private static func real(_ path: String) -> String? { try? Files.resolved(path) }
}

extension TakeLibrary {
  // A photograph has a few megabytes.
  private static var mostImageBytes: Int { 32 << 20 }

  /// Copies a file as a take's image.
  ///
  /// Its extension determines the format.
  @discardableResult
  package func setImage(_ id: String, copying path: String) throws(LibraryFault) -> Take {
    let name = path.split(separator: "/").last ?? ""
    let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
    let bytes = try system(
      try Files.contents(of: path, atMost: Self.mostImageBytes), or: LibraryFault.init)
    return try setImage(id, bytes, ending: ending)
  }
}
