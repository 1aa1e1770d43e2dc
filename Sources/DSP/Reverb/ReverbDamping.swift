internal import CRealtime

/// The losses of each pass through each of the eight lines: the decay and its damping.
///
/// A line of L seconds takes 60 L / T dB at each pass, so that all lines decay alike (Jot &
/// Chaigne, "Digital delay networks for designing artificial reverberators", AES 90, 1991). Above,
/// a shelf of second order takes twice as much again; half of that, in dB, at the damping
/// frequency. There the decay time is half, far above a third. Such shelves are alike in dB per
/// second whatever the line's length, because their corner is where half of their dB are.
///
/// Each filter is a biquad in two parts. Its zeros are given to whoever reads the line, to be
/// had with the reading between samples at no cost; its poles are here, a lane a line.
struct ReverbDamping: BitwiseCopyable {
  // A little less than Butterworth: keeps the octave below the damping flatter.
  private static var resonance: Float { @_noLocks get { 0.8 } }
  // A pass that leaves less leaves nothing: -80 dB. And the poles come so near to 0 Hz then that
  // their places round to places where they ring for ever, the nearer the lower the corner.
  private static var leastRoot: Float { @_noLocks get { 0.01 } }
  private static var leastSlope: Float { @_noLocks get { 0.0007 } }

  /// The weights of a sample and of the two before it, for each line.
  struct Zeros: BitwiseCopyable {
    var first = SIMD8<Float>(repeating: 0)
    var second = SIMD8<Float>(repeating: 0)
    var third = SIMD8<Float>(repeating: 0)

    @_noLocks
    init() {}

    @_noLocks
    mutating func add(_ other: Zeros, times factor: Float) {
      first += other.first * factor
      second += other.second * factor
      third += other.third * factor
    }
  }

  // Four lanes each, because that is what a vector register holds on every machine.
  private struct Poles: BitwiseCopyable {
    var first = SIMD4<Float>(repeating: 0)
    var second = SIMD4<Float>(repeating: 0)

    @_noLocks
    init() {}
  }

  /// The zeros at the beginning of the chunk at hand.
  private(set) var zeros = Zeros()
  private var zerosGoal = Zeros()
  private var zerosStep = Zeros()
  private var poles = (Poles(), Poles())
  private var polesGoal = (Poles(), Poles())
  private var polesStep = (Poles(), Poles())
  // What came out last, and before.
  private var past = (Poles(), Poles())
  private var framesToGo = 0

  @_noLocks
  init() {}

  /// Goes to other losses within `frames` frames; at once when that is none.
  ///
  /// `roots` are the roots of what a pass leaves of each line at mid frequencies, `tangent` is
  /// that of half the corner's angle, and `scale` goes to all frequencies.
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

  /// Goes on to the zeros at the end of the chunk at hand.
  @_noLocks
  mutating func advanceZeros() {
    if framesToGo > ReverbClock.chunk {
      zeros.add(zerosStep, times: Float(ReverbClock.chunk))
    } else if framesToGo > 0 {
      zeros = zerosGoal
    }
  }

  /// Forgets what it has heard.
  @_noLocks
  mutating func empty() { past = (Poles(), Poles()) }

  /// Puts the poles to one chunk in place, eight lines of frames one after the other.
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
    var (low, high) = (Run(poles.0, past.0), Run(poles.1, past.1))
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

  /// Four lanes on their way through a chunk.
  private struct Run: BitwiseCopyable {
    var poles: Poles
    var past: Poles

    @_noLocks @inline(__always)
    init(_ poles: Poles, _ past: Poles) {
      self.poles = poles
      self.past = past
    }

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
