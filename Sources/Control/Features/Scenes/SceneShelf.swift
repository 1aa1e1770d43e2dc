internal import JSON
internal import Library
internal import OSC
internal import Posix

/// The scenes and set lists in memory, read ahead, with pending writes.
///
/// A switch reads no file.
final class SceneShelf {
  /// A scene with its faults.
  struct Entry {
    let scene: Scene
    let ready: ReadyScene
    let path: String
    let faults: [JSON.Fault]
  }

  /// What the worker reads.
  private struct Contents: Sendable {
    var scenes: [String: SceneLibrary.File<Scene>]
    var presets: [String: Result<[Preset.Setting], PresetFault>]
    var setLists: [String: SceneLibrary.File<SetList>]
  }

  let worker = Worker("scenes", most: 64, of: "writes of scenes are already queued")
  private let context: Context
  private let library: SceneLibrary?
  private(set) var scenes: [String: Entry] = [:]
  private(set) var setLists: [String: SceneLibrary.File<SetList>] = [:]
  /// Called when the names have changed.
  var whenChanged: () -> Void = {}
  /// Called when all files were read again.
  var whenRead: () -> Void = {}
  private var isRead = false
  // The number of reads in progress, and the names changed since the first of them began: what they read may
  // be older.
  private var reads = 0
  private var changedScenes: Set<String> = []
  private var changedSetLists: Set<String> = []

  init(_ context: Context) {
    self.context = context
    library = context.setup.home.map(SceneLibrary.init(home:))
  }

  var sceneNames: [String] { PresetLibrary.listed(Set(scenes.keys)) }
  var setListNames: [String] { PresetLibrary.listed(Set(setLists.keys)) }

  private func needLibrary() throws(Refusal) -> SceneLibrary {
    guard let library else { throw Refusal(.state, "scenes need a data directory") }
    return library
  }

  // MARK: - Reading

  /// Reads all files at the first call.
  func start() {
    guard !isRead, library != nil else { return }
    isRead = true
    try? reload { _ in }
  }

  /// Reads all files again, and then calls `ending`.
  func reload(then ending: @escaping (Result<Void, Refusal>) -> Void) throws(Refusal) {
    let (library, presets) = (try needLibrary(), context.setup.presets)
    try worker.checkRoom()
    reads += 1
    worker.run { () throws(Refusal) -> Contents in
      Self.read(library, presets)
    } then: { [weak self] outcome in
      self?.reads -= 1
      if case .success(let contents) = outcome { self?.take(contents) }
      ending(outcome.map { _ in () })
    }
  }

  private static func read(_ library: SceneLibrary, _ presets: PresetLibrary) -> Contents {
    let scenes = library.readScenes()
    var found: [String: Result<[Preset.Setting], PresetFault>] = [:]
    for name in Set(scenes.values.map(\.content.preset)) where !name.isEmpty {
      found[name] = settings(of: name, presets)
    }
    return Contents(scenes: scenes, presets: found, setLists: library.readSetLists())
  }

  private static func settings(
    of preset: String, _ presets: PresetLibrary
  ) -> Result<[Preset.Setting], PresetFault> {
    Result { () throws(PresetFault) in
      try presets.read(PresetName(preset)).preset.settings
    }
  }

  private func take(_ contents: Contents) {
    var read = contents.scenes.mapValues { file in
      entry(file, contents.presets[file.content.preset] ?? .success([]))
    }
    for name in changedScenes { read[name] = scenes[name] }
    var readLists = contents.setLists
    for name in changedSetLists { readLists[name] = setLists[name] }
    (scenes, setLists) = (read, readLists)
    if reads == 0 { (changedScenes, changedSetLists) = ([], []) }
    whenRead()
    whenChanged()
  }

  private func entry(
    _ file: SceneLibrary.File<Scene>, _ preset: Result<[Preset.Setting], PresetFault>
  ) -> Entry {
    var faults = file.faults
    var settings: [Preset.Setting] = []
    switch preset {
    case .success(let found): settings = found
    case .failure(let fault): faults.append(JSON.Fault(1, fault.message))
    }
    let ready = ReadyScene(file.content, preset: settings, context, &faults)
    return Entry(scene: file.content, ready: ready, path: file.path, faults: faults)
  }

  // MARK: - Finding

  /// The scene with a name; nil if it must be read again, because it is not known.
  func scene(_ name: String) throws(Refusal) -> Entry {
    guard let entry = scenes[name] else {
      throw Self.missing("scene", name, among: sceneNames, list: "/scenes")
    }
    return entry
  }

  static func missing(
    _ kind: String, _ name: String, among names: [String], list: String
  ) -> Refusal {
    let hint = name.nearest(of: names).map { "did you mean \($0)?" } ?? "\(list) lists all"
    return Refusal(.missing, "unknown \(kind) \(quoted(name)); \(hint)")
  }

  /// The refusals of a scene's faults, one for each.
  static func refusals(_ faults: [JSON.Fault], of path: String) -> [Refusal] {
    faults.sorted { $0.line < $1.line }.map {
      Refusal(.type, "\(path):\($0.line): \($0.description)")
    }
  }

  // MARK: - Changing

  /// Writes a scene, and calls `ending` when it is done.
  func save(
    _ scene: Scene, as name: String, then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    let path = try path(try needLibrary().scenes, name, of: "scene")
    try write(scene.text, to: path, ending)
    var faults: [JSON.Fault] = []
    let read = Scene(Array(scene.text.utf8), &faults)
    scenes[name] = entry(
      SceneLibrary.File(content: read, path: path, faults: faults), .success([]))
    if reads > 0 { changedScenes.insert(name) }
    whenChanged()
  }

  /// Writes a set list, and calls `ending` when it is done.
  func save(
    _ list: SetList, as name: String, then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    let path = try path(try needLibrary().setLists, name, of: "set list")
    try write(list.text, to: path, ending)
    setLists[name] = SceneLibrary.File(content: list, path: path, faults: [])
    if reads > 0 { changedSetLists.insert(name) }
    whenChanged()
  }

  func deleteScene(
    _ name: String, then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    try delete(try scene(name).path, ending)
    scenes[name] = nil
    if reads > 0 { changedScenes.insert(name) }
    whenChanged()
  }

  func deleteSetList(
    _ name: String, then ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    guard let list = setLists[name] else {
      throw Self.missing("set list", name, among: setListNames, list: "/setlists")
    }
    try delete(list.path, ending)
    setLists[name] = nil
    if reads > 0 { changedSetLists.insert(name) }
    whenChanged()
  }

  private func path(
    _ folder: String, _ name: String, of kind: String
  ) throws(Refusal) -> String {
    try refusing { () throws(PresetFault) in try SceneLibrary.path(folder, name, of: kind) }
  }

  private func write(
    _ text: String, to path: String, _ ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    try worker.checkRoom()
    worker.run(
      { () throws(PresetFault) in try SceneLibrary.write(text, to: path) }, then: ending)
  }

  private func delete(
    _ path: String, _ ending: @escaping (Result<Void, Refusal>) -> Void
  ) throws(Refusal) {
    try worker.checkRoom()
    worker.run({ () throws(PresetFault) in try SceneLibrary.delete(path) }, then: ending)
  }
}
