internal import CRealtime

// The losses of the lines per pass, and the resulting loudness.
extension ReverbLines {
  /// The steady-state power of the lines for white noise of power 1.
  struct Balance: BitwiseCopyable {
    /// The input power at which each channel receives a power of 1.
    let input: Float
    /// The power that then enters each line, including feedback.
    let entering: Float

    /// The mean power p in a line satisfies p = input + p * kept.
    ///
    /// A channel receives it at its taps, plus four diffused lanes at the input.
    @_noLocks
    init(kept: Float, heard: Float) {
      let lost = max(1 - kept, 1e-6)
      entering = 1 / (4 * lost + heard)
      input = lost * entering
    }
  }

  /// The audible power of the lines, and its derivative with respect to the inverse of the decay
  /// time.
  struct Heard: BitwiseCopyable {
    var power: Float = 0
    var slope: Float = 0
  }

  /// Returns a line's length after `frames` frames, interpolated during a crossfade.
  @_noLocks
  private func length(_ line: Int, ahead frames: Int) -> Float {
    let length = Float(lengths[line])
    if line != fading { return length }
    let done = Float(fadeDone &* ReverbClock.chunk &+ frames)
    let share = min(1, done / Float(fadeChunks &* ReverbClock.chunk))
    return length + Float(nextLengths[line] &- lengths[line]) * share
  }

  /// The length of the longest line at present, in frames.
  var longestLength: Float {
    @_noLocks get {
      var longest = 0
      for line in 0..<8 { longest = max(longest, max(lengths[line], nextLengths[line])) }
      return Float(longest)
    }
  }

  /// Returns the balance at a decay time, for the lengths after `frames` frames.
  @_noLocks
  func balance(decay: Float, frames: Int) -> Balance {
    let nepers = -6.907_755_3 / (decay * sampleRate)
    var kept: Float = 0
    var heard: Float = 0
    for line in 0..<8 {
      let length = length(line, ahead: frames)
      kept += rt_exp(2 * nepers * length) / 8
      heard += rt_exp(2 * nepers * lateness(line, length))
      heard += rt_exp(2 * nepers * lateness(line &+ 8, length))
    }
    return Balance(kept: kept, heard: heard)
  }

  /// Computes the losses for a decay time and the lengths after `frames` frames, and returns their
  /// balance.
  @_noLocks
  mutating func aim(decay: Float, frames: Int) -> Balance {
    let nepers = -6.907_755_3 / (decay * sampleRate)
    var kept: Float = 0
    var heard: Float = 0
    for line in 0..<8 {
      let length = length(line, ahead: frames)
      aimedLengths[line] = length
      aimedRoots[line] = rt_exp(nepers * length * 0.5)
      let loss = aimedRoots[line] * aimedRoots[line]
      kept += loss * loss / 8
      for tap in stride(from: line, to: 16, by: 8) {
        let gain = signs[tap] * rt_exp(nepers * lateness(tap, length))
        heard += gain * gain
        aimedGains[tap] = gain
      }
    }
    return Balance(kept: kept, heard: heard)
  }

  /// Returns the audible power of the lines with the last computed losses.
  @_noLocks
  func heard(_ powers: borrowing ReverbPowers) -> Heard {
    var heard = Heard()
    for tap in 0..<16 {
      let delay = lateness(tap, aimedLengths[tap & 7])
      let gain = aimedGains[tap]
      let power = gain * gain * powers.entered(framesAgo: delay)
      heard.power += power
      heard.slope -= 2 * 6.907_755_3 / sampleRate * delay * power
    }
    return heard
  }

  /// Returns the feedback power into each line with the last computed losses.
  @_noLocks
  func returning(_ powers: borrowing ReverbPowers) -> Float {
    var sum: Float = 0
    for line in 0..<8 {
      let loss = aimedRoots[line] * aimedRoots[line]
      sum += loss * loss * powers.entered(framesAgo: aimedLengths[line])
    }
    return sum / 8
  }

  /// Ramps to the last computed losses within `frames` frames, or jumps if `frames` is 0.
  @_noLocks
  mutating func move(tangent: Float, frames: Int) {
    let share = frames > 0 ? 1 / Float(frames) : 0
    for tap in 0..<16 {
      if frames == 0 { gains[tap] = aimedGains[tap] }
      gainSteps[tap] = (aimedGains[tap] - gains[tap]) * share
    }
    gainsMove = frames > 0
    damping.move(roots: aimedRoots, tangent: tangent, scale: Self.matrixScale, frames: frames)
  }
}
