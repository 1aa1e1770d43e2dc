/// A monophonic pitch corrector: a voice with its pitch, and a pitch shifter.
package struct VoiceTuner: ~Copyable {
  private static var warpSeconds: Double { @_noLocks get { 0.1 } }
  // A shift for which the delay of the engine is that of any small shift, in semitones.
  private static var usualShift: Float { @_noLocks get { 0.5 } }

  /// The computation of the shift, with its settings.
  package var corrector = PitchCorrector()
  /// The uncorrected sound and its pitch.
  package private(set) var voice: SungVoice

  private var warp: Warp
  private var engine = WarpEngine.live
  private let liveDelay: Int
  private let voiceDelay: Int

  /// Creates a tuner with empty history.
  package init(sampleRate: Double) {
    voice = SungVoice(sampleRate: sampleRate)
    warp = Warp(seconds: Self.warpSeconds, sampleRate: sampleRate)
    warp.setPitch(semitones: Self.usualShift)
    liveDelay = warp.delay
    warp.setEngine(.voice)
    voiceDelay = warp.delay
    warp.setEngine(.live)
    warp.setPitch(semitones: 0)
    warp.settle()
  }

  /// Sets the engine: live, or voice, which preserves formants.
  @_noLocks
  package mutating func setEngine(_ value: WarpEngine) {
    engine = value
    warp.setEngine(value)
  }

  /// Sets the sides of the input that are the voice.
  @_noLocks
  package mutating func setSides(_ sides: VoiceSides) { voice.setSides(sides) }

  /// Applies the engine at once, before the first block.
  @_noLocks
  package mutating func settle() { warp.settle() }

  /// The delay, in frames.
  package var delay: Int {
    @_noLocks get { if case .voice = engine { voiceDelay } else { liveDelay } }
  }

  /// The number of frames until the output is valid after a start.
  package var warmUp: Int { @_noLocks get { warp.warmUp } }

  /// Whether silence stays silence.
  package var isIdle: Bool { @_noLocks get { voice.isSilent && warp.isIdle } }

  /// Restarts after the end of another tape.
  @_noLocks
  package mutating func start(after other: borrowing Tape) {
    voice.start(after: other)
    beginShift()
  }

  /// Starts to shift the voice, whose tape is valid.
  @_noLocks
  package mutating func beginShift() {
    corrector.reset()
    // The former position is not that of this sound.
    warp.setPitch(semitones: 0)
    warp.rest(frames: SungVoice.framesBefore)
  }

  /// Appends frames to the voice, at most up to its next result; nil is silence.
  ///
  /// Returns whether there is a new result.
  @_noLocks
  package mutating func take(_ sound: Stereo?, frames: Int) -> Bool {
    voice.write(sound, frames: frames)
  }

  /// Renders the frames that were taken last.
  ///
  /// Returns false, and writes nothing, if the result is silent.
  @_noLocks
  package mutating func render(to out: Stereo, frames: Int) -> Bool {
    warp.process(voice.tape, to: out, frames: frames)
  }

  /// Sets the shift of the next frames for a new result of the voice.
  @_noLocks
  package mutating func follow(toward targets: PitchTargets) {
    let seconds = voice.secondsARound
    if let measured = voice.pitch {
      corrector.correct(
        voice.presentPitch, measured: measured, toward: targets, seconds: seconds)
    } else {
      corrector.rest(seconds: seconds)
    }
    warp.setPitch(semitones: corrector.shift)
  }

  /// Processes a block; nil is silence.
  ///
  /// Returns false, and writes nothing, if the result is silent.
  @_noLocks
  package mutating func process(
    _ sound: Stereo?, toward targets: PitchTargets, to out: Stereo, frames: Int
  ) -> Bool {
    var isSounding = false
    var done = 0
    while done < frames {
      let count = min(frames &- done, voice.framesToRound)
      let hasResult = take(sound?.advanced(by: done), frames: count)
      let result = out.advanced(by: done)
      if render(to: result, frames: count) {
        if !isSounding { out.clear(frames: done) }
        isSounding = true
      } else if isSounding {
        result.clear(frames: count)
      }
      if hasResult { follow(toward: targets) }
      done &+= count
    }
    return isSounding
  }
}
