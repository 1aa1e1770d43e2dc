internal import JSON
internal import Posix

/// The presets in two folders: those that come with the program, and the user's own.
///
/// One of the user's stands before a shipped one of its name. What is here waits for the disk.
package struct PresetLibrary: Sendable {
  // As many as one datagram can tell.
  private static let most = 1000

  /// The folder of those that come with the program.
  package let shipped: String?
  /// The folder of the user's own, made when the first is saved.
  package let own: String?

  /// A library of two folders, which need not be there.
  package init(shipped: String? = nil, own: String? = nil) {
    self.shipped = shipped
    self.own = own
  }

  // MARK: - Finding

  /// The names of the user's own.
  package var ownNames: Set<String> { Self.names(in: own) }

  /// The names of those that come with the program.
  package var shippedNames: Set<String> { Self.names(in: shipped) }

  private static func names(in folder: String?) -> Set<String> {
    let files = folder.map(Files.names(in:)) ?? []
    return Set(files.compactMap { PresetName(file: $0)?.text })
  }

  /// Some of the names, in order, as many as can be told.
  package static func listed(_ names: Set<String>) -> [String] {
    Array(names.sorted().prefix(most))
  }

  /// A preset with the path of its file.
  package typealias Found = (preset: Preset, path: String)

  /// Reads the preset of a name: the user's, or the shipped one.
  package func read(_ name: PresetName) throws(PresetFault) -> Found {
    for folder in [own, shipped] {
      guard let folder else { continue }
      if let found = try Self.readIfThere("\(folder)/\(name.file)") { return found }
    }
    throw Self.missing(name, among: ownNames.union(shippedNames))
  }

  /// Reads the shipped preset of a name.
  package func readShipped(_ name: PresetName) throws(PresetFault) -> Found {
    try PresetLibrary(shipped: shipped).read(name)
  }

  /// Reads a file anywhere.
  package static func read(path: String) throws(PresetFault) -> Found {
    guard let found = try readIfThere(path) else {
      throw PresetFault(.missing, "there is no file \(path)")
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

  /// What to say where there is no preset of a name.
  package static func missing(_ name: PresetName, among names: Set<String>) -> PresetFault {
    let hint =
      name.text.nearest(of: names).map { "is \($0) meant?" }
      ?? (names.count > 40
        ? "/presets lists them" : "there are: \(listed(names).joined(separator: ", "))")
    return PresetFault(
      .missing,
      "there is no preset \(name.text)" + (names.isEmpty ? ", nor any other" : "; \(hint)"))
  }

  // MARK: - Changing

  /// Writes one of the user's own: at any time the old one is there or the new one, whole.
  package func save(_ text: String, as name: PresetName) throws(PresetFault) {
    guard let own else { throw PresetFault(.denied, "there is no folder for presets") }
    let names = ownNames
    guard names.contains(name.text) || names.count < Self.most else {
      throw PresetFault(.full, "there are \(names.count) presets; delete one first")
    }
    do throws(SystemError) {
      try Files.makeFolder(own)
      try Files.write(text, to: "\(own)/\(name.file)")
    } catch {
      throw PresetFault(.io, "can't save the preset: \(error)")
    }
  }

  /// Deletes one of the user's own; a shipped one of its name comes out again.
  package func delete(_ name: PresetName) throws(PresetFault) {
    do throws(SystemError) {
      guard let own else { throw SystemError(name.file, code: SystemError.missing) }
      try Files.delete("\(own)/\(name.file)")
    } catch {
      guard error.isMissing else {
        throw PresetFault(.io, "can't delete the preset: \(error)")
      }
      throw shippedNames.contains(name.text)
        ? PresetFault(.denied, "\(name.text) comes with the program and can't be deleted")
        : Self.missing(name, among: ownNames)
    }
  }
}
