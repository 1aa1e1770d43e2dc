internal import Posix

/// A file of which a message gave the name: one inside the node's home folder.
package struct HomeFile {
  // What the node keeps for itself, and nobody may write over.
  private static let own = ["takes", "presets", "instruments", "state"]
  // SQLite must be the only one in a process that opens these: whoever closes them takes all of
  // its locks away.
  private static let database = "library.sqlite"

  /// Whether a path without links is that of the library's database, or of what belongs to it, in
  /// a home folder whose own path has no links.
  package static func isDatabase(_ path: String, home: String) -> Bool {
    path.hasPrefix("\(home)/\(database)")
  }

  /// The path, without links.
  package let path: String

  /// Finds a file to be read, by a name relative to the home folder, or absolute and inside it.
  package init(reading name: String, home: String) throws(LibraryFault) {
    let (root, inside) = try Self.place(name, home)
    guard let real = Self.real("\(root)/\(inside)") else {
      throw LibraryFault(.missing, "there is no \(inside) in \(home)")
    }
    guard real.hasPrefix(root + "/") else { throw Self.leaves(name, home) }
    guard !Self.isDatabase(real, home: root) else {
      throw LibraryFault(.denied, "\(inside) is the node's own")
    }
    path = real
  }

  /// Reads all bytes of the file, where they are at most so many.
  package func contents(atMost limit: Int) throws(LibraryFault) -> [UInt8] {
    try asLibrary { () throws(SystemError) in try Files.contents(of: path, atMost: limit) }
  }

  /// Names a new file to be written; its folder is made where there is none.
  ///
  /// One that is there already is refused: whoever sends a message sees no folder, and can't be asked.
  package init(writing name: String, home: String) throws(LibraryFault) {
    let (root, inside) = try Self.place(name, home)
    var folder = root
    let parts = inside.split(separator: "/").map(String.init)
    try Self.check(parts.first ?? "", inside)
    for part in parts.dropLast() {
      let next = "\(folder)/\(part)"
      if !Files.exist(next) {
        try asLibrary { () throws(SystemError) in try Files.makeFolder(next) }
      }
      guard let real = Self.real(next), real.hasPrefix(root + "/") else {
        throw Self.leaves(name, home)
      }
      folder = real
    }
    let path = "\(folder)/\(parts.last ?? "")"
    // A file that is there can itself be a link.
    let former = Self.real(path)
    let real = former ?? path
    guard real.hasPrefix(root + "/") else { throw Self.leaves(name, home) }
    try Self.check(
      String(real.dropFirst(root.utf8.count + 1).prefix { $0 != "/" }), inside)
    guard former == nil else {
      throw LibraryFault(.denied, "\(inside) is there already; choose another name")
    }
    self.path = real
  }

  private static func check(_ first: String, _ name: String) throws(LibraryFault) {
    guard own.contains(first) || first.hasPrefix(database) else { return }
    throw LibraryFault(.denied, "\(name) is the node's own; choose another name")
  }

  /// Resolves the links of the home folder, and the name as it is seen from there.
  private static func place(
    _ name: String, _ home: String
  ) throws(LibraryFault) -> (root: String, inside: String) {
    guard let root = real(home) else {
      throw LibraryFault(.io, "the home folder \(home) has gone")
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
      .denied, "a file is named inside the node's home folder, such as sounds/owl.flac; got \(name)"
    )
  }

  private static func real(_ path: String) -> String? { try? Files.resolved(path) }
}

extension TakeLibrary {
  // A photograph has a few megabytes.
  private static var mostImageBytes: Int { 32 << 20 }

  /// Gives a take an image, copied from a file whose ending says what it is.
  @discardableResult
  package func setImage(_ id: String, copying file: HomeFile) throws(LibraryFault) -> Take {
    try setImage(id, copying: file.path)
  }

  /// Gives a take an image, copied from a file whose ending says what it is.
  @discardableResult
  package func setImage(_ id: String, copying path: String) throws(LibraryFault) -> Take {
    let name = path.split(separator: "/").last ?? ""
    let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
    let bytes = try asLibrary { () throws(SystemError) in
      try Files.contents(of: path, atMost: Self.mostImageBytes)
    }
    return try setImage(id, bytes, ending: ending)
  }
}
