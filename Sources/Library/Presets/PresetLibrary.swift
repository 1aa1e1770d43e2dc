internal import JSON
internal import Posix

/// The preset library: shipped presets and the user's own, in two folders.
///
/// A user preset overrides the shipped one of the same name. Functions block on disk access.
package struct PresetLibrary: Sendable {
  // The number of names that fit in one datagram.
  private static let most = 1000

  /// The folder of the shipped presets.
  package let shipped: String?
  /// The folder of the user's presets, created when the first one is saved.
  package let own: String?

  /// Creates a library of two folders, which may be missing.
  package init(shipped: String? = nil, own: String? = nil) {
    self.shipped = shipped
    self.own = own
  }

  // MARK: - Finding

  /// The names of the user's presets.
  package var ownNames: Set<String> { Self.names(in: own) }

  /// The names of the shipped presets.
  package var shippedNames: Set<String> { Self.names(in: shipped) }

  private static func names(in folder: String?) -> Set<String> {
    let files = folder.map(Files.names(in:)) ?? []
    return Set(files.compactMap { PresetName(file: $0)?.text })
  }

  /// Returns the names in order, cut to the number that fits in a reply.
  package static func listed(_ names: Set<String>) -> [String] {
    Array(names.sorted().prefix(most))
  }

  /// A preset with the path of its file.
  package typealias Found = (preset: Preset, path: String)

  /// Reads the preset with a name.
  ///
  /// The user's takes precedence over the shipped one.
  package func read(_ name: PresetName) throws(PresetFault) -> Found {
    for folder in [own, shipped] {
      guard let folder else { continue }
      if let found = try Self.readIfThere("\(folder)/\(name.file)") { return found }
    }
    throw Self.missing(name, among: ownNames.union(shippedNames))
  }

  /// Reads the shipped preset with a name.
  package func readShipped(_ name: PresetName) throws(PresetFault) -> Found {
    try PresetLibrary(shipped: shipped).read(name)
  }

  /// Reads a preset file at any path.
  package static func read(path: String) throws(PresetFault) -> Found {
    guard let found = try readIfThere(path) else {
      throw PresetFault(.missing, "file not found: \(path)")
    }
    return found
  }

  private static func readIfThere(_ path: String) throws(PresetFault) -> Found? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try Files.contents(of: path, atMost: Preset.longestFile)
    } catch {
      if error.isMissing { return nil }
      throw PresetFault(error.isTooLarge ? .broken : .io, "\(error)")
    }
    do throws(JSON.Fault) {
      return (try Preset(bytes), path)
    } catch {
      throw PresetFault(.broken, "\(path):\(error.line): \(error)")
    }
  }

  /// Returns the fault for a missing preset, with the closest match or the available names.
  package static func missing(_ name: PresetName, among names: Set<String>) -> PresetFault {
    let hint =
      name.text.nearest(of: names).map { "did you mean \($0)?" }
      ?? (names.count > 40
        ? "/presets lists all" : "known are \(listed(names).joined(separator: ", "))")
    return PresetFault(
      .missing,
      "unknown preset \(name.text)" + (names.isEmpty ? "; there are no presets" : "; \(hint)"))
  }

  // MARK: - Changing

  /// Saves a user preset atomically.
  package func save(_ text: String, as name: PresetName) throws(PresetFault) {
    guard let own else { throw PresetFault(.denied, "no folder for presets") }
    let names = ownNames
    guard names.contains(name.text) || names.count < Self.most else {
      throw PresetFault(.full, "\(names.count) presets already exist; delete one first")
    }
    let path = "\(own)/\(name.file)"
    guard !Files.leadsOut(path, of: own) else {
      throw PresetFault(
        .denied, "\(name.text) is a link to a file outside \(own); choose another name")
    }
    try system(try Files.write(Array(text.utf8), to: path, inNewFolder: own)) {
      PresetFault(.io, "can't save the preset: \($0)")
    }
  }

  /// Deletes a user preset.
  ///
  /// A shipped one of the same name becomes visible again.
  package func delete(_ name: PresetName) throws(PresetFault) {
    do throws(SystemError) {
      guard let own else { throw SystemError(name.file, code: SystemError.missing) }
      try Files.delete("\(own)/\(name.file)")
    } catch {
      guard error.isMissing else {
        throw PresetFault(.io, "can't delete the preset: \(error)")
      }
      throw shippedNames.contains(name.text)
        ? PresetFault(.denied, "\(name.text) is shipped with the program and can't be deleted")
        : ownNames.isEmpty
          ? PresetFault(.missing, "unknown preset \(name.text); no presets have been saved")
          : Self.missing(name, among: ownNames)
    }
  }
}
