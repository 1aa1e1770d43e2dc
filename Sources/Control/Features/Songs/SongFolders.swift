internal import Posix

/// The folders that songs can come from: those in the node's own, and those that were allowed at
/// the start.
struct SongFolders: Sendable {
  /// The node's own folder; nil where it has none.
  let home: String?
  /// Those that were allowed at the start, each known by its last name.
  let allowed: [String]

  /// The name of the one that is listed at first.
  var initial: String { allowed.first.map(Self.lastName) ?? "music" }

  /// The last name of a folder, without those that it lies in.
  static func lastName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

  /// The folder that a name stands for, as a path that has no links in it.
  ///
  /// Waits for the disk.
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

  /// Whether a path without links leads to one of them, or into it.
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
      "/music/folder takes a folder in the home folder, such as music, or one that --music allowed "
        + "at the start\(others.isEmpty ? "" : " (\(others))"); \(quoted(name)) leads elsewhere")
  }

  private func missing(_ name: String, _ path: String) -> Refusal {
    Refusal(
      .missing,
      "there is no folder \(path); make it, or start the node with --music and the songs' folder")
  }
}
