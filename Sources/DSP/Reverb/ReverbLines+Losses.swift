internal import CRealtime

// What the lines lose at each pass, and how loud that makes them.
extension ReverbLines {
  /// The level that white noise of power 1 comes to in the lines, once it has been there for long.
  struct Balance: BitwiseCopyable {
    /// The power with which it has to enter, to be heard with a power of 1 on each side.
    let input: Float
    /// The power that enters each line then, with what goes round.
    let entering: Float

    /// In each line a mean power p circulates with p = input + p * kept; a side hears it at its
    /// taps, and four diffused lanes as they enter.
    @_noLocks
    init(kept: Float, heard: Float) {
      let lost = max(1 - kept, 1e-6)
      entering = 1 / (4 * lost + heard)
      input = lost * entering
    }
  }

  /// The level of the lines as heard, and its change with the inverse of the decay time.
  struct Heard: BitwiseCopyable {
    var power: Float = 0
    var slope: Float = 0

    @_noLocks
    init() {}
  }

  /// A line's length, some frames on from here, in a crossfade on the way from one to the other.
  @_noLocks
  private func length(_ line: Int, ahead frames: Int) -> Float {
    let length = Float(lengths[line])
    if line != fading { return length }
    let done = Float(fadeDone &* ReverbClock.chunk &+ frames)
    let share = min(1, done / Float(fadeChunks &* ReverbClock.chunk))
    return length + Float(nextLengths[line] &- lengths[line]) * share
  }

  /// The longest line at hand, in frames.
  var longestLength: Float {
    @_noLocks get {
      var longest = 0
      for line in 0..<8 { longest = max(longest, max(lengths[line], nextLengths[line])) }
      return Float(longest)
    }
  }

  /// The balance at a decay time, with the lengths at the end of the next `frames` frames.
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

  /// Works out the losses for a decay time with the lengths at the end of the next `frames`
  /// frames, and what balance they have.
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

  /// Works out the level of the lines with the losses that were worked out last.
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

  /// The power that would come back to each line with the losses that were worked out last.
  @_noLocks
  func returning(_ powers: borrowing ReverbPowers) -> Float {
    var sum: Float = 0
    for line in 0..<8 {
      let loss = aimedRoots[line] * aimedRoots[line]
      sum += loss * loss * powers.entered(framesAgo: aimedLengths[line])
    }
    return sum / 8
  }

  /// Goes to the losses that were worked out last within `frames` frames; at once when that is
  /// none.
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
