/// A triangle that begins at 0, and rises, when its delay is over.
struct VoiceOscillator: BitwiseCopyable {
  private var toGo: Int
  // In quarters of a turn; from -1 up to 1, and back from there to 3.
  private var phase: Float = 0
  private let step: Float
  /// Whether it moves anything.
  let isUsed: Bool

  @_noLocks
  init(delay: Float, frequency: Float, isUsed: Bool, sampleRate: Float) {
    toGo = Int(max(0, min(1e9, delay * sampleRate)) + 0.5)
    step = 4 * max(0, min(frequency, 100)) / sampleRate
    self.isUsed = isUsed
  }

  /// Moves on by so many frames, and returns where it is.
  @_noLocks
  mutating func advance(by frames: Int) -> Float {
    guard isUsed else { return 0 }
    let wait = min(toGo, frames)
    toGo &-= wait
    phase += step * Float(frames &- wait)
    if phase >= 3 { phase -= 4 }
    return phase <= 1 ? phase : 2 - phase
  }
}
