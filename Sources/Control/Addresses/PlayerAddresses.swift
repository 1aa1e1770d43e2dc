internal import Engine
internal import OSC

extension Address {
  /// The player of one clip.
  static let ofThePlayer: [Address] = [
    button("/player/record", .record, "Begins to record, and ends it; goes on after a pause"),
    button("/player/play", .play, "Plays what was recorded; again, it pauses, and goes on"),
    button("/player/pause", .pause, "Pauses what is played or recorded; again, it goes on"),
    button("/player/stop", .stop, "Ends what is played or recorded, and goes to the beginning"),
    button("/player/done", .done, "Ends whatever is under way, and makes ready for all"),
    button("/player/rewind", .rewind, "Goes back ten seconds, or to the beginning"),
    button("/player/forward", .forward, "Goes on by ten seconds, or to the end"),
    Address(
      "/player/source", .choice(.playerSource, ["live", "grid", "mix"], initial: 0),
      "What is recorded: the input as it comes, the grid, or all that is heard"),
    Address(
      "/player/position",
      .place(0...Float(ClipLength.seconds)) { node in
        node.seconds(node.player.position)
      } make: { seconds in
        .seek(seconds)
      },
      unit: "s", "Where in the clip it is; goes there"),
    Address(
      "/player/loop", .whole(.playerLoop, 0...1, initial: 1),
      "1 plays the clip again and again, 0 once"),
    Address(
      "/player/direction", .whole(.playerDirection, -1...1, initial: 1), allowsZero: false,
      "1 plays forwards, -1 backwards"),
    Address(
      "/player/state",
      .reading(types: "ssffi", isAnnounced: true) { node in
        let player = node.player
        return [
          .string(player.state.word), .string(player.state.mode),
          .float(node.seconds(player.position)), .float(node.seconds(player.length)),
          .int32(Int32(player.overdubs)),
        ]
      },
      "What it does (start, recording, suspended, playing, paused), what it was opened for "
        + "(standby, record, play), position and length in seconds, and how many times "
        + "something was added"),
    Address(
      "/player/controls",
      .reading(types: "iiiiiissssss", isAnnounced: true) { PlayerControls($0.player).arguments },
      "What can be pressed: 1 or 0 for record, play, stop, rewind, forward, done; then what each "
        + "shows, empty where it is hidden"),
    Address(
      "/player/next",
      .reading(types: "sf", isAnnounced: true) { node in
        let player = node.player
        return [
          .string(player.pending.map { "\($0)" } ?? ""),
          .float(player.waiting.map(node.seconds) ?? (player.pending == nil ? 0 : -1)),
        ]
      },
      "What waits for its beat or for sound, and for how many seconds; -1 where nobody knows"),
  ]

  /// The loop: the player's clip, as something to be added to.
  static let ofTheLoop: [Address] = [
    button("/loop/overdub", .overdub, "Adds what comes in to the loop; again, it ends that"),
    button(
      "/loop/replace", .replace, "Puts what comes in where the loop is; again, it ends that"),
    button("/loop/undo", .undo, "Takes the last step back"),
    button("/loop/redo", .redo, "Takes the step forth again"),
    button("/loop/clear", .clear, "Empties the loop, which can be undone, too"),
    button("/loop/cancel", .cancel, "Forgets what waits for its beat or for sound"),
    Address(
      "/loop/feedback", .number(.loopFeedback, 0...1, initial: 1),
      "What is left of the loop under what is added, each time round"),
    Address(
      "/loop/quantize", .choice(.loopQuantize, ["off", "beat", "bar"], initial: 0),
      "Lets recording, playing and adding begin and end on a beat, or a bar"),
    Address(
      "/loop/beats", .number(.loopBeats, 0...64, initial: 0), unit: "beats",
      "How long a recording is; 0 until it is ended"),
    Address(
      "/loop/tempo", .whole(.loopTempo, 0...1, initial: 0),
      "1 lets the first recording set the tempo: it is a whole number of beats long"),
    Address(
      "/loop/threshold", .number(.loopThreshold, -90...0, initial: -90), unit: "dB",
      "How loud the input must be for a recording to begin; -90 begins at once"),
    Address(
      "/loop/semitones", .number(.loopSemitones, -24...24, initial: 0), unit: "semitones",
      "How much higher the loop sounds than it was recorded"),
    Address(
      "/loop/rate", .number(.loopRate, 0.25...4, initial: 1),
      "How fast the loop goes, at the same pitch"),
    Address(
      "/loop/engine", .choice(.loopEngine, ["live", "voice", "studio"], initial: 0),
      "How the loop's pitch and speed are changed; see /pitch/engine"),
  ]

  private static func button(_ path: String, _ action: PlayerAction, _ help: String) -> Address {
    Address(
      path,
      .command([], isButton: true) { node, request in
        node.command(.player(action), path: path, client: request.client)
      }, help)
  }
}
