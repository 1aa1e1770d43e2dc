package import Engine

/// The persisted state of the node.
extension Node {
  /// The state: all values that clients can set, except those stored in the library.
  package var state: NodeState { keeper.state }

  /// The state for a session: includes what the library stores otherwise, but not the connections, which
  /// the session manager restores.
  package var sessionState: NodeState { keeper.sessionState }

  /// Restores a state, and returns a line for each value that can't be restored.
  package func resume(_ state: NodeState) -> [String] { keeper.resume(state) }

  /// Persists the state in a file from now on.
  ///
  /// Calls `say` with a line when writing fails.
  ///
  /// `written` is the current content of the file, if known. With `forgetsFormer` the file is overwritten
  /// immediately.
  package func keepState(
    in file: StateFile, holding written: NodeState?, forgetsFormer: Bool = false,
    _ say: @escaping (String) -> Void
  ) {
    keeper.keepState(in: file, holding: written, forgetsFormer: forgetsFormer, say)
  }

  /// Writes the state and pending settings immediately.
  package func saveState() { keeper.saveAll() }

  /// The number of changes to the state.
  package var stateChanges: Int { keeper.changes }

  /// The connections of the node's ports, including those waiting for a port to appear.
  package var connections: [SoundConnection] {
    get { keeper.connections }
    set { keeper.connections = newValue }
  }

  /// The node's ports that have ever been connected.
  ///
  /// If one has no connection now, somebody disconnected it.
  package var connectedPorts: Set<String> { keeper.links.connectedPorts }

  /// The JACK server of the connections.
  package var server: String {
    get { keeper.server }
    set { keeper.server = newValue }
  }

  /// Whether persisted settings are still being read.
  package var isOpening: Bool { keeper.isOpening }

  // MARK: - Sessions

  /// Leaves all settings to sessions from now on, so that none is stored in the library.
  ///
  /// Resets everything to its initial value, and stops all sound.
  package func beginSession() { keeper.beginSession() }

  /// Restores the state of a session, and returns a line for each value that can't be restored.
  package func resumeSession(_ state: NodeState) -> [String] { keeper.resumeSession(state) }
}
