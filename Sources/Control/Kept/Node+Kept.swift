/// The state of the node, which is there again when it is started again.
extension Node {
  /// The state: all that a client can have set, but for what the library of takes keeps anyway.
  package var state: NodeState { keeper.state }

  /// The state as a session has it: with what the library keeps otherwise, and without the
  /// connections, which are the session manager's.
  package var sessionState: NodeState { keeper.sessionState }

  /// Takes over a state; returns a line for each value that can't be followed.
  package func resume(_ state: NodeState) -> [String] { keeper.resume(state) }

  /// Keeps the state in a file from now on, as it changes; `say` is given a line where that fails.
  ///
  /// `written` is what the file has at present, where that is known; what is to be forgotten is
  /// written over at once.
  package func keepState(
    in file: StateFile, holding written: NodeState?, forgetsFormer: Bool = false,
    _ say: @escaping (String) -> Void
  ) {
    keeper.keepState(in: file, holding: written, forgetsFormer: forgetsFormer, say)
  }

  /// Writes the state at once, where it is kept, and what the library keeps of it.
  package func saveState() { keeper.saveAll() }

  /// How often something of the state may have become another.
  package var stateChanges: Int { keeper.changes }

  /// Connections of the node's ports, those to come as soon as both ports are there among them.
  package var connections: [NodeState.Connection] {
    get { keeper.connections }
    set { keeper.connections = newValue }
  }

  /// Those of the node's ports that had a connection at any time: what has none of them was taken
  /// away by somebody.
  package var connectedPorts: Set<String> { keeper.links.connectedPorts }

  /// The JACK server that the connections are of.
  package var server: String {
    get { keeper.server }
    set { keeper.server = newValue }
  }

  /// Whether the settings that were kept are still on their way.
  package var isOpening: Bool { keeper.isOpening }

  // MARK: - Sessions

  /// Leaves all settings to sessions from now on: none is kept in the library of takes.
  ///
  /// Everything is as it is at first then, and nothing plays.
  package func beginSession() { keeper.beginSession() }

  /// Follows what a session had; returns a line for each value that can't be followed.
  package func resumeSession(_ state: NodeState) -> [String] { keeper.resumeSession(state) }
}
