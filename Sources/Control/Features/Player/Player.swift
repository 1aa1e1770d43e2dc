internal import Engine
internal import OSC

/// The player of one clip, and that clip as a loop: what it is asked for, and what it does.
final class Player: Feature {
  // A position is told so often, in microseconds.
  private static let positionPeriod = 100_000.0
  // How often to look while something may end by itself, in milliseconds.
  private static let busyMilliseconds = 10
  // A picture of the clip is told so often at most, in microseconds.
  private static let picturePeriod = 250_000.0
  // How often to look for another tempo of a transport that is followed.
  private static let transportMilliseconds = 50

  private let context: Context
  private var last: PublishedPlayer.Reading?
  private var tempo: Float = 0
  private var nextPosition = 0.0
  private var peaks: [Float] = []
  // Which picture of the clip these are of, and when the next one may be told.
  private var picture: UInt64 = 0
  private var nextPicture = 0.0

  init(_ context: Context) { self.context = context }

  /// The player's state at the moment.
  var reading: PublishedPlayer.Reading { context.engine.shared.player.read() }

  /// The length of so many frames, in seconds.
  func seconds(_ frames: Int) -> Float {
    Float(frames) / Float(max(1, context.soundServer.status.rate))
  }

  /// A command for the player, whose refusal is answered.
  func command(_ action: Command.Action, _ request: Request) -> PlannedCommand {
    PlannedCommand(
      action: action,
      whenRefused: { [weak self] refusal in
        guard let self else { return }
        request.refuse(self.refusal(refusal, to: request.path))
      })
  }

  /// A refusal of the player's, in words.
  func refusal(_ refusal: PlayerRefusal, to path: String) -> Refusal {
    Refusal(refusal, to: path, of: reading)
  }

  /// Plays the clip, as if somebody had pressed it.
  func play() { try? context.perform(Self.play, []) }

  // MARK: - What happens by itself

  /// Tells of what the player does, and follows the tempo that it finds.
  func poll(_ now: Double) -> Int? {
    let reading = reading
    defer { last = reading }
    followTempo()
    let isMoving = reading.state.isPlaying || reading.state == .recording
    if let last, !reading.isLike(last) {
      context.changed(Self.state, Self.controls, Self.next, Self.loopState, Self.history)
    }
    if reading.position != last?.position, !isMoving || now >= nextPosition {
      nextPosition = now + Self.positionPeriod
      context.changed(Self.position, Self.state, Self.loopState)
    }
    let pictureDue = followPeaks(now)
    if isMoving || reading.pending != nil { return Self.busyMilliseconds }
    let tempoDue = context.engine.shared.isTransportFollowed ? Self.transportMilliseconds : nil
    return [pictureDue, tempoDue].compactMap(\.self).min()
  }

  /// Takes over the latest picture of the clip; returns in how many milliseconds to look again.
  @discardableResult
  private func followPeaks(_ now: Double) -> Int? {
    let shared = context.engine.shared
    guard shared.peaks.count != picture else {
      return shared.peaks.isBehind ? Self.busyMilliseconds : nil
    }
    guard now >= nextPicture else { return max(1, Int(((nextPicture - now) / 1000).rounded(.up))) }
    nextPicture = now + Self.picturePeriod
    picture = shared.peaks.count
    let latest = shared.peaks.read()
    if latest != peaks {
      peaks = latest
      context.changed(Self.loopPeaks)
    }
    return shared.peaks.isBehind ? Self.busyMilliseconds : nil
  }

  private func followTempo() {
    let shared = context.engine.shared
    if let tempo = shared.player.tempo, tempo != self.tempo {
      self.tempo = tempo
      try? context[Tempo.self].set(beatsPerMinute: tempo)
    }
    // Also after somebody has set another one; one out of range moves the beats alone.
    if let tempo = shared.transportTempo, tempo != context[.tempo] {
      try? context[Tempo.self].set(beatsPerMinute: tempo)
    }
  }

  /// Ends what is played or recorded, and empties the loop.
  func beginSession() {
    var ending = [Self.done, Self.cancel]
    if reading.length > 0 { ending.append(Self.clear) }
    for path in ending { try? context.perform(path, []) }
  }

  // MARK: - What it tells

  fileprivate var status: [Argument] {
    let reading = reading
    return [
      .string(reading.state.word), .string(reading.state.mode),
      .float(seconds(reading.position)), .float(seconds(reading.length)),
      .int32(Int32(reading.overdubs)),
    ]
  }

  fileprivate var loopStatus: [Argument] {
    let reading = reading
    return [
      .string(reading.loopState.rawValue), .float(seconds(reading.position)),
      .float(seconds(reading.length)), .int32(Int32(reading.overdubs)),
      .string(reading.loopStateToCome?.rawValue ?? ""),
    ]
  }

  fileprivate var peaksOfNow: [Argument] {
    followPeaks(context.now())
    return peaks.map(Argument.float)
  }

  fileprivate var steps: [Argument] {
    let reading = reading
    // A recording must be ended first.
    if reading.state.isRecording { return [.int32(0), .int32(0)] }
    return [.int32(Int32(reading.stepsBack)), .int32(Int32(reading.stepsForth))]
  }

  fileprivate var waiting: [Argument] {
    let reading = reading
    return [
      .string(reading.pending.map { "\($0)" } ?? ""),
      .float(reading.waiting.map(seconds) ?? (reading.pending == nil ? 0 : -1)),
    ]
  }
}

extension PublishedPlayer.Reading {
  /// Whether it is the same but for what moves by itself.
  fileprivate func isLike(_ other: Self) -> Bool {
    state == other.state && pending == other.pending && isOverdubbing == other.isOverdubbing
      && isReplacing == other.isReplacing && overdubs == other.overdubs
      && stepsBack == other.stepsBack
      && stepsForth == other.stepsForth
      && (length == other.length || state == .recording)
  }
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

  static let addresses = ofThePlayer + ofTheLoop

  /// The player of one clip.
  private static let ofThePlayer: [Address] = [
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
      "/player/source", .choice(.playerSource, ["live", "grid", "mix"]), kept: .session,
      "Source of a recording: the live input without effects, the grid, or all that is heard"),
    Address(
      position,
      Declared.place(in: 0...Float(ClipLength.seconds)) { player in
        player.seconds(player.reading.position)
      } make: { player, seconds, request in
        player.command(.seek(seconds), request)
      },
      unit: "s",
      "Position in the clip; a number goes there"),
    Address(
      "/player/loop", .whole(.playerLoop, 0...1), kept: .session,
      "1 loops the clip, 0 plays it once"),
    Address(
      "/player/direction", .whole(.playerDirection, -1...1), allowsZero: false,
      kept: .session,
      "Direction: 1 is forwards, -1 is backwards"),
    Address(
      state,
      Declared.reading(types: "ssffi", isAnnounced: true) { $0.status },
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
      Declared.reading(types: "sf", isAnnounced: true) { $0.waiting },
      "What waits for its beat or for sound, and for how many seconds; -1 where that is unknown"),
  ]

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
      Declared.reading(types: "sffis", isAnnounced: true) { $0.loopStatus },
      "State of the loop (empty, recording, overdubbing, replacing, playing, paused, stopped), "
        + "position and length in seconds, number of overdubs, and the state that waits for its "
        + "beat or for sound"),
    Address(
      history,
      Declared.reading(types: "ii", isAnnounced: true) { $0.steps },
      "Number of steps that can be undone, and redone"),
    Address(
      loopPeaks,
      Declared.reading(types: "f…", isAnnounced: true) { $0.peaksOfNow },
      "Peaks of 256 equal parts of the clip, from 0 to 1, and none where there is no clip; told "
        + "four times a second at most"),
    Address(
      "/loop/feedback", .number(.loopFeedback, 0...1), kept: .session,
      "Feedback: how much of the loop is left under an overdub, each time round"),
    Address(
      "/loop/quantize", .choice(.loopQuantize, ["off", "beat", "bar"]), kept: .session,
      "Quantizes the start and the end of recording, playing and overdubbing to a beat, or a bar"),
    Address(
      "/loop/beats", .number(.loopBeats, 0...64), unit: "beats", kept: .session,
      "Length of a recording; 0 records until it is ended"),
    Address(
      "/loop/tempo", .whole(.loopTempo, 0...1), kept: .session,
      "1 lets the first recording set the tempo: it is a whole number of beats long"),
    Address(
      "/loop/threshold", .number(.loopThreshold, -90...0), unit: "dB", kept: .session,
      "Input level at which a recording starts; -90 starts at once"),
    Address(
      "/loop/semitones", .number(.loopSemitones, -24...24), unit: "semitones",
      kept: .session,
      "Pitch shift of the loop"),
    Address(
      "/loop/rate", .number(.loopRate, 0.25...4), kept: .session,
      "Speed of the loop, at the same pitch"),
    Address(
      "/loop/engine", .choice(.loopEngine, ["live", "voice", "studio"]), kept: .session,
      "Engine for the loop's pitch and speed; see /pitch/engine"),
  ]

  private static func button(_ path: String, _ action: PlayerAction, _ help: String) -> Address {
    Address(
      path,
      Declared.command(isButton: true) { player, request in
        player.command(.player(action), request)
      }, help)
  }
}
