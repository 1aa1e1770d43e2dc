internal import Engine
internal import OSC

extension LoopState {
  /// The state's word, as `/player/state` has it.
  var word: String {
    switch self {
    case .standby, .recordReady, .playReady: "start"
    case .recording: "recording"
    case .suspended: "suspended"
    case .playing, .playingLoaded: "playing"
    case .paused, .pausedLoaded: "paused"
    }
  }

  /// The mode of the player: what it was opened for.
  var mode: String {
    switch self {
    case .standby, .playing, .paused: "standby"
    case .recordReady, .recording, .suspended: "record"
    case .playReady, .playingLoaded, .pausedLoaded: "play"
    }
  }
}

/// The controls of the player: which can be pressed, and what stands on them.
package struct PlayerControls: Equatable {
  /// The names of the controls, in the order of `/player/controls`.
  package static let names = ["record", "play", "stop", "rewind", "forward", "done"]

  /// One control.
  struct Control: Equatable {
    var isEnabled: Bool
    /// The name of its icon; empty where it is hidden.
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
    // Whoever came to play what was kept is not offered to record over it.
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

  /// All of them, in the order of `/player/controls`.
  var arguments: [Argument] {
    let all = [record, play, stop, rewind, forward, done]
    return all.map { .int32($0.isEnabled ? 1 : 0) } + all.map { .string($0.icon) }
  }
}

extension Refusal {
  /// Why the player, or another loop of which no clip is longer than `seconds`, did not do something, in
  /// words.
  init(
    _ refusal: EngineRefusal, to action: String, of subject: String,
    _ reading: PublishedLoop.Reading, seconds: Double
  ) {
    let record =
      action.hasPrefix("/loop/") && action.split(separator: "/").count > 2
      ? "/loop/" + action.split(separator: "/")[1] + "/record" : "/player/record"
    let doing =
      switch reading.state.word {
      case "start": "at rest"
      case let word: word
      }
    switch refusal {
    case .meaningless:
      self.init(.state, "\(action) does nothing while \(subject) is \(doing)")
    case .nothingRecorded:
      self.init(.state, "nothing is recorded yet; \(record) does")
    case .nothingToUndo: self.init(.state, "there is nothing to undo")
    case .nothingToRedo: self.init(.state, "there is nothing to redo")
    case .notAsRecorded:
      self.init(
        .state,
        "\(action) needs the loop as it was recorded: forwards, at the rate 1 (/loop/rate, and "
          + "/stretch/rate on the route chain)")
    case .notPlaying:
      self.init(.state, "\(action) needs a loop that plays; \(subject) is \(doing)")
    case .tooManyBeats:
      self.init(
        .state,
        "\(action) is longer than the \(plain(seconds)) seconds of a loop with its beats at this "
          + "/metronome/bpm")
    case .noMemory: self.init(.busy, "too much is under way in the loop; send it again later")
    case .transferring:
      self.init(.busy, "a clip is on its way into the loop or out of it; send it again later")
    case .otherRate:
      self.init(.busy, "the sound server goes over to another rate; send it again later")
    case .tooLong:
      self.init(
        .range,
        "\(action): a loop holds \(plain(seconds)) seconds at most; --loop-seconds sets that")
    case .noSuchLoop: self.init(.range, "there is no such loop; --loops sets how many there are")
    case .nothingKept:
      self.init(.range, "\(action): only the last minute of a source can be made a loop")
    }
  }
}
