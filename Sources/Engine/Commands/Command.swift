package import DSP

/// One instruction to the audio thread: fixed in size, and without references.
package struct Command: BitwiseCopyable, Sendable {
  /// The action of a command.
  package enum Action: BitwiseCopyable, Sendable {
    /// Sets a parameter, in the unit of its address.
    case set(Parameter, Float)
    /// Answers with `Event.Kind.synced` and the token, when all before it is in effect.
    case sync(UInt32)
    /// Silences what the chain still holds of the past; answered with `Event.Kind.done`.
    case resetChain
    /// Lets go of all that the guard against howling takes out; answered likewise.
    case clearGuard
    /// Does something with a loop, the first of which is the player; answered with `Event.Kind.done`
    /// or `refused`.
    case loop(LoopAction, loop: UInt8 = 0)
    /// Goes to a place of its clip, in seconds; answered likewise.
    case seek(Float, loop: UInt8 = 0)
    /// Makes a clip of what its source was the last so many seconds, or bars; answered likewise.
    case keep(Float, isBars: Bool, loop: UInt8 = 0)
    /// Puts a clip into it; answered likewise, when it is there.
    case load(ClipPointer, loop: UInt8 = 0)
    /// Copies its clip out of it; answered likewise, when all of it is copied.
    case copyOut(ClipPointer, loop: UInt8 = 0)
    /// Begins a capture, unless one is on, or ends the one that is; answered with
    /// `Event.Kind.done`.
    case capture(CapturePointer?)
    /// Begins to copy the live input for the tuner, unless that is on, or ends it; answered likewise.
    case tune(CapturePointer?)
    /// Plays a song instead of the one before, or stops where it is nil; answered likewise, when the
    /// one before is let go.
    case playSong(SongPointer?)
    /// Does something with notes; answered with `Event.Kind.done`.
    case note(NoteAction)
    /// Plays what begins from now on with another instrument, or with none; answered likewise, when
    /// nothing sounds any more of the one before.
    case instrument(InstrumentPointer?)
    /// Begins to record a phrase in the place of the one before, which is let go; answered with
    /// `Event.Kind.done`.
    case recordPhrase(PhrasePointer)
    /// Plays the phrase from its beginning, and ends its recording; answered with
    /// `Event.Kind.done` or `refused`.
    case playPhrase
    /// Ends what is recorded or played of the phrase; answered with `Event.Kind.done`.
    case stopPhrase
    /// Gives the keys of a keyboard other pitches; answered likewise, when the ones before are let
    /// go.
    case keyMap(KeyMapPointer)
    /// Gives the presses of pedals other meanings; answered likewise, when the ones before are let
    /// go.
    case presses(PressMapPointer)
    /// Gives pedals other lights, and sends all of them again where that is wanted; answered
    /// likewise.
    case lights(LightMapPointer, sendsAgain: Bool)
    /// Waits for a trigger of some kinds to be learnt, a bit each in their order, or no longer where
    /// it is 0; answered with `Event.Kind.done`.
    case learn(UInt8)
    /// Presses a key of a pedal that speaks as a keyboard, or lets it go; answered likewise.
    case key(UInt16, isDown: Bool)
    /// Fades everything out, for good; answered with `Event.Kind.faded` when it is silent.
    case leave

    /// Whether it fills a clip faster than it is played.
    package var fillsClip: Bool {
      switch self {
      case .load, .keep: true
      default: false
      }
    }
  }

  /// The frame time that stands for "as soon as it arrives".
  package static var now: Int64 { @_noLocks get { .min } }

  /// The frame, in the engine's time, at which it takes effect.
  package var frame: Int64
  /// The action.
  package var action: Action
  /// How many commands of the same batch come after this one.
  var following: UInt16 = 0

  /// An instruction that takes effect at `frame`, or as soon as it arrives.
  package init(_ action: Action, at frame: Int64 = Command.now) {
    self.frame = frame
    self.action = action
  }
}

/// An event that the audio thread answers with; each command yields exactly one.
package struct Event: BitwiseCopyable, Sendable {
  /// The outcome.
  package enum Kind: BitwiseCopyable, Sendable {
    /// A parameter was set.
    case applied(Parameter, Float)
    /// All commands before this token are in effect.
    case synced(UInt32)
    /// What the command said is done.
    case done
    /// It can't be, for this reason.
    case refused(EngineRefusal)
    /// The fade at the end is over.
    case faded
  }

  /// The outcome.
  package var kind: Kind
  /// The number of the command that this answers, as `CommandQueue.submit` returned it.
  package var command: UInt64
  /// Whether that command had a time.
  package var wasTimed: Bool

  // Written out, because the real-time check doesn't see an implicit one from other files.
  @_noLocks
  init(kind: Kind, command: UInt64, wasTimed: Bool) {
    self.kind = kind
    self.command = command
    self.wasTimed = wasTimed
  }
}
