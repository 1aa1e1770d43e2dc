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

  var record: Control
  var play: Control
  var stop: Control
  var rewind: Control
  var forward: Control
  var done: Control

  init(_ reading: PublishedLoop.Reading) {
    let state = reading.state
    let hasClip = reading.length > 0
    let isRunning = state.isPlaying || state.isPaused
    // A loaded take can't be recorded over.
    let isLoaded = state.mode == "play"
    record = Control(
      isEnabled: !isLoaded && state.after(.record) != nil,
      icon: isLoaded ? "" : state == .recording ? "stop" : "record")
    play = Control(
      isEnabled: state.after(.play) != nil && hasClip && !state.isRecording,
      icon: state.isPlaying ? "pause" : "play")
    stop = Control(isEnabled: isRunning || state == .suspended, icon: "stop")
    rewind = Control(isEnabled: isRunning, icon: "rewind")
    forward = Control(isEnabled: isRunning, icon: "forward")
    done = Control(
      isEnabled: hasClip && state != .recording, icon: isLoaded ? "close" : "done")
  }

  /// All buttons, in the order of `/player/controls`.
  var arguments: [Argument] {
    let all = [record, play, stop, rewind, forward, done]
    return all.map { .int32($0.isEnabled ? 1 : 0) } + all.map { .string($0.icon) }
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
    let doing =
      switch reading.state.word {
      case "start": "idle"
      case let word: word
      }
    switch refusal {
    case .meaningless:
      self.init(.state, "\(action): no effect while \(subject) is \(doing)")
    case .nothingRecorded:
      self.init(.state, "\(action): nothing is recorded; \(record) starts a recording")
    case .nothingToUndo: self.init(.state, "\(action): nothing to undo")
    case .nothingToRedo: self.init(.state, "\(action): nothing to redo")
    case .notAsRecorded:
      self.init(
        .state,
        "\(action): the loop must play as recorded: forward, at rate 1 (/loop/rate, and "
          + "/stretch/rate on route chain)")
    case .notPlaying:
      self.init(.state, "\(action): the loop must be playing; \(subject) is \(doing)")
    case .tooManyBeats:
      self.init(
        .state,
        "\(action): at most \(plain(seconds)) s fit in a loop, fewer than its beats at this "
          + "/metronome/bpm")
    case .noMemory:
      self.init(.busy, "\(action): too many commands are pending in the loop; try again later")
    case .transferring:
      self.init(.busy, "\(action): a clip is being loaded or saved; try again later")
    case .otherRate:
      self.init(.busy, "\(action): the sample rate is changing; try again later")
    case .tooLong:
      self.init(
        .range,
        "\(action): too long for a loop of \(plain(seconds)) s; --loop-seconds sets the length")
    case .noSuchLoop: self.init(.range, "\(action): unknown loop; --loops sets the number")
    case .nothingKept:
      self.init(.range, "\(action): longer than the last minute of the source")
    }
  }
}
