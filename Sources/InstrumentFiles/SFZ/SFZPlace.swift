internal import Posix

/// The folder that an SFZ file may read from.
///
/// It rejects paths that lead out of it.
struct SFZPlace {
  /// The absolute path of the folder, with symbolic links resolved.
  let root: String
  /// The path components from the root to the folder of the file.
  private let inside: [Substring]

  /// Creates the place for an SFZ file.
  ///
  /// The default root is the file's own folder.
  init(_ path: String, root: String?) throws(InstrumentFault) {
    let folder = Files.folder(of: path)
    do throws(SystemError) {
      let own = try Files.resolved(folder)
      self.root = try Files.resolved(root ?? folder)
      guard let rest = Self.parts(of: own, in: self.root) else {
        throw SystemError(own)
      }
      inside = rest
    } catch {
      throw InstrumentFault(.denied, "\(path) must be in a readable folder")
    }
  }

  private static func parts(of path: String, in root: String) -> [Substring]? {
    let (path, root) = (path.split(separator: "/"), root.split(separator: "/"))
    return path.starts(with: root) ? Array(path.dropFirst(root.count)) : nil
  }

  /// Resolves a file name relative to the folder of the SFZ file.
  func path(of name: String) throws(InstrumentFault) -> String {
    let name = String(name.map { $0 == "\\" ? "/" : $0 })
    var parts = inside
    for part in name.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(part)
      } else if parts.popLast() == nil {
        throw Self.denied(name, root)
      }
    }
    guard !name.hasPrefix("/"), !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
      throw Self.denied(name, root)
    }
    let path = root + "/" + parts.joined(separator: "/")
    // A symbolic link could lead anywhere.
    if let resolved = try? Files.resolved(path), Self.parts(of: resolved, in: root) == nil {
      throw Self.denied(name, root)
    }
    return path
  }

  private static func denied(_ name: String, _ root: String) -> InstrumentFault {
    let plain = name.unicodeScalars.map { $0.value < 32 ? "?" : Character($0) }
    return InstrumentFault(
      .denied, "\(String(plain.prefix(200))) is outside \(root)")
  }
}
