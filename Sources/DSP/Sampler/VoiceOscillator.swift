/// A triangle LFO that starts rising from 0 after its delay.
struct VoiceOscillator: BitwiseCopyable {
  private var toGo: Int
  // In quarter cycles: rises from -1 to 1, falls from 1 to 3.
  private var phase: Float = 0
  private let step: Float
  /// Whether the LFO affects anything.
  let isUsed: Bool

  @_noLocks
  init(delay: Float, frequency: Float, isUsed: Bool, sampleRate: Float) {
    toGo = Int(max(0, min(1e9, delay * sampleRate)) + 0.5)
    step = 4 * max(0, min(frequency, 100)) / sampleRate
    self.isUsed = isUsed
  }

  /// Advances by `frames` frames and returns the new value.
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
