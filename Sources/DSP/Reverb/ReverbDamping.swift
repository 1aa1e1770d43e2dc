internal import CRealtime

/// The loss per pass of each of the eight lines: decay and damping.
///
/// A line of L seconds loses 60 L / T dB per pass, so all lines decay alike (Jot & Chaigne,
/// "Digital delay networks for designing artificial reverberators", AES 90, 1991). A second-order
/// high shelf adds twice as much again above the damping frequency, and half of that, in dB, at the
/// damping frequency. There the decay time is half, far above a third. Such shelves have the same
/// loss in dB per second for any line length, because their corner is where half of their dB are
/// reached.
///
/// Each filter is a biquad in two parts. Its zeros are merged with the interpolation of the line's
/// output, at no cost. Its poles are processed here, one SIMD lane per line.
struct ReverbDamping: BitwiseCopyable {
  // Slightly below Butterworth: keeps the octave below the damping frequency flatter.
  private static var resonance: Float { @_noLocks get { 0.8 } }
  // A pass that leaves less than -80 dB counts as silence. Below that the poles come so close to 0
  // Hz that, rounded to floats, they ring forever; the lower the corner, the closer.
  private static var leastRoot: Float { @_noLocks get { 0.01 } }
  private static var leastSlope: Float { @_noLocks get { 0.0007 } }

  /// The numerator coefficients of each line, for the current sample and the two before it.
  struct Zeros: BitwiseCopyable {
    var first = SIMD8<Float>(repeating: 0)
    var second = SIMD8<Float>(repeating: 0)
    var third = SIMD8<Float>(repeating: 0)

    @_noLocks
    mutating func add(_ other: Zeros, times factor: Float) {
      first += other.first * factor
      second += other.second * factor
      third += other.third * factor
    }

    /// Writes eight values of each coefficient.
    @_noLocks
    func store(to memory: UnsafeMutablePointer<Float>) {
      let memory = UnsafeMutableRawPointer(memory)
      memory.storeBytes(of: first, as: SIMD8<Float>.self)
      memory.storeBytes(of: second, toByteOffset: 32, as: SIMD8<Float>.self)
      memory.storeBytes(of: third, toByteOffset: 64, as: SIMD8<Float>.self)
    }
  }

  // Four lanes each: the vector width that every machine has.
  private struct Poles: BitwiseCopyable {
    var first = SIMD4<Float>(repeating: 0)
    var second = SIMD4<Float>(repeating: 0)
  }

  /// The zeros at the start of the current chunk.
  private(set) var zeros = Zeros()
  private var zerosGoal = Zeros()
  private var zerosStep = Zeros()
  private var poles = (Poles(), Poles())
  private var polesGoal = (Poles(), Poles())
  private var polesStep = (Poles(), Poles())
  // The last two outputs.
  private var past = (Poles(), Poles())
  private var framesToGo = 0

  /// Ramps to other losses within `frames` frames, or jumps if `frames` is 0.
  ///
  /// `roots` are the square roots of each line's mid-frequency gain per pass, `tangent` is the
  /// tangent of half the corner's angle, and `scale` is a gain for all frequencies.
  @_noLocks
  mutating func move(roots: SIMD8<Float>, tangent: Float, scale: Float, frames: Int) {
    let inverse = 1 / tangent
    let square = inverse * inverse
    let least = SIMD8<Float>(repeating: max(Self.leastRoot, Self.leastSlope * inverse))
    let roots = roots.replacing(with: least, where: roots .< least)
    let gains = roots * roots
    let slope = roots * (inverse / Self.resonance)
    let norm = 1 / (square + slope + gains)
    let level = gains * gains * norm * scale
    zerosGoal.first = level * (gains * square + slope + 1)
    zerosGoal.second = 2 * level * (1 - gains * square)
    zerosGoal.third = level * (gains * square - slope + 1)
    let first = 2 * norm * (gains - square)
    let second = norm * (square - slope + gains)
    polesGoal.0.first = first.lowHalf
    polesGoal.0.second = second.lowHalf
    polesGoal.1.first = first.highHalf
    polesGoal.1.second = second.highHalf
    framesToGo = frames
    if frames == 0 {
      zeros = zerosGoal
      poles = polesGoal
      return
    }
    let share = 1 / Float(frames)
    zerosStep = Zeros()
    zerosStep.add(zerosGoal, times: share)
    zerosStep.add(zeros, times: -share)
    polesStep.0.first = (polesGoal.0.first - poles.0.first) * share
    polesStep.0.second = (polesGoal.0.second - poles.0.second) * share
    polesStep.1.first = (polesGoal.1.first - poles.1.first) * share
    polesStep.1.second = (polesGoal.1.second - poles.1.second) * share
  }

  /// Advances the zeros to the end of the current chunk.
  @_noLocks
  mutating func advanceZeros() {
    if framesToGo > ReverbClock.chunk {
      zeros.add(zerosStep, times: Float(ReverbClock.chunk))
    } else if framesToGo > 0 {
      zeros = zerosGoal
    }
  }

  /// Clears the filter state.
  @_noLocks
  mutating func empty() { past = (Poles(), Poles()) }

  /// Applies the poles to one chunk in place: eight lines, one after the other.
  @_noLocks
  mutating func process(_ lines: UnsafeMutablePointer<Float>) {
    if framesToGo <= 0 {
      let last = rt_reverb_poles(
        lines, Self.joined(poles), Self.joined(past), ReverbClock.chunk)
      past.0.first = last.first_low
      past.0.second = last.second_low
      past.1.first = last.first_high
      past.1.second = last.second_high
      return
    }
    let line = ReverbClock.chunk &* 4
    let (lower, upper) = (
      UnsafeMutableRawPointer(lines), UnsafeMutableRawPointer(lines) + 4 &* line
    )
    var (low, high) = (
      Run(poles: poles.0, past: past.0), Run(poles: poles.1, past: past.1)
    )
    var place = 0
    while place < line {
      // Four frames of eight lanes.
      let lowIn = ReverbQuad(lower + place, stride: line).turned()
      let highIn = ReverbQuad(upper + place, stride: line).turned()
      low.move(polesStep.0)
      high.move(polesStep.1)
      let (low0, high0) = (low.pass(lowIn.a), high.pass(highIn.a))
      low.move(polesStep.0)
      high.move(polesStep.1)
      let (low1, high1) = (low.pass(lowIn.b), high.pass(highIn.b))
      low.move(polesStep.0)
      high.move(polesStep.1)
      let (low2, high2) = (low.pass(lowIn.c), high.pass(highIn.c))
      low.move(polesStep.0)
      high.move(polesStep.1)
      let (low3, high3) = (low.pass(lowIn.d), high.pass(highIn.d))
      ReverbQuad(low0, low1, low2, low3).turned().store(lower + place, stride: line)
      ReverbQuad(high0, high1, high2, high3).turned().store(upper + place, stride: line)
      place &+= 16
    }
    past = (low.past, high.past)
    framesToGo &-= ReverbClock.chunk
    poles = framesToGo == 0 ? polesGoal : (low.poles, high.poles)
  }

  @_noLocks
  private static func joined(_ poles: (Poles, Poles)) -> rt_poles {
    rt_poles(
      first_low: poles.0.first, first_high: poles.1.first, second_low: poles.0.second,
      second_high: poles.1.second)
  }

  /// The state of four lanes within a chunk.
  private struct Run: BitwiseCopyable {
    var poles: Poles
    var past: Poles

    @_noLocks @inline(__always)
    mutating func move(_ step: Poles) {
      poles.first += step.first
      poles.second += step.second
    }

    @_noLocks @inline(__always)
    mutating func pass(_ sound: SIMD4<Float>) -> SIMD4<Float> {
      let result = (sound - poles.second * past.second) - poles.first * past.first
      past.second = past.first
      past.first = result
      return result
    }
  }
}
