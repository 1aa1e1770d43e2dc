/// The state of the player: what it does, and what it was opened for.
///
/// A machine of few states, in which each button means one thing: what is not in the table below
/// does nothing.
package enum LoopState: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// Ready for both, to record and to play what was recorded.
  case standby
  /// Ready to record, with nothing to play.
  case recordReady
  /// Ready to play what was loaded.
  case playReady
  /// Recording a new clip.
  case recording
  /// In the middle of a recording that rests.
  case suspended
  /// Playing what was recorded.
  case playing
  /// Playing what was loaded.
  case playingLoaded
  /// Resting in the middle of what was recorded.
  case paused
  /// Resting in the middle of what was loaded.
  case pausedLoaded

  /// Tells the state that an event leads to; nil where it means nothing.
  @_noLocks
  package func after(_ event: LoopEvent) -> LoopState? {
    switch (self, event) {
    case (_, .done): .standby

    case (.standby, .record), (.recordReady, .record): .recording
    case (.paused, .record), (.pausedLoaded, .record): .recording

    case (.recording, .record), (.recording, .stop), (.suspended, .stop): .standby
    case (.recording, .pause): .suspended
    case (.suspended, .record), (.suspended, .pause): .recording
    case (.recording, .failed), (.suspended, .failed): .recordReady

    case (.standby, .play), (.paused, .play), (.paused, .pause): .playing
    case (.playReady, .play), (.pausedLoaded, .play), (.pausedLoaded, .pause): .playingLoaded
    case (.playing, .play), (.playing, .pause): .paused
    case (.playingLoaded, .play), (.playingLoaded, .pause): .pausedLoaded
    case (.playing, .stop), (.playing, .failed): .standby
    case (.playingLoaded, .stop), (.playingLoaded, .failed): .playReady
    case (.paused, .stop), (.pausedLoaded, .stop): .standby

    default: nil
    }
  }

  /// Whether a new clip is being made.
  package var isRecording: Bool {
    @_noLocks get {
      switch self {
      case .recording, .suspended: true
      default: false
      }
    }
  }

  /// Whether the clip is heard.
  package var isPlaying: Bool {
    @_noLocks get {
      switch self {
      case .playing, .playingLoaded: true
      default: false
      }
    }
  }

  /// Whether it rests in the middle of the clip.
  package var isPaused: Bool {
    @_noLocks get {
      switch self {
      case .paused, .pausedLoaded: true
      default: false
      }
    }
  }
}

/// An event that leads from one state of the player to another.
package enum LoopEvent: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case record, play, pause, stop, done
  /// The end of something that can't go on.
  case failed
}

/// An action that can be asked of the player and its loop.
package enum LoopAction: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case record, play, pause, stop, done, rewind, forward
  case overdub, replace, undo, redo, clear, cancel
  case substitute, multiply, insert, once
  /// Records, and goes on with what is wanted after a recording.
  case recordOn
  /// Presses the pedal, or lets it go.
  case press, release
  /// Makes a clip of what was just to be heard.
  case keep
}

/// The meaning of a press of the pedal that is long, or double.
package enum PedalMeaning: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// To stop, and to clear what is stopped.
  case stop
  case clear, undo, redo, once
  case off

  /// The meaning of a number, as parameters carry it.
  @_noLocks
  init(number: Float) {
    switch Int(number) {
    case 0: self = .stop
    case 1: self = .clear
    case 2: self = .undo
    case 3: self = .redo
    case 4: self = .once
    default: self = .off
    }
  }
}

/// A reason for which the player did not do what it was asked for.
package enum EngineRefusal: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// The state of the player gives it no meaning.
  case meaningless
  /// There is no clip.
  case nothingRecorded
  /// There is no step back.
  case nothingToUndo
  /// There is no step forth.
  case nothingToRedo
  /// Adding needs a loop that plays as it was recorded.
  case notAsRecorded
  /// Adding needs a loop that plays.
  case notPlaying
  /// The beats wanted take longer than a clip can be.
  case tooManyBeats
  /// All memory is in use.
  case noMemory
  /// A clip is loaded or kept already.
  case transferring
  /// A clip comes at another rate than the server has now.
  case otherRate
  /// There is no room for a longer clip.
  case tooLong
  /// There is no loop of this number.
  case noSuchLoop
  /// What is to be kept is longer than what is there.
  case nothingKept
}
