package import JSON

/// A set list: scenes in the order of a concert, with titles and notes.
package struct SetList: Sendable {
  /// A scene of the list.
  package struct Entry: Equatable, Sendable {
    /// The name of the scene.
    package let scene: String
    /// The title shown to the performer; that of the scene if it is empty.
    package let title: String
    /// Notes for the performer.
    package let notes: String
    /// The line number in the file.
    package let line: Int

    package init(scene: String, title: String = "", notes: String = "", line: Int = 0) {
      self.scene = scene
      self.title = title
      self.notes = notes
      self.line = line
    }

    /// The title, or the name of the scene.
    package var shownTitle: String { title.isEmpty ? scene : title }
  }

  /// A one-line description.
  package var help = ""
  package var entries: [Entry] = []

  package init() {}
}

extension SetList {
  /// Parses a file, and adds an entry to `faults` for each part that is malformed.
  package init(_ bytes: [UInt8], _ faults: inout [JSON.Fault]) {
    do throws(JSON.Fault) {
      let file = try JSON(bytes)
      guard case .object(let members) = file.content else {
        throw JSON.Fault(file.line, "expected an object; got \(file.kind)")
      }
      for member in members {
        switch member.name {
        case "help": help = try Scene.text(member)
        case "scenes":
          for item in try Scene.list(member) {
            do throws(JSON.Fault) { entries.append(try Self.entry(item)) } catch {
              faults.append(error)
            }
          }
        default:
          faults.append(
            JSON.Fault(
              member.line, "expected help and scenes only; got \(member.name.prefix(50))"))
        }
      }
    } catch {
      faults.append(error)
    }
  }

  private static func entry(_ item: JSON) throws(JSON.Fault) -> Entry {
    if let scene = item.text { return Entry(scene: scene, line: item.line) }
    guard case .object(let members) = item.content, let scene = item["scene"]?.text else {
      throw JSON.Fault(
        item.line, "scenes takes names of scenes, or objects of scene, name and notes")
    }
    for member in members {
      guard ["scene", "name", "notes"].contains(member.name) else {
        throw JSON.Fault(
          member.line, "expected scene, name and notes only; got \(member.name.prefix(50))")
      }
      _ = try Scene.text(member)
    }
    return Entry(
      scene: scene, title: item["name"]?.text ?? "", notes: item["notes"]?.text ?? "",
      line: item.line)
  }

  /// The content of the file, with one line per scene.
  package var text: String {
    let lines = entries.map { entry in
      var parts = ["\"scene\": \(JSON.written(entry.scene))"]
      if !entry.title.isEmpty { parts.append("\"name\": \(JSON.written(entry.title))") }
      if !entry.notes.isEmpty { parts.append("\"notes\": \(JSON.written(entry.notes))") }
      return "\n    { \(parts.joined(separator: ", ")) }"
    }
    let help = help.isEmpty ? "" : "  \"help\": \(JSON.written(help)),\n"
    return "{\n\(help)  \"scenes\": [\(lines.joined(separator: ","))\n  ]\n}\n"
  }
}
