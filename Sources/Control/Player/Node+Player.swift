internal import Engine
internal import OSC

/// The player: what it does, and what it is asked for.
extension Node {
  /// What the player does at the moment.
  var player: PublishedPlayer.Reading { engine.shared.player.read() }

  /// How long so many frames are, in seconds.
  func seconds(_ frames: Int) -> Float { Float(frames) / Float(max(1, soundServer.status.rate)) }

  /// A command for the player, whose refusal is answered.
  func command(_ action: Command.Action, path: String, client: Client?) -> PlannedCommand {
    var command = PlannedCommand(action: action)
    command.whenRefused = { [weak self] refusal in
      guard let self else { return }
      answer(Refusal(refusal, to: path, of: player), to: path, from: client)
    }
    return command
  }
}

/// Watches the player for those who want to be told.
struct PlayerWatch {
  // A position is told so often, in microseconds.
  private static let positionPeriod = 100_000.0
  // How often to look while something may end by itself, in milliseconds.
  private static let busyMilliseconds = 10
  // How often to look for another tempo of a transport that is followed.
  private static let transportMilliseconds = 50

  private var last: PublishedPlayer.Reading?
  private var tempo: Float = 0
  private var nextPosition = 0.0

  /// Looks at what it does now; returns in how many milliseconds to look again, nil for any time.
  mutating func look(_ now: Double, node: Node) -> Int? {
    let reading = node.player
    defer { last = reading }
    if let tempo = node.engine.shared.player.tempo, tempo != self.tempo {
      self.tempo = tempo
      // By the same door as any other change of it.
      try? node.perform("/metronome/bpm", [.float(tempo)])
    }
    // Also after somebody has set another one; one out of range moves the beats alone.
    if let tempo = node.engine.shared.transportTempo, tempo != node.values[.tempo] {
      try? node.perform("/metronome/bpm", [.float(tempo)])
    }
    let isMoving = reading.state.isPlaying || reading.state == .recording
    if reading.latestClip != last?.latestClip { node.clips.begin(reading.latestClip, node) }
    if let last, !reading.isLike(last) {
      for path in ["/player/state", "/player/controls", "/player/next"] {
        node.feedback.changed(path)
      }
    }
    if reading.position != last?.position, !isMoving || now >= nextPosition {
      nextPosition = now + Self.positionPeriod
      node.feedback.changed("/player/position")
      node.feedback.changed("/player/state")
    }
    if isMoving || reading.pending != nil { return Self.busyMilliseconds }
    return node.engine.shared.isTransportFollowed ? Self.transportMilliseconds : nil
  }
}

extension PublishedPlayer.Reading {
  /// Whether it is the same but for what moves by itself.
  fileprivate func isLike(_ other: Self) -> Bool {
    state == other.state && pending == other.pending && isOverdubbing == other.isOverdubbing
      && overdubs == other.overdubs && stepsBack == other.stepsBack
      && stepsForth == other.stepsForth
      && (length == other.length || state == .recording)
  }
}
