internal import CRealtime

// What is done with each chunk, in the order of its doing.
extension ReverbLines {
  /// Reads the ends of all lines, swaying, each between its samples.
  ///
  /// Four samples around the place are weighed by Lagrange's cubic; the weights go evenly from
  /// those of the chunk's first place to those of its last, which differ by a fortieth of a
  /// sample at most.
  @_noLocks
  mutating func readEnds(_ clock: ReverbClock, _ fade: ReverbFade) {
    swayPhases = swayPhases &+ swaySteps
    let before = sway
    sway = Self.sine(swayPhases) * swayDepth
    // Rounded down, also below zero.
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
        fade.mix(
          from: UnsafeRawPointer(result), to: UnsafeRawPointer(faded), result, isLoop: true)
      }
    }
  }

  @_noLocks
  private func read(
    _ line: Int, delay: Int, _ first: ReverbReading, _ last: ReverbReading,
    to result: UnsafeMutablePointer<Float>, _ clock: ReverbClock
  ) {
    let source = rings[line].read(delay: delay, clock, silence: spare)
    let result = UnsafeMutableRawPointer(result)
    let share = 1 / Float(ReverbClock.chunk)
    let (w0, s0) = ramp(first.w0[line], last.w0[line], share)
    let (w1, s1) = ramp(first.w1[line], last.w1[line], share)
    let (w2, s2) = ramp(first.w2[line], last.w2[line], share)
    let (w3, s3) = ramp(first.w3[line], last.w3[line], share)
    let (w4, s4) = ramp(first.w4[line], last.w4[line], share)
    let (w5, s5) = ramp(first.w5[line], last.w5[line], share)
    var (weight0, weight1, weight2) = (w0, w1, w2)
    var (weight3, weight4, weight5) = (w3, w4, w5)
    var place = 0
    while place < ReverbClock.chunk &* 4 {
      let newest = source.loadUnaligned(fromByteOffset: place &+ 4, as: SIMD4<Float>.self)
      let newer = source.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self)
      let new = source.loadUnaligned(fromByteOffset: place &- 4, as: SIMD4<Float>.self)
      let old = source.loadUnaligned(fromByteOffset: place &- 8, as: SIMD4<Float>.self)
      let older = source.loadUnaligned(fromByteOffset: place &- 12, as: SIMD4<Float>.self)
      let oldest = source.loadUnaligned(fromByteOffset: place &- 16, as: SIMD4<Float>.self)
      let sum =
        (newest * weight0 + newer * weight1) + (new * weight2 + old * weight3)
        + (older * weight4 + oldest * weight5)
      result.storeBytes(of: sum, toByteOffset: place, as: SIMD4<Float>.self)
      weight0 += s0
      weight1 += s1
      weight2 += s2
      weight3 += s3
      weight4 += s4
      weight5 += s5
      place &+= 16
    }
  }

  /// The first four values between two ends, and by how much the next four differ.
  @_noLocks @inline(__always)
  private func ramp(_ first: Float, _ last: Float, _ share: Float) -> (SIMD4<Float>, Float) {
    let step = (last - first) * share
    return (first + SIMD4<Float>(0, 1, 2, 3) * step, 4 * step)
  }

  /// A sine of phases that go round once in 2^32, to a part in a thousand.
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

  /// Spreads what came out of each line over all of them, and adds what is new.
  @_noLocks
  mutating func feed(_ diffused: UnsafePointer<Float>, _ clock: ReverbClock) {
    let (old, new) = (UnsafeRawPointer(heard), UnsafeRawPointer(diffused))
    let line = ReverbClock.chunk &* 4
    let (t0, t1) = (target(0, clock), target(1, clock))
    let (t2, t3) = (target(2, clock), target(3, clock))
    let (t4, t5) = (target(4, clock), target(5, clock))
    let (t6, t7) = (target(6, clock), target(7, clock))
    var frame = 0
    while frame < ReverbClock.chunk {
      let place = frame &* 4
      let lower = ReverbQuad(old + place, stride: line).spread()
      let upper = ReverbQuad(old + (4 &* line &+ place), stride: line).spread()
      let first = ReverbQuad(new + place, stride: line) + (lower + upper)
      let second = ReverbQuad(new + (4 &* line &+ place), stride: line) + (lower - upper)
      t0.storeBytes(of: first.a, toByteOffset: place, as: SIMD4<Float>.self)
      t1.storeBytes(of: first.b, toByteOffset: place, as: SIMD4<Float>.self)
      t2.storeBytes(of: first.c, toByteOffset: place, as: SIMD4<Float>.self)
      t3.storeBytes(of: first.d, toByteOffset: place, as: SIMD4<Float>.self)
      t4.storeBytes(of: second.a, toByteOffset: place, as: SIMD4<Float>.self)
      t5.storeBytes(of: second.b, toByteOffset: place, as: SIMD4<Float>.self)
      t6.storeBytes(of: second.c, toByteOffset: place, as: SIMD4<Float>.self)
      t7.storeBytes(of: second.d, toByteOffset: place, as: SIMD4<Float>.self)
      frame &+= 4
    }
    for line in 0..<8 { rings[line].close(clock) }
  }

  @_noLocks
  private func target(_ line: Int, _ clock: ReverbClock) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(rings[line].chunk(clock))
  }

  /// Adds what is heard of the lines on their way to both sides.
  @_noLocks
  mutating func listen(
    left: UnsafeMutablePointer<Float>, right: UnsafeMutablePointer<Float>, _ clock: ReverbClock,
    _ fade: ReverbFade
  ) {
    for tap in 0..<16 {
      let line = tap & 7
      let delay = Int(lateness(tap, Float(lengths[line])))
      taps[tap] = rings[line].read(delay: delay, clock, silence: spare)
      if line == fading {
        let next = Int(lateness(tap, Float(nextLengths[line])))
        let result = faded + (tap >> 3) &* ReverbClock.chunk
        fade.mix(
          from: taps[tap], to: rings[line].read(delay: next, clock, silence: spare), result)
        taps[tap] = UnsafeRawPointer(result)
      }
    }
    sum(0, to: heard)
    sum(8, to: heard + ReverbClock.chunk)
    let (same, opposite) = (UnsafeRawPointer(heard), UnsafeRawPointer(heard + ReverbClock.chunk))
    let (left, right) = (UnsafeMutableRawPointer(left), UnsafeMutableRawPointer(right))
    var place = 0
    while place < ReverbClock.chunk &* 4 {
      let both = same.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
      let side = opposite.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
      let newLeft = left.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self) + both + side
      let newRight =
        right.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self) + both - side
      left.storeBytes(of: newLeft, toByteOffset: place, as: SIMD8<Float>.self)
      right.storeBytes(of: newRight, toByteOffset: place, as: SIMD8<Float>.self)
      place &+= 32
    }
  }

  /// Adds up eight taps from one on.
  @_noLocks
  private mutating func sum(_ tap: Int, to result: UnsafeMutablePointer<Float>) {
    let (taps, gains) = (self.taps + tap, self.gains + tap)
    let (s0, s1, s2, s3) = (taps[0], taps[1], taps[2], taps[3])
    let (s4, s5, s6, s7) = (taps[4], taps[5], taps[6], taps[7])
    let result = UnsafeMutableRawPointer(result)
    var place = 0
    if gainsMove {
      // Rare, so that it may take its time.
      let steps = gainSteps + tap
      while place < ReverbClock.chunk &* 4 {
        let frames = SIMD4<Float>(1, 2, 3, 4) + Float(place / 4)
        var sum = SIMD4<Float>(repeating: 0)
        for index in 0..<8 {
          let sound = taps[index].loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self)
          sum += sound * (gains[index] + steps[index] * frames)
        }
        result.storeBytes(of: sum, toByteOffset: place, as: SIMD4<Float>.self)
        place &+= 16
      }
      for index in 0..<8 { gains[index] += steps[index] * Float(ReverbClock.chunk) }
      return
    }
    let (g0, g1, g2, g3) = (gains[0], gains[1], gains[2], gains[3])
    let (g4, g5, g6, g7) = (gains[4], gains[5], gains[6], gains[7])
    while place < ReverbClock.chunk &* 4 {
      let first =
        s0.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g0
        + s1.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g1
      let second =
        s2.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g2
        + s3.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g3
      let third =
        s4.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g4
        + s5.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g5
      let fourth =
        s6.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g6
        + s7.loadUnaligned(fromByteOffset: place, as: SIMD4<Float>.self) * g7
      result.storeBytes(
        of: (first + second) + (third + fourth), toByteOffset: place, as: SIMD4<Float>.self)
      place &+= 16
    }
  }

  /// The greatest magnitude that the chunk at hand has put into the lines.
  @_noLocks
  func peak(_ clock: ReverbClock) -> Float {
    var bits: UInt32 = 0
    for line in 0..<8 {
      bits = max(bits, Magnitude(rings[line].chunk(clock), frames: ReverbClock.chunk).bits)
    }
    return Float(bitPattern: bits)
  }
}
