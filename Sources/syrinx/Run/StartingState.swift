internal import Control
internal import Library
internal import Posix

/// The state that a node starts with: the saved state of its name, changed by the options.
struct StartingState {
  // nil if another node has it.
  private let file: StateFile?
  private let saved: NodeState?
  private let isFresh: Bool

  /// Restores a node's starting state.
  ///
  /// Determines the order: the saved state comes before the options,
  /// which are validated before a new data directory is created; the loops come last.
  init(_ options: RunOptions, for node: Node) throws(Failure) {
    isFresh = options.isFresh
    let isNew = !Files.isFolder(options.home)
    if isNew {
      try Self.apply(options, to: node)
      try Self.makeHome(options)
    }
    (file, saved) = Self.resume(options, node)
    if !isNew {
      try Self.apply(options, to: node)
      try Self.makeHome(options)
    }
    guard file != nil else { return }
    node[LoopPersistence.self].open(
      home: options.home, name: options.name, discarding: options.isFresh,
      isReadOnly: !Files.isWritable(options.home)
    ) {
      Environment.say($0)
    }
  }

  /// Creates the data directory.
  ///
  /// On a disk that is read-only, full or failing, or without the permission to write to it, the node plays
  /// without saving, and says so. Throws if there can be no such folder.
  static func makeHome(_ options: RunOptions) throws(Failure) {
    do throws(SystemError) {
      try Files.makeFolder(options.home)
      upgrade(options.home)
    } catch {
      guard Files.isFolder(options.home) || error.isOfDisk else {
        throw Failure(.cannotWrite, "can't use the data directory \(options.home): \(error)")
      }
      Environment.say(
        "nothing is saved, because the data directory \(options.home) can't be written "
          + "(\(error.reason)); saving starts again as soon as it can be")
    }
  }

  /// Upgrades a data directory that can be written to, and reports that.
  static func upgrade(_ home: String) {
    guard Files.isWritable(home) else { return }
    do throws(LibraryFault) {
      if let line = try HomeVersion.upgrade(home) { Environment.say(line) }
    } catch {
      Environment.say("\(error)")
    }
  }

  /// Claims the saved state, and restores it unless the node starts fresh.
  private static func resume(_ options: RunOptions, _ node: Node) -> (StateFile?, NodeState?) {
    node.keeper.server = options.serverName
    let file = StateFile(home: options.home, name: options.name)
    guard file.claim() else {
      Environment.say(
        "another node saves its state in \(file.path); this one starts with default values, and "
          + "saves none: --name gives it its own")
      return (nil, nil)
    }
    if options.isFresh { return (file, nil) }
    let saved: NodeState?
    do throws(NodeState.Fault) {
      saved = try file.read()
    } catch {
      saved = nil
      let isAside = file.setAside()
      Environment.say(
        "\(error); starting with default values"
          + (isAside ? "; the file is now \(options.name).bad" : ""))
    }
    guard var state = saved else { return (file, nil) }
    // On another server, ports of the same names are different ports.
    if !state.server.isEmpty, state.server != options.serverName {
      state.connections = []
      state.connectedPorts = []
    }
    for line in node.keeper.resume(state) { Environment.say("in \(file.path): \(line)") }
    return (file, saved)
  }

  // MARK: - Options

  /// Applies the preset and settings of the command line, except those that depend on the server's
  /// rate.
  private static func apply(_ options: RunOptions, to node: Node) throws(Failure) {
    if let preset = options.preset { try StoredFiles.load(preset, into: node) }
    if let place = options.location {
      try Failure.of("--location") { () throws(Refusal) in try node.move(to: place) }
    }
    try set(options.settings.filter { !needsRate($0, node) }, node)
  }

  /// Applies the settings that depend on the server's rate.
  func applyRest(of options: RunOptions, to node: Node) throws(Failure) {
    try Self.set(options.settings.filter { Self.needsRate($0, node) }, node)
  }

  private static func set(_ settings: [String], _ node: Node) throws(Failure) {
    try Failure.of("--set") { () throws(Refusal) in
      for setting in settings { try node.set(setting) }
    }
  }

  private static func needsRate(_ setting: String, _ node: Node) -> Bool {
    node.table[String(setting.prefix { $0 != "=" })]?.isProcess == true
  }

  // MARK: - Saving

  /// Saves the node's state whenever it changes from now on.
  func keep(_ node: Node) {
    guard let file else { return }
    node.keeper.keepState(in: file, holding: saved, forgetsFormer: isFresh) { Environment.say($0) }
  }
}
