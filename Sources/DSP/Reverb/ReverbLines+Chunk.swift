internal import CRealtime

// The processing of one chunk, in order.
extension ReverbLines {
  /// Reads the ends of all lines, modulated and interpolated.
  ///
  /// Four samples are weighted by Lagrange's cubic. The weights are ramped linearly from those of
  /// the chunk's first position to those of its last, which differ by at most a fortieth of a
  /// sample.
  @_noLocks
  mutating func readEnds(_ clock: ReverbClock, _ fade: ReverbFade) {
    skip(chunks: 1)
    damping.zeros.store(to: zeros)
    damping.advanceZeros()
    damping.zeros.store(to: zeros + 24)
    rt_reverb_weigh(swayPhases, swayDepth, sway, zeros, weights, offsets, ReverbClock.chunk)
    for line in 0..<8 {
      taps[line] = end(line, length: lengths[line], clock)
    }
    rt_reverb_read(taps, weights, heard, 8, ReverbClock.chunk)
    if fading >= 0 {
      taps[0] = end(fading, length: nextLengths[fading], clock)
      rt_reverb_read(taps, weights + fading, faded, 1, ReverbClock.chunk)
      let result = heard + fading &* ReverbClock.chunk
      fade.mix(from: result, to: faded, result, isLoop: true)
    }
  }

  @_noLocks @inline(__always)
  private func end(_ line: Int, length: Int, _ clock: ReverbClock) -> UnsafePointer<Float> {
    rings[line].read(delay: length &+ Int(offsets[line]), clock, silence: spare)
  }

  /// Mixes the lines through the feedback matrix and adds the diffused input.
  @_noLocks
  mutating func feed(_ diffused: UnsafePointer<Float>, _ clock: ReverbClock) {
    for line in 0..<8 { targets[line] = rings[line].chunk(clock) }
    rt_reverb_feed(heard, diffused, targets, ReverbClock.chunk)
    for line in 0..<8 { rings[line].close(clock) }
  }

  /// Adds the lines' output taps to both channels.
  @_noLocks
  mutating func listen(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, _ clock: ReverbClock,
    _ fade: ReverbFade
  ) {
    for line in 0..<8 {
      let ring = rings[line]
      taps[line] = ring.read(delay: delays[line], clock, silence: spare)
      taps[line &+ 8] = ring.read(delay: delays[line &+ 8], clock, silence: spare)
    }
    if fading >= 0 {
      fadeTap(fading, to: faded, clock, fade)
      fadeTap(fading &+ 8, to: faded + ReverbClock.chunk, clock, fade)
    }
    if !gainsMove {
      rt_reverb_hear(taps, gains, left, right, ReverbClock.chunk)
      return
    }
    sumMoving(0, to: heard)
    sumMoving(8, to: heard + ReverbClock.chunk)
    let opposite = heard + ReverbClock.chunk
    for frame in 0..<ReverbClock.chunk {
      left[frame] = left[frame] + heard[frame] + opposite[frame]
      right[frame] = right[frame] + heard[frame] - opposite[frame]
    }
  }

  /// Crossfades a tap of the line that changes its length.
  @_noLocks
  private func fadeTap(
    _ tap: Int, to result: UnsafeMutablePointer<Float>, _ clock: ReverbClock, _ fade: ReverbFade
  ) {
    guard let here = taps[tap] else { return }
    let next = Int(lateness(tap, Float(nextLengths[fading])))
    fade.mix(from: here, to: rings[fading].read(delay: next, clock, silence: spare), result)
    taps[tap] = UnsafePointer(result)
  }

  /// Sums eight taps, starting at `tap`, with ramped gains.
  ///
  /// Rare, so not optimized.
  @_noLocks
  private mutating func sumMoving(_ tap: Int, to result: UnsafeMutablePointer<Float>) {
    let (gains, steps) = (self.gains + tap, gainSteps + tap)
    for frame in 0..<ReverbClock.chunk { result[frame] = 0 }
    for index in 0..<8 {
      guard let sound = taps[tap &+ index] else { continue }
      let (gain, step) = (gains[index], steps[index])
      for frame in 0..<ReverbClock.chunk {
        result[frame] += sound[frame] * (gain + step * Float(frame &+ 1))
      }
      gains[index] += step * Float(ReverbClock.chunk)
    }
  }

  /// Returns the peak magnitude that the current chunk has written to the lines.
  @_noLocks
  func peak(_ clock: ReverbClock) -> Float {
    var bits: UInt32 = 0
    for line in 0..<8 {
      bits = max(bits, Magnitude(rings[line].chunk(clock), frames: ReverbClock.chunk).bits)
    }
    return Float(bitPattern: bits)
  }
}
