internal import Engine
internal import OSC

/// The player of one clip, and that clip as a loop: what it is asked for, and what it does.
final class Player: Feature {
  // How often to look for another tempo of a transport that is followed.
  private static let transportMilliseconds = 50

  private let context: Context
  private var tempo: Float = 0

  init(_ context: Context) { self.context = context }

  /// The player's state at the moment.
  var reading: PublishedLoop.Reading { context.engine.shared.loops[0].state.read() }

  /// The length of so many frames, in seconds.
  func seconds(_ frames: Int) -> Float {
    Float(frames) / Float(max(1, context.soundServer.status.rate))
  }

  /// The first loop, which the player is.
  private var loops: Loops { context[Loops.self] }

  private var telling: LoopTelling { loops.telling(0) }

  /// A command for the player, whose refusal is answered.
  fileprivate func command(_ action: Command.Action, _ request: Request) -> PlannedCommand {
    loops.command(action, of: 0, request)
  }

  /// Plays the clip, as if somebody had pressed it.
  func play() { try? context.perform(Self.play, []) }

  // MARK: - What happens by itself

  /// Follows the tempo that the loops find, and that of a transport.
  func poll(_ now: Double) -> Int? {
    followTempo()
    return context.engine.shared.isTransportFollowed ? Self.transportMilliseconds : nil
  }

  /// Tells what has become of the first loop.
  func tell(_ news: LoopWatch.News) {
    if news.isState {
      context.changed(Self.state, Self.controls, Self.next, Self.loopState, Self.history)
    }
    if news.isPosition { context.changed(Self.position, Self.state, Self.loopState) }
    if news.isPicture { context.changed(Self.loopPeaks) }
  }

  private func followTempo() {
    let shared = context.engine.shared
    if let tempo = shared.loops[0].state.tempo, tempo != self.tempo {
      self.tempo = tempo
      try? context[Tempo.self].set(beatsPerMinute: tempo)
    }
    // Also after somebody has set another one; one out of range moves the beats alone.
    if let tempo = shared.transportTempo, tempo != context[.beat(.tempo)] {
      try? context[Tempo.self].set(beatsPerMinute: tempo)
    }
  }

  /// Ends what is played or recorded, and empties the loop.
  func beginSession() {
    var ending = [Self.done, Self.cancel]
    if reading.length > 0 { ending.append(Self.clear) }
    for path in ending { try? context.perform(path, []) }
  }

  fileprivate var peaksOfNow: [Argument] { loops.peaks(0) }
}

// MARK: - Addresses

extension Player {
  typealias Declared = Of<Player>

  private static let (play, done) = ("/player/play", "/player/done")
  private static let (state, controls, next, position) = (
    "/player/state", "/player/controls", "/player/next", "/player/position"
  )
  private static let (clear, cancel) = ("/loop/clear", "/loop/cancel")
  private static let (loopState, history, loopPeaks) = (
    "/loop/state", "/loop/history", "/loop/peaks"
  )

  static let addresses: [Address] = addresses(LoopSetup())

  static func addresses(_ loops: LoopSetup) -> [Address] {
    ofThePlayer(seconds: Float(loops.seconds)) + ofTheLoop
  }

  /// The player of one clip of at most so many seconds.
  private static func ofThePlayer(seconds: Float) -> [Address] {
    [
      button(
        "/player/record", .record,
        "Starts recording, and ends it; resumes after a pause"),
      button(
        play, .play,
        "Plays what was recorded; again, it pauses, and resumes"),
      button(
        "/player/pause", .pause,
        "Pauses playing or recording; again, it resumes"),
      button(
        "/player/stop", .stop,
        "Stops playing or recording, and goes to the beginning"),
      button(
        done, .done,
        "Ends whatever is under way; everything can be pressed again"),
      button(
        "/player/rewind", .rewind,
        "Goes back by ten seconds, or to the beginning"),
      button(
        "/player/forward", .forward,
        "Goes forward by ten seconds, or to the end"),
      Address(
        "/player/source", .choice(.loop(.source), ["live", "grid", "mix"]), kept: .session,
        "Source of a recording: the live input without effects, the grid, or all that is heard"),
      Address(
        position,
        Declared.place(in: 0...seconds) { player in
          player.telling.position
        } make: { player, seconds, request in
          player.command(.seek(seconds), request)
        },
        unit: "s",
        "Position in the clip; a number goes there"),
      Address(
        "/player/loop", .whole(.loop(.loop), 0...1), kept: .session,
        "1 loops the clip, 0 plays it once"),
      Address(
        "/player/direction", .whole(.loop(.direction), -1...1), allowsZero: false,
        kept: .session,
        "Direction: 1 is forwards, -1 is backwards"),
      Address(
        state,
        Declared.reading(types: "ssffi", isAnnounced: true) { $0.telling.player },
        "State of the player (start, recording, suspended, playing, paused), its mode (standby, "
          + "record, play), position and length in seconds, and number of overdubs"),
      Address(
        controls,
        Declared.reading(types: "iiiiiissssss", isAnnounced: true) {
          PlayerControls($0.reading).arguments
        },
        "Buttons that can be pressed: 1 or 0 for record, play, stop, rewind, forward, done; then "
          + "the icon of each, empty where it is hidden"),
      Address(
        next,
        Declared.reading(types: "sf", isAnnounced: true) { $0.telling.waiting },
        "What waits for its beat or for sound, and for how many seconds; -1 where that is unknown"),
    ]
  }

  /// The loop: the player's clip, as something to be added to.
  private static let ofTheLoop: [Address] = [
    button(
      "/loop/overdub", .overdub,
      "Overdubs: adds the source to the loop; again, it ends that"),
    button(
      "/loop/replace", .replace,
      "Replaces: records the source over the loop; again, it ends that"),
    button(
      "/loop/undo", .undo,
      "Undoes the last step"),
    button(
      "/loop/redo", .redo,
      "Redoes the step that was undone last"),
    button(
      clear, .clear,
      "Clears the loop; /loop/undo brings it back"),
    button(
      cancel, .cancel,
      "Cancels what waits for its beat or for sound"),
    Address(
      loopState,
      Declared.reading(types: "sffis", isAnnounced: true) { $0.telling.loop },
      "State of the loop (empty, recording, overdubbing, replacing, substituting, multiplying, "
        + "inserting, playing, muted, paused, stopped), position and length in seconds, number "
        + "of overdubs, and the state that waits for its beat or for sound"),
    Address(
      history,
      Declared.reading(types: "ii", isAnnounced: true) { $0.telling.steps },
      "Number of steps that can be undone, and redone"),
    Address(
      loopPeaks,
      Declared.reading(types: "f…", isAnnounced: true) { $0.peaksOfNow },
      "Peaks of 256 equal parts of the clip, from 0 to 1, and none where there is no clip; told "
        + "four times a second at most"),
    Address(
      "/loop/feedback", .number(.loop(.feedback), 0...1), kept: .session,
      "Feedback: how much of the loop is left under an overdub, each time round"),
    Address(
      "/loop/quantize", .choice(.loop(.quantize), ["off", "beat", "bar", "loop"]), kept: .session,
      "Quantizes the start and the end of recording, playing and overdubbing to a beat, a bar, or a "
        + "round of the first loop that plays"),
    Address(
      "/loop/beats", .number(.loop(.beats), 0...64), unit: "beats", kept: .session,
      "Length of a recording; 0 records until it is ended"),
    Address(
      "/loop/tempo", .whole(.beat(.fitsFirst), 0...1), kept: .session,
      "1 lets the first recording set the tempo: it is a whole number of beats long"),
    Address(
      "/loop/threshold", .number(.loop(.threshold), -90...0), unit: "dB", kept: .session,
      "Input level at which a recording starts; -90 starts at once"),
    Address(
      "/loop/semitones", .number(.loop(.semitones), -24...24), unit: "semitones",
      kept: .session,
      "Pitch shift of the loop"),
    Address(
      "/loop/rate", .number(.loop(.rate), 0.25...4), kept: .session,
      "Speed of the loop, at the same pitch"),
    Address(
      "/loop/engine", .choice(.loop(.engine), ["live", "voice", "studio"]), kept: .session,
      "Engine for the loop's pitch and speed; see /pitch/engine"),
  ]

  private static func button(_ path: String, _ action: LoopAction, _ help: String) -> Address {
    Address(
      path,
      Declared.command(isButton: true) { player, request in
        player.command(.loop(action), request)
      }, help)
  }
}
