internal import Posix

/// The music folders: those in the data directory, and those allowed at the start.
struct SongFolders: Sendable {
  /// The data directory; nil if there is none.
  let home: String?
  /// The folders allowed at the start, each known by its last component.
  let allowed: [String]

  /// The name of the first folder listed.
  var initial: String { allowed.first.map(Self.lastName) ?? "music" }

  /// The last component of a path.
  static func lastName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

  /// Resolves the name of a folder to a path without symbolic links.
  ///
  /// Blocks on disk I/O.
  func path(of name: String) throws(Refusal) -> String {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let isPlain = parts.allSatisfy { part in
      !part.isEmpty && !part.hasPrefix(".") && part.unicodeScalars.allSatisfy { $0.value >= 32 }
    }
    guard isPlain, !name.isEmpty else { throw denied(name) }
    let root = allowed.first { Self.lastName($0) == parts[0] }
    guard
      let path = root.map({ ([$0] + parts[1...]).joined(separator: "/") })
        ?? home.map({ "\($0)/\(name)" })
    else { throw denied(name) }
    let resolved: String
    let kind: Files.Kind
    do throws(SystemError) {
      resolved = try Files.resolved(path)
      kind = try Files.kind(of: resolved)
    } catch {
      throw error.isMissing ? missing(name, path) : Refusal(.io, "\(error)")
    }
    guard holds(resolved) else { throw denied(name) }
    guard case .folder = kind else { throw missing(name, path) }
    return resolved
  }

  /// Whether a resolved path is one of the folders or inside one.
  func holds(_ resolved: String) -> Bool {
    (allowed + (home.map { [$0] } ?? [])).contains { folder in
      guard let root = try? Files.resolved(folder) else { return false }
      return resolved == root || resolved.hasPrefix(root == "/" ? root : root + "/")
    }
  }

  private func denied(_ name: String) -> Refusal {
    let others = allowed.map(Self.lastName).joined(separator: ", ")
    return Refusal(
      .denied,
      "/music/folder: \(quoted(name)) is not a folder in the data directory, such as music, or allowed by "
        + "--music\(others.isEmpty ? "" : " (\(others))")")
  }

  private func missing(_ name: String, _ path: String) -> Refusal {
    Refusal(.missing, "\(path) does not exist; create it, or start the node with --music FOLDER")
  }
}
