package import JSON
internal import Posix

/// The scenes and set lists of a data directory, a file for each.
///
/// Functions block on disk access.
package struct SceneLibrary: Sendable {
  /// A file, with all of its faults.
  package struct File<Content: Sendable>: Sendable {
    package let content: Content
    package let path: String
    package let faults: [JSON.Fault]

    package init(content: Content, path: String, faults: [JSON.Fault]) {
      self.content = content
      self.path = path
      self.faults = faults
    }
  }

  /// The folders of the files, created when the first one is saved.
  package let scenes: String
  package let setLists: String

  /// The library in a data directory.
  package init(home: String) {
    scenes = home + "/scenes"
    setLists = home + "/setlists"
  }

  /// Reads all scenes, by name.
  package func readScenes() -> [String: File<Scene>] {
    Self.read(scenes, atMost: Scene.longestFile, empty: Scene()) { Scene($0, &$1) }
  }

  /// Reads all set lists, by name.
  package func readSetLists() -> [String: File<SetList>] {
    Self.read(setLists, atMost: Scene.longestFile, empty: SetList()) { SetList($0, &$1) }
  }

  private static func read<Content>(
    _ folder: String, atMost most: Int, empty: Content,
    parse: ([UInt8], inout [JSON.Fault]) -> Content
  ) -> [String: File<Content>] {
    var found: [String: File<Content>] = [:]
    for file in Files.names(in: folder) {
      guard let name = PresetName(file: file) else { continue }
      let path = "\(folder)/\(file)"
      var faults: [JSON.Fault] = []
      do throws(SystemError) {
        let content = parse(try Files.contents(of: path, atMost: most), &faults)
        found[name.text] = File(content: content, path: path, faults: faults)
      } catch {
        found[name.text] = File(
          content: empty, path: path, faults: [JSON.Fault(1, "\(error)")])
      }
    }
    return found
  }

  /// Returns the path of a file in one of the folders, or throws if the name is invalid.
  package static func path(
    _ folder: String, _ name: String, of kind: String
  ) throws(PresetFault) -> String {
    "\(folder)/\(try PresetName(name, of: kind).file)"
  }

  /// Writes a file atomically.
  package static func write(_ text: String, to path: String) throws(PresetFault) {
    let folder = Files.folder(of: path)
    guard !Files.leadsOut(path, of: folder) else {
      throw PresetFault(.denied, "\(path) is a link to a file outside \(folder)")
    }
    try system(try Files.write(Array(text.utf8), to: path, inNewFolder: folder)) {
      PresetFault(.io, "can't save: \($0)")
    }
  }

  /// Deletes a file.
  package static func delete(_ path: String) throws(PresetFault) {
    do throws(SystemError) { try Files.delete(path) } catch {
      throw PresetFault(error.isMissing ? .missing : .io, "can't delete: \(error)")
    }
  }
}
