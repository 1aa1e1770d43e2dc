/// The state of a loop: its activity, and what it was opened for.
///
/// A button has one meaning per state. A transition that is not in the table below has no effect.
package enum LoopState: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// Stopped: ready to record, and to play the recorded clip.
  case standby
  /// Ready to record, with nothing to play.
  case recordReady
  /// Ready to play a clip that was loaded.
  case playReady
  /// Recording a new clip.
  case recording
  /// Paused during a recording.
  case suspended
  /// Playing a recorded clip.
  case playing
  /// Playing a loaded clip.
  case playingLoaded
  /// Paused in a recorded clip.
  case paused
  /// Paused in a loaded clip.
  case pausedLoaded

  /// Returns the state after an event, or nil if the event has no meaning.
  @_noLocks
  package func after(_ event: LoopEvent) -> LoopState? {
    switch (self, event) {
    case (_, .done): .standby

    case (.standby, .record), (.recordReady, .record): .recording
    // A loaded clip is never recorded over.
    case (.paused, .record): .recording

    case (.recording, .record), (.recording, .stop), (.suspended, .stop): .standby
    case (.recording, .pause): .suspended
    case (.suspended, .record), (.suspended, .pause): .recording

    case (.standby, .play), (.paused, .play), (.paused, .pause): .playing
    case (.playReady, .play), (.pausedLoaded, .play), (.pausedLoaded, .pause): .playingLoaded
    case (.playing, .play), (.playing, .pause): .paused
    case (.playingLoaded, .play), (.playingLoaded, .pause): .pausedLoaded
    case (.playing, .stop): .standby
    case (.playingLoaded, .stop): .playReady
    case (.paused, .stop), (.pausedLoaded, .stop): .standby

    default: nil
    }
  }

  /// Whether a new clip is being recorded, or its recording is paused.
  package var isRecording: Bool {
    @_noLocks get {
      switch self {
      case .recording, .suspended: true
      default: false
      }
    }
  }

  /// Whether the clip is playing.
  package var isPlaying: Bool {
    @_noLocks get {
      switch self {
      case .playing, .playingLoaded: true
      default: false
      }
    }
  }

  /// Whether playback is paused.
  package var isPaused: Bool {
    @_noLocks get {
      switch self {
      case .paused, .pausedLoaded: true
      default: false
      }
    }
  }
}

/// An event that changes the state of a loop.
package enum LoopEvent: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case record, play, pause, stop, done
}

/// An action of a loop.
package enum LoopAction: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case record, play, pause, stop, done, rewind, forward
  case overdub, replace, undo, redo, clear, cancel
  case substitute, multiply, insert, once
  /// Starts a recording, or ends it and continues according to `after`.
  case recordOn
  /// Presses or releases the pedal.
  case press, release
  /// Retroactive recording: makes a clip of the recent past of the source.
  case keep
  /// Plays the clip once, at once.
  case replay
  /// Closes a clip that was opened to be heard once, and goes back to the one before it.
  case back
  /// The states that scenes and parts ask for: nothing if the loop plays, or is stopped, already.
  case bringToPlay, bringToStop
}

/// The meaning of a long or a double press of the pedal.
package enum PedalMeaning: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// Stops the loop, or clears it if it is stopped.
  case stop
  case clear, undo, redo, once
  case off

  /// Creates the meaning of a parameter's value.
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

/// The reason why an action was refused.
package enum EngineRefusal: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// The action has no meaning in this state.
  case meaningless
  /// There is no clip.
  case nothingRecorded
  /// There is no undo step.
  case nothingToUndo
  /// There is no redo step.
  case nothingToRedo
  /// Layers need a loop that plays at its own speed, forwards.
  case notAsRecorded
  /// Layers need a loop that plays.
  case notPlaying
  /// The length in beats is more than a clip can have.
  case tooManyBeats
  /// All memory is in use.
  case noMemory
  /// A clip is being loaded or copied already.
  case transferring
  /// The sample rate of the clip is not the server's.
  case otherRate
  /// There is no room for a longer clip.
  case tooLong
  /// There is no loop with this number.
  case noSuchLoop
  /// A clip would be lost, and the lock is on.
  case locked
  /// All loops have a clip.
  case noEmptyLoop
  /// The history of the source is shorter than the clip would be.
  case nothingKept
  /// There is no sound server, and so no input.
  case noInput
}
