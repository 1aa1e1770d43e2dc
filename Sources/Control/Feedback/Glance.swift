internal import Engine

/// What the program itself shows of a node.
package struct Glance: Sendable {
  /// The peaks since the last glance and by how much the limiter turned down, in dB and the order
  /// of `/meter`.
  package let levels: [Float]
  /// What the player does.
  package let player: String
  /// Where it is in its clip, in seconds.
  package let position: Float
  /// How long its clip is, in seconds.
  package let length: Float
  /// How long a capture has gone on, in seconds; nil where none is on.
  package let captured: Double?
  /// How many clients subscribe.
  package let clients: Int
}

extension Node {
  /// How it is at the moment.
  package func glance() -> Glance {
    let player = player
    let account = capture.account
    return Glance(
      levels: feedback.levels.take(for: .terminal, engine), player: player.state.word,
      position: seconds(player.position), length: seconds(player.length),
      captured: account.isOn ? account.seconds : nil, clients: clientCount)
  }
}
