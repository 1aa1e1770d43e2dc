internal import Engine

/// The figures of a node that the program itself shows.
package struct Glance: Sendable {
  /// The peaks since the last glance and by how much the limiter turned down, in dB and the order
  /// of `/meter`.
  package let levels: [Float]
  /// The word for the player's state.
  package let player: String
  /// The player's position in its clip, in seconds.
  package let position: Float
  /// How long its clip is, in seconds.
  package let length: Float
  /// How long a capture has gone on, in seconds; nil where none is on.
  package let captured: Double?
  /// How many clients subscribe.
  package let clients: Int
}

extension Node {
  /// The node's figures at the moment.
  package func glance() -> Glance {
    let player = context[Player.self]
    let reading = player.reading
    let account = context[Captures.self].account
    return Glance(
      levels: context[Presence.self].levels.take(for: .terminal, context.engine),
      player: reading.state.word, position: player.seconds(reading.position),
      length: player.seconds(reading.length), captured: account.isOn ? account.seconds : nil,
      clients: clientCount)
  }
}
