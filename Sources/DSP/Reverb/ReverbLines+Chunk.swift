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
    swayPhases = swayPhases &+ swaySteps
    let before = sway
    sway = Self.sine(swayPhases) * swayDepth
    // Rounds toward negative infinity, also below zero.
    var whole = SIMD8<Int32>(repeating: 0)
    var base = before
    for line in 0..<8 {
      whole[line] = Int32(before[line] + 1024) &- 1024
      base[line] = Float(whole[line])
    }
    let first = ReverbReading(before - base, damping.zeros)
    damping.advanceZeros()
    let last = ReverbReading(sway - base, damping.zeros)
    for line in 0..<8 {
      let offset = Int(whole[line])
      let result = heard + line &* ReverbClock.chunk
      read(line, delay: lengths[line] &+ offset, first, last, to: result, clock)
      if line == fading {
        read(line, delay: nextLengths[line] &+ offset, first, last, to: faded, clock)
        fade.mix(from: result, to: faded, result, isLoop: true)
      }
    }
  }

  @_noLocks
  private func read(
    _ line: Int, delay: Int, _ first: ReverbReading, _ last: ReverbReading,
    to result: UnsafeMutablePointer<Float>, _ clock: ReverbClock
  ) {
    let source = rings[line].read(delay: delay, clock, silence: spare)
    ramp(0, first.w0[line], last.w0[line])
    ramp(1, first.w1[line], last.w1[line])
    ramp(2, first.w2[line], last.w2[line])
    ramp(3, first.w3[line], last.w3[line])
    ramp(4, first.w4[line], last.w4[line])
    ramp(5, first.w5[line], last.w5[line])
    rt_reverb_read(source, weights, weights + 6, result, ReverbClock.chunk)
  }

  /// Sets a weight's first value and its increment per frame.
  @_noLocks @inline(__always)
  private func ramp(_ weight: Int, _ first: Float, _ last: Float) {
    weights[weight] = first
    weights[weight &+ 6] = (last - first) * (1 / Float(ReverbClock.chunk))
  }

  /// A sine whose phase wraps at 2^32, accurate to a thousandth.
  @_noLocks
  private static func sine(_ phases: SIMD8<UInt32>) -> SIMD8<Float> {
    var turn = SIMD8<Float>(repeating: 0)
    for line in 0..<8 {
      turn[line] = Float(Int32(bitPattern: phases[line])) * (1 / 2_147_483_648)
    }
    let arch = 4 * turn * (1 - magnitude(turn))
    return arch + 0.225 * (arch * magnitude(arch) - arch)
  }

  @_noLocks
  private static func magnitude(_ x: SIMD8<Float>) -> SIMD8<Float> {
    x.replacing(with: -x, where: x .< 0)
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
    for tap in 0..<16 {
      let line = tap & 7
      let delay = Int(lateness(tap, Float(lengths[line])))
      let here = rings[line].read(delay: delay, clock, silence: spare)
      taps[tap] = here
      if line == fading {
        let next = Int(lateness(tap, Float(nextLengths[line])))
        let result = faded + (tap >> 3) &* ReverbClock.chunk
        fade.mix(
          from: here, to: rings[line].read(delay: next, clock, silence: spare), result)
        taps[tap] = UnsafePointer(result)
      }
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
