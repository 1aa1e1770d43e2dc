internal import Control
internal import Posix

/// What the node of this name was when it ended, however that was, and the file that keeps what it is.
struct FormerState {
  // None where another node has it.
  private let file: StateFile?
  private let state: NodeState?
  private let isFresh: Bool

  /// Reads the former state and resumes the node from it, unless it is to begin afresh.
  init(_ options: RunOptions, resuming node: Node) {
    isFresh = options.isFresh
    node.server = options.serverName
    let file = StateFile(home: options.home, name: options.name)
    guard file.claim() else {
      Environment.say(
        "another node keeps its state in \(file.path); this one begins with the initial values, and "
          + "keeps none: --name gives it one of its own")
      (self.file, state) = (nil, nil)
      return
    }
    self.file = file
    guard !options.isFresh else {
      state = nil
      return
    }
    do throws(NodeState.Fault) {
      state = try file.read()
    } catch {
      state = nil
      let isAside = file.setAside()
      Environment.say(
        "\(error); beginning with the initial values"
          + (isAside ? ", and that one is \(options.name).bad now" : ""))
    }
    guard var state else { return }
    // Ports of the same names are others on another server.
    if !state.server.isEmpty, state.server != options.serverName {
      state.connections = []
      state.connectedPorts = []
    }
    for line in node.resume(state) { Environment.say("in \(file.path): \(line)") }
  }

  /// Whether this node is the one of its name and folder that keeps what it is.
  var isKept: Bool { file != nil }

  /// Lets the node keep its state from now on, as it changes.
  func begin(_ node: Node) {
    guard let file else { return }
    node.keepState(in: file, holding: state, forgetsFormer: isFresh) { Environment.say($0) }
  }
}
