package import DSP

/// One instruction to the audio thread: fixed in size, and without references.
package struct Command: BitwiseCopyable, Sendable {
  /// The action of a command.
  package enum Action: BitwiseCopyable, Sendable {
    /// Sets a parameter, in the unit of its address.
    case set(Parameter, Float)
    /// Answers with `Event.Kind.synced` and the token when all earlier commands are in effect.
    case sync(UInt32)
    /// Sets whether an echo and a reverb that are turned off from now on ring out; answered with
    /// `Event.Kind.done`.
    case ringOut(Bool)
    /// Clears the past sound in the chain; answered with `Event.Kind.done`.
    case resetChain
    /// Removes all notches of the feedback guard; sends the same reply.
    case clearGuard
    /// Performs an action of a loop; answered with `Event.Kind.done` or `refused`.
    case loop(LoopAction, loop: UInt8 = 0)
    /// Ends the recording of a loop, or starts one in the first empty loop; sends the same reply.
    case nextLoop
    /// Fades a loop in within seconds or bars, and starts it; out if negative, and stops it; sends the same
    /// reply.
    case fade(Float, isBars: Bool, loop: UInt8 = 0)
    /// Fades all loops; sends the same reply.
    case fadeAll(Float, isBars: Bool)
    /// Stops all loops that play, at once; sends the same reply.
    case stopAll
    /// Moves the playhead of its clip, in seconds; sends the same reply.
    case seek(Float, loop: UInt8 = 0)
    /// Makes a clip of the last seconds or bars of its source; sends the same reply.
    case keep(Float, isBars: Bool, loop: UInt8 = 0)
    /// Loads a clip; sends the same reply when it is loaded.
    case load(ClipPointer, loop: UInt8 = 0)
    /// Replaces the clip of a loop on one frame, and plays it from its start, or stops it; sends the same reply when
    /// all is copied.
    case exchange(ClipPointer, loop: UInt8, plays: Bool)
    /// Copies the clip of a loop. The reply follows when the copy is complete.
    case copyOut(ClipPointer, loop: UInt8 = 0)
    /// Starts a capture, unless one is on, or ends it; answered with `Event.Kind.done`.
    case capture(CapturePointer?)
    /// Starts to capture the live input for the tuner, unless that is on, or ends it; sends the same reply.
    case captureForTuner(CapturePointer?)
    /// Starts to record all ports, unless that is on, or ends it; sends the same reply.
    case session(SessionPointer?)
    /// Starts to record the last minutes of all ports, unless that is on, or ends it; sends the same reply.
    case sessionRing(SessionPointer?)
    /// Marks a frame of the session by a number; sends the same reply.
    case markSession(UInt32)
    /// Plays a song instead of the present one, or none; sends the same reply when the former one is released.
    case playSong(SongPointer?)
    /// Fades the song out within `SongFade.seconds`, for a `playSong` that takes effect then.
    case closeSong
    /// Starts or ends notes; answered with `Event.Kind.done`.
    case note(NoteAction)
    /// Plays new notes with another instrument, or with none. The reply follows when the previous
    /// one is silent.
    case instrument(InstrumentPointer?)
    /// Starts to record a phrase instead of the present one, which is released; answered with
    /// `Event.Kind.done`.
    case recordPhrase(PhrasePointer)
    /// Plays the phrase from its start, and ends its recording; answered with `Event.Kind.done` or
    /// `refused`.
    case playPhrase
    /// Ends recording or playing the phrase; answered with `Event.Kind.done`.
    case stopPhrase
    /// Sets the pitches of the keys of MIDI keyboards; sends the same reply when the former map is released.
    case keyMap(KeyMapPointer)
    /// Sets the actions of presses; sends the same reply when the former map is released.
    case setPressMap(PressMapPointer)
    /// Sets the LEDs of pedals, and optionally sends all of them again.
    case setLightMap(LightMapPointer, sendsAgain: Bool)
    /// Sends a program change on midi_out, on a channel from 0; answered with `Event.Kind.done`.
    case programChange(UInt8, channel: UInt8)
    /// Waits for a trigger to be learned, of the kinds of these bits, or of none; answered with
    /// `Event.Kind.done`.
    case learn(UInt8)
    /// Presses or releases a key of a pedal that acts as a computer keyboard; sends the same reply.
    case key(UInt16, isDown: Bool)
    /// Releases all keys and pedals of MIDI, because a device that may hold some is gone; answered with
    /// `Event.Kind.done`.
    case releaseMIDI
    /// Fades everything out permanently; answered with `Event.Kind.faded` when it is silent.
    case leave

    /// Whether the command fills a clip faster than real time.
    package var fillsClip: Bool {
      switch self {
      case .load, .keep, .exchange: true
      default: false
      }
    }
  }

  /// The frame that means "as soon as it is received".
  package static var now: Int64 { @_noLocks get { .min } }

  /// The frame, in the engine's time, at which it takes effect.
  package var frame: Int64
  /// The action.
  package var action: Action
  /// Whether the frame is relative to a beat or loop cycle, and shifts with it after an xrun.
  package var isOnBeat = false
  /// The number of commands of the same batch after this one.
  var following: UInt16 = 0

  /// A command that takes effect at `frame`, or as soon as it is received.
  package init(_ action: Action, at frame: Int64 = Command.now, isOnBeat: Bool = false) {
    self.frame = frame
    self.action = action
    self.isOnBeat = isOnBeat
  }
}

/// The answer of the audio thread to a command; there is exactly one for each.
package struct Event: BitwiseCopyable, Sendable {
  /// The outcome.
  package enum Kind: BitwiseCopyable, Sendable {
    /// A parameter was set.
    case applied(Parameter, Float)
    /// All commands before this token are in effect.
    case synced(UInt32)
    /// The command was carried out.
    case done
    /// The command was refused for this reason.
    case refused(EngineRefusal)
    /// The fade-out has ended.
    case faded
  }

  /// The outcome.
  package var kind: Kind
  /// The number of the command that this answers, as `CommandQueue.submit` returned it.
  package var command: UInt64
  /// Whether that command had a time.
  package var wasTimed: Bool

  // Written out, because the real-time check rejects an implicit one from another file.
  @_noLocks
  init(kind: Kind, command: UInt64, wasTimed: Bool) {
    self.kind = kind
    self.command = command
    self.wasTimed = wasTimed
  }
}
