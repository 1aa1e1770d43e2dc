internal import Engine

/// A summary of the node for its status line.
package struct NodeSummary: Sendable {
  /// The peaks since the last summary and the limiter's gain reduction, in dB, in the order of `/meter`.
  package let levels: [Float]
  /// The word for the player's state.
  package let player: String
  /// The player's position, in seconds.
  package let position: Float
  /// The length of the player's clip, in seconds.
  package let length: Float
  /// The length of the running capture, in seconds; nil if none is running.
  package let captured: Double?
  /// The number of subscribers.
  package let clients: Int
}

extension Node {
  /// The current summary.
  package func summary() -> NodeSummary {
    let player = context[Loops.self].status(of: 0)
    let account = context[Captures.self].account
    return NodeSummary(
      levels: context[ClientsFeature.self].levels.collect(for: .terminal, context.engine),
      player: player.reading.state.word, position: player.position, length: player.length,
      captured: account.isOn ? account.seconds : nil,
      clients: clientCount)
  }
}
