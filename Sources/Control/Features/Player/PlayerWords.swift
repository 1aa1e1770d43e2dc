internal import Engine
internal import OSC

extension LoopState {
  /// The word for the state in `/player/state`.
  var word: String {
    switch self {
    case .standby, .recordReady, .playReady: "start"
    case .recording: "recording"
    case .suspended: "suspended"
    case .playing, .playingLoaded: "playing"
    case .paused, .pausedLoaded: "paused"
    }
  }

  /// The mode of the player.
  var mode: String {
    switch self {
    case .standby, .playing, .paused: "standby"
    case .recordReady, .recording, .suspended: "record"
    case .playReady, .playingLoaded, .pausedLoaded: "play"
    }
  }
}

/// The buttons of the player: which are enabled, and their icons.
package struct PlayerControls: Equatable {
  /// The names of the buttons, in the order of `/player/controls`.
  package static let names = ["record", "play", "stop", "rewind", "forward", "done"]

  /// One button.
  struct Control: Equatable {
    var isEnabled: Bool
    /// The name of its icon; empty if it is hidden.
    var icon: String
  }

  /// All buttons, in the order of their names.
  let all: [Control]

  init(_ reading: PublishedLoop.Reading) {
    let state = reading.state
    let hasClip = reading.length > 0
    let isRunning = state.isPlaying || state.isPaused
    // Play ends a recording, and stop cancels what waits for its beat.
    let canPlay = state.isRecording || state.after(.play) != nil && hasClip
    let canStop = state.after(.stop) != nil || reading.pending != nil
    // A loaded take can't be recorded over.
    let isLoaded = state.mode == "play"
    all = [
      Control(
        isEnabled: !isLoaded && state.after(.record) != nil,
        icon: isLoaded ? "" : state == .recording ? "stop" : "record"),
      Control(isEnabled: canPlay, icon: state.isPlaying ? "pause" : "play"),
      Control(isEnabled: canStop, icon: "stop"),
      Control(isEnabled: isRunning, icon: "rewind"),
      Control(isEnabled: isRunning, icon: "forward"),
      Control(isEnabled: hasClip && state != .recording, icon: isLoaded ? "close" : "done"),
    ]
  }

  /// The arguments of `/player/controls`.
  var arguments: [Argument] { all.flatMap(\.isEnabled.arguments) + all.flatMap(\.icon.arguments) }
}

extension EngineRefusal {
  /// Whether the loop has no use for the command in its present state.
  var isOfNoUse: Bool {
    switch self {
    case .meaningless, .nothingRecorded, .nothingToUndo, .nothingToRedo, .notPlaying: true
    default: false
    }
  }
}

extension Refusal {
  /// The refusal of a command by the engine, in words.
  ///
  /// `seconds` is the maximum length of a loop.
  init(
    _ refusal: EngineRefusal, to action: String, of subject: String,
    _ reading: PublishedLoop.Reading, seconds: Double
  ) {
    let record =
      action.hasPrefix("/loop/") && action.split(separator: "/").count > 2
      ? "/loop/" + action.split(separator: "/")[1] + "/record" : "/player/record"
    let closing =
      record == "/player/record" || record == "/loop/1/record"
      ? "/player/done" : record.replacing("/record", with: "/clear")
    let doing =
      switch reading.activity {
      case .multiplying, .inserting, .stopped, .empty: "\(reading.activity)"
      default: reading.state.word
      }
    let (code, text): (Code, String) =
      switch refusal {
      case .meaningless where action.hasSuffix("/record") && reading.state.mode == "play":
        (.state, "\(subject) holds a loaded clip; \(closing) closes it")
      case .meaningless: (.state, "no effect while \(subject) is \(doing)")
      case .nothingRecorded: (.state, "nothing is recorded; \(record) starts a recording")
      case .nothingToUndo: (.state, "nothing to undo")
      case .nothingToRedo: (.state, "nothing to redo")
      case .notAsRecorded where action.hasSuffix("/multiply") || action.hasSuffix("/insert"):
        (
          .state,
          "multiply and insert need the loop forward, at rate 1 (/loop/rate, /loop/speed, and /stretch/rate on "
            + "route chain)"
        )
      case .notAsRecorded:
        (.state, "of stretched loops, one at a time takes overdubs; end the other one's first")
      case .notPlaying: (.state, "the loop must be playing; \(subject) is \(doing)")
      case .tooManyBeats:
        (
          .state,
          "at most \(plain(seconds)) s fit in a loop, fewer than its beats at this /metronome/bpm"
        )
      case .noMemory: (.busy, "too many commands are pending in the loop; try again later")
      case .transferring:
        (
          .busy,
          "the last command is still finishing, or a clip is being loaded or saved; try again later"
        )
      case .otherRate: (.busy, "the sample rate is changing; try again later")
      case .tooLong:
        (.range, "too long for a loop of \(plain(seconds)) s; --loop-seconds sets the length")
      case .noSuchLoop: (.range, "unknown loop; --loops sets the number")
      case .locked: (.denied, "a clip would be lost, and the lock is on; /lock 0 unlocks")
      case .noEmptyLoop:
        (.state, "no loop is empty; /loop/1/clear empties the first, and --loops sets the number")
      case .nothingKept: (.range, "longer than the last minute of the source")
      case .noInput:
        (.state, "nothing can be recorded until the sound server is back")
      }
    self.init(code, "\(action): \(text)")
  }
}
