internal import Library
internal import OSC

/// The presets: the library, with pending writes.
final class PresetShelf {
  /// A pending write of a preset.
  private struct Change {
    /// The new text; nil to delete the preset.
    let text: String?
    let number: Int
  }

  let library: PresetLibrary
  // A slow disk can take a second for each.
  let worker = Worker("presets", most: 64, of: "writes of presets are already queued")
  private var changes: [PresetName: Change] = [:]
  private var count = 0

  init(_ library: PresetLibrary) { self.library = library }

  /// All names, in order.
  var names: [String] { PresetLibrary.listed(currentOwnNames.union(library.shippedNames)) }

  /// The names of the user's presets, in order.
  var ownNames: [String] { PresetLibrary.listed(currentOwnNames) }

  private var currentOwnNames: Set<String> {
    var own = library.ownNames
    for (name, change) in changes {
      if change.text != nil { own.insert(name.text) } else { own.remove(name.text) }
    }
    return own
  }

  /// Reads a preset.
  ///
  /// On the control thread, even though disks can be slow, so that later messages in the same bundle or the
  /// next packet follow it.
  func read(_ name: String) throws(Refusal) -> PresetLibrary.Found {
    try refusing { () throws(PresetFault) in
      let name = try PresetName(name)
      guard let change = changes[name] else { return try library.read(name) }
      guard let text = change.text else { return try library.readShipped(name) }
      guard let preset = try? Preset(Array(text.utf8)) else {
        preconditionFailure("invalid preset text")
      }
      return (preset, name.text)
    }
  }

  /// Writes a preset, and calls `ending` when it is done.
  func save(
    _ preset: Preset, as name: String, then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    let text = preset.text
    try change(name, to: text, ending) { library, name throws(PresetFault) in
      try library.save(text, as: name)
    }
  }

  /// Deletes a user's preset, and calls `ending` when it is done.
  func delete(
    _ name: String, then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    try change(name, to: nil, ending) { library, name throws(PresetFault) in
      try library.delete(name)
    }
  }

  private func change(
    _ name: String, to text: String?, _ ending: @escaping (Result<Void, Refusal>) -> Void,
    _ work: @escaping @Sendable (PresetLibrary, PresetName) throws(PresetFault) -> Void
  ) throws(Refusal) {
    let checked = try refusing { () throws(PresetFault) in try PresetName(name) }
    try worker.checkRoom()
    count += 1
    let number = count
    changes[checked] = Change(text: text, number: number)
    worker.run { [library] () throws(PresetFault) in
      try work(library, checked)
    } then: { [unowned self] outcome in
      if changes[checked]?.number == number { changes[checked] = nil }
      ending(outcome)
    }
  }
}
