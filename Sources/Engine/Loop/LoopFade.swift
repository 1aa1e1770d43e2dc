internal import DSP

/// A slow fade of a loop in or out.
///
/// The gain is the square of a position that moves evenly, which sounds even.
struct LoopFade: BitwiseCopyable {
  private var position: Float = 1
  private var step: Float = 0
  // A fade-in that begins with the start of playback, in frames; 0 for none.
  private var waiting = 0

  @_noLocks
  init() {}

  /// Whether a fade-out has ended.
  var hasEnded: Bool { @_noLocks get { position == 0 && step <= 0 } }

  /// Whether the sound passes unchanged.
  var passes: Bool { @_noLocks get { step == 0 && position == 1 } }

  /// Fades in within a number of frames, from the present gain.
  @_noLocks
  mutating func rise(frames: Int) { step = 1 / Float(max(1, frames)) }

  /// Fades out within a number of frames, from the present gain.
  @_noLocks
  mutating func fall(frames: Int) { step = -1 / Float(max(1, frames)) }

  /// Fades in within a number of frames from the next start on.
  @_noLocks
  mutating func await(frames: Int) { waiting = max(1, frames) }

  /// Ends a fade-out: the gain rises again within a number of frames.
  @_noLocks
  mutating func recover(frames: Int) { if step < 0 { rise(frames: frames) } }

  /// Drops a fade-in that waits for the start.
  @_noLocks
  mutating func forget() { waiting = 0 }

  /// Starts at full gain, or with the fade-in that waits for it.
  @_noLocks
  mutating func begin() {
    position = waiting > 0 ? 0 : 1
    step = waiting > 0 ? 1 / Float(waiting) : 0
    waiting = 0
  }

  /// Continues at another sample rate, which is `ratio` times as high.
  mutating func convert(by ratio: Double) {
    step /= Float(ratio)
    waiting = Int((Double(waiting) * ratio).rounded(.up))
  }

  /// Applies the gain to a block in place.
  @_noLocks
  mutating func apply(to sound: Stereo, frames: Int) {
    if step == 0 && position == 1 { return }
    for frame in 0..<frames {
      position = max(0, min(position + step, 1))
      let gain = position * position
      sound.left[frame] *= gain
      sound.right[frame] *= gain
    }
    if position == 1 || position == 0 { step = 0 }
  }
}

extension Loop {
  /// Fades in, from the start if it is stopped.
  ///
  /// Returns the reason if it is refused.
  @_noLocks
  mutating func fadeIn(frames: Int, at frame: Int64) -> EngineRefusal? {
    if state.isPlaying {
      fade.rise(frames: frames)
      return nil
    }
    if state.isRecording { return .meaningless }
    let refusal = perform(.play, at: frame)
    if case .some = refusal { return refusal }
    // It may wait for its beat.
    fade.await(frames: frames)
    if state.isPlaying { fade.begin() }
    return nil
  }

  /// Fades out, and stops at the end.
  ///
  /// Returns the reason if it is refused.
  @_noLocks
  mutating func fadeOut(frames: Int) -> EngineRefusal? {
    if !state.isPlaying { return .notPlaying }
    fade.fall(frames: frames)
    return nil
  }
}

extension Loops {
  /// Fades a loop in or out.
  ///
  /// Returns the reason if it is refused.
  @_noLocks
  mutating func fade(
    _ index: Int, _ time: Float, isBars: Bool, at frame: Int64
  ) -> EngineRefusal? {
    guard index < count else { return .noSuchLoop }
    wake(index)
    prepare(index, at: frame)
    let player = slot(index)
    let frames = Int(frames(abs(time), isBars: isBars, in: index))
    return time < 0
      ? player.pointee.fadeOut(frames: frames) : player.pointee.fadeIn(frames: frames, at: frame)
  }

  /// Fades all loops that play out, or those that don't in.
  @_noLocks
  mutating func fadeAll(_ time: Float, isBars: Bool, at frame: Int64) {
    for index in 0..<count where slot(index).pointee.tape.length > 0 {
      _ = fade(index, time, isBars: isBars, at: frame)
    }
  }
}
