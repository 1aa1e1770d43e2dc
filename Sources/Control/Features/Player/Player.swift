internal import Engine
internal import OSC

/// The player: loop 1 with the commands and states of a recorder for single clips.
final class Player: Feature {
  // The poll interval for the tempo of a followed transport.
  private static let sourceMilliseconds = 50

  private let context: Context
  private var tempo: Float = 0

  init(_ context: Context) { self.context = context }

  /// The first loop, which the player is.
  private var loops: Loops { context[Loops.self] }

  private var status: LoopStatus { loops.status(of: 0) }

  /// A command for loop 1 that reports a refusal to the sender.
  fileprivate func command(_ action: Command.Action, _ request: Request) -> PlannedCommand {
    loops.command(action, of: 0, request)
  }

  // MARK: - Polling

  /// Follows the tempo set by a recording, and that of the source of the beats.
  func poll(_ now: Double) -> Int? {
    followTempo()
    return context[Tempo.self].source == .own ? nil : Self.sourceMilliseconds
  }

  /// Reports changes of loop 1 under the player's own addresses.
  func report(_ changes: LoopWatch.Changes) {
    if changes.isState { context.changed(Self.state, Self.controls) }
    if changes.isPosition { context.changed(Self.state) }
  }

  private func followTempo() {
    let shared = context.shared
    if let tempo = shared.loops[0].state.tempo, tempo != self.tempo {
      self.tempo = tempo
      try? context[Tempo.self].set(beatsPerMinute: tempo)
    }
    context[Tempo.self].followTempo()
  }

  /// Ends playback and recording, and clears the loop.
  func beginSession() {
    var ending = [Self.done, Self.cancel]
    if status.reading.length > 0 { ending.append(Self.clear) }
    for path in ending { try? context.perform(path, []) }
  }
}

// MARK: - Addresses

extension Player {
  typealias Declared = Declaring<Player>

  static let (play, stop) = ("/player/play", "/player/stop")
  private static let done = "/player/done"
  private static let (state, controls) = ("/player/state", "/player/controls")
  private static let (clear, cancel) = ("/loop/clear", "/loop/cancel")

  static let addresses: [Address] = [
    [button("/player/record", .record, "Starts or ends a recording; resumes a paused one")],
    aliases("/player", "play", "pause", "stop"),
    [
      button("/player/replay", .replay, "Plays the clip once from its start, at once"),
      button(done, .done, "Ends whatever is in progress and closes the clip"),
      button(
        "/player/back", .back,
        "Closes a take or post opened for playback, and restores the previous clip; no effect if none is open"
      ),
      button("/player/rewind", .rewind, "Jumps back ten seconds, at most to the start"),
      button(
        "/player/forward", .forward,
        "Jumps forward ten seconds, at most to the end, where a loop starts again"),
    ],
    aliases("/player", "source", "position", "loop", "direction"),
    [
      Address(
        state, Declared.reading("ssffi") { $0.status.player },
        "State of the player (start, recording, suspended, playing, paused), its mode (standby, "
          + "record, play), position and length in seconds, and number of overdubs"),
      Address(
        controls, Declared.reading("iiiiiissssss") { PlayerControls($0.status.reading).arguments },
        "Enabled buttons: 1 or 0 for record, play, stop, rewind, forward, done; then the icon of "
          + "each, empty if it is hidden"),
    ],
    aliases("/player", "next"),
    aliases(
      "/loop", "overdub", "replace", "undo", "redo", "clear", "cancel", "state", "history", "peaks",
      "feedback", "quantize", "beats"),
    [
      Address(
        "/loop/tempo", .whole(.beat(.fitsFirst), 0...1), kept: .session,
        "1 sets the tempo from the first recording, as a whole number of beats"),
      Address(
        "/loop/lateness", .number(.beat(.lateness), 0...0.5), unit: "s", kept: .session,
        "How late a press may be for the beat, bar or cycle that it meant, at most a third of that; 0 makes each "
          + "press wait for the next"),
    ],
    aliases("/loop", "threshold", "semitones", "rate", "engine"),
  ].flatMap(\.self)

  /// Aliases of loop 1 without its number.
  private static func aliases(_ root: String, _ names: String...) -> [Address] {
    names.map { Address("\(root)/\($0)", aliasOf: "/loop/1/\($0)") }
  }

  private static func button(_ path: String, _ action: LoopAction, _ help: String) -> Address {
    Address(
      path,
      Declared.command(isButton: true) { player, request in
        player.command(.loop(action), request)
      }, help)
  }
}
