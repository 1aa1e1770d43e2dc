internal import CRealtime

/// The phases of the phase vocoder: the rotation of each bin relative to the tape.
///
/// Phases are integrated along the phase gradient, from the loudest bins outward (Z. Prusa and N.
/// Holighaus, "Phase vocoder done right", EUSIPCO 2017). A bin gets its phase either from its own
/// past, by its frequency, or from a louder neighbor that has one already, by its group delay. So
/// tones keep their phase coherence over time and transients keep theirs across frequency, without
/// classification.
///
/// The paper's heap of magnitudes isn't needed. A front that reaches a bin has the level of the
/// quietest bin on its way, and the heap lets the loudest front pass first. Along a line, the level
/// at which fronts arrive from each side is a running maximum of minima.
///
/// The state consists of rotations instead of phases, which stay constant without stretching.
/// Angles are in units of 2^-32 cycles, which wrap naturally. Both channels share their rotations,
/// computed from the sum of their power, so the interchannel phase is preserved.
struct StudioPhases: ~Copyable {
  private let anchor = Anchor()
  private let buffers = Buffers()
  // The power ratio by which a front must exceed a steady bin's own past to take it over. Without
  // it, a transient that grows as the window reaches it is rotated by the nearest tone in each
  // frame, and its frames cancel. With twice the value, tones lose.
  private static let habit: Float = 2
  // The same for a bin whose frequency wanders: noise, attacks, gliding voices. Such bins keep
  // their phase relations from the tape, because on their own they would drift apart and beat.
  private static let looseHabit: Float = 0.2
  // In low bins a front needs this ratio divided by the bin number from 1 on: there a bin is as
  // wide as the distance between tones.
  private static let bassHabit: Float = 16
  // A bin is steady if its frequency moves by less than this per hop, in cycles per hop, and
  // wanders at twice the value; averaged over the last few hops.
  private static var wander: Float { @_noLocks get { 0.006 } }
  private static var memoryOfWander: Float { @_noLocks get { 0.9 } }
  // The share of the magnitude in bins that wander less than `leastWander` above which the signal
  // counts as steady, and below which it stops doing so.
  private static var leastWander: Float { @_noLocks get { 0.009 } }
  private static var mostSteady: Float { @_noLocks get { 0.6 } }
  private static var leastSteady: Float { @_noLocks get { 0.45 } }
  // How long it must have been steady or unsteady, in hops at rate 1, before the window changes. A
  // transient over a chord hides its steadiness for about the length of a window. The half second
  // of doubt leaves the short window to bowed, blown or plucked tones, which sound better with it.
  private static var hopsOfDoubt: Float { @_noLocks get { 90 } }
  private static var hopsOfTrust: Float { @_noLocks get { 20 } }

  // A transient is detected if at least the share `breadth` of all bins has grown at once, and the
  // share `agreement` of those has its group delay within `distance`, as a fraction of the
  // transform. In noise, even under a quiet chord, half of the bins do.
  private static var breadth: Float { @_noLocks get { 0.125 } }
  private static var agreement: Float { @_noLocks get { 0.75 } }
  private static var distance: Float { @_noLocks get { 0.01 } }
  // A larger variance excludes a transient.
  private static var spread: Float { @_noLocks get { 0.006 } }

  /// The number of bins; arrays have room for seven more.
  let bins: Int
  private let size: Int

  // The power of the current and the last frame; each bin's deviation from its center frequency as
  // a phase advance since the last frame; the phase difference to the next bin.
  private let memory: UnsafeMutablePointer<Float>
  private let angles: UnsafeMutablePointer<Int32>
  private let room: Int
  private var newest = 0

  /// The rotation of each bin.
  let turns: UnsafeMutablePointer<Int32>
  private let deviations: UnsafeMutablePointer<Int32>
  private let across: UnsafeMutablePointer<Int32>
  private let ahead: UnsafeMutablePointer<Int32>
  private let turnsRight: UnsafeMutablePointer<Int32>
  // All ones where a bin follows its neighbor.
  private let followsLeft: UnsafeMutablePointer<Int32>
  private let followsRight: UnsafeMutablePointer<Int32>
  // The levels at which fronts arrive from each side.
  private let levelsFromLeft: UnsafeMutablePointer<Float>
  private let levelsFromRight: UnsafeMutablePointer<Float>
  private let gains: UnsafeMutablePointer<Float>
  // The phase difference to the next bin in cycles, for bins that have grown; a large value for
  // others.
  private let grownToNext: UnsafeMutablePointer<Float>
  // The level at which a bin continues from its own past: its previous power times its habit.
  private let owns: UnsafeMutablePointer<Float>
  // The mean frequency deviation between hops of each bin, in cycles per hop.
  private let wanders: UnsafeMutablePointer<Float>
  // The reduction of a bin's habit if it wanders, as a base-2 logarithm in units of 2^-23.
  private let looseness: UnsafeMutablePointer<Float>
  // The analysis hop at rate 1, in samples.
  private let usualHop: Float
  // Whether deviations of the frame before exist, and the hop they were measured over.
  private var hasDeviations = false
  private var deviationHop = 1

  /// Creates phases for transforms of `size` values with frames usually `hop` samples apart.
  init(size: Int, hop: Int) {
    self.size = size
    usualHop = Float(hop)
    bins = size / 2 + 1
    room = bins + 11
    memory = buffers.floats(9 * room)
    angles = buffers.filled(with: 0, count: 7 * room)
    turns = angles
    deviations = angles + room
    across = angles + 2 * room
    ahead = angles + 3 * room
    turnsRight = angles + 4 * room
    followsLeft = angles + 5 * room
    followsRight = angles + 6 * room
    levelsFromLeft = memory + 2 * room
    levelsFromRight = memory + 3 * room
    gains = memory + 4 * room
    grownToNext = memory + 5 * room
    owns = memory + 6 * room
    wanders = memory + 7 * room
    looseness = memory + 8 * room
    for bin in 0..<room {
      let loose = min(1, max(Self.looseHabit, Self.bassHabit / Float(bin + 1)))
      looseness[bin] = rt_log(Self.habit / loose) * 1.442_695 * 8_388_608
    }
    measured.turns = UnsafePointer(turns)
    measured.looseness = UnsafePointer(looseness)
    measured.owns = owns
    measured.wanders = wanders
    measured.gains = gains
    measured.grown_to_next = grownToNext
    measured.across = across
    measured.ahead = ahead
    measured.deviations = deviations
    measured.habit = Self.habit
    measured.memory = Self.memoryOfWander
    measured.by_wander = 1 / Self.wander
    measured.least_wander = Self.leastWander
  }

  private var power: UnsafeMutablePointer<Float> {
    @_noLocks get { memory + newest &* room }
  }
  private var powerBefore: UnsafeMutablePointer<Float> {
    @_noLocks get { memory + (1 &- newest) &* room }
  }

  /// The distance of a frame from the one before, in samples.
  struct Hop: BitwiseCopyable {
    /// The analysis hop, on the tape.
    var tape = 0
    /// The synthesis hop, in the stretched signal.
    var stretched = 0
    /// The stretch factor.
    var stretch: Float = 1
    /// The fraction of a sample by which the frame is placed too early.
    var late: Float = 0
    /// Whether the tape position has leapt.
    var isLeap = false
    /// After a leap, the analysis hop before it.
    var tapeBefore = 1
  }

  /// Resets the state: the next frame isn't rotated and counts as steady.
  @_noLocks
  mutating func start() {
    settle()
    isSteady = true
    steadyHops = 0
    unsteadyHops = 0
    sinceClick = .max
  }

  /// Clears rotations and frequencies.
  @_noLocks
  private mutating func settle() {
    for bin in 0..<bins {
      turns[bin] = 0
      followsRight[bin] = 0
      deviations[bin] = 0
      wanders[bin] = 0
    }
    hasDeviations = false
  }

  /// Makes the newest frame the previous one.
  @_noLocks
  mutating func advance() { newest = 1 &- newest }

  /// The bins that have grown enough for fronts to take them over.
  private struct Grown: BitwiseCopyable {
    // The sum of their phase differences to the next bin, in cycles.
    private var turns = SIMD4<Float>(repeating: 0)
    // Decremented once for each.
    private var less = SIMD4<Int32>(repeating: 0)

    @_noLocks @inline(__always)
    mutating func add(_ turns: SIMD4<Float>, where mask: SIMD4<Int32>) {
      let chosen = rt_where(mask, turns)
      self.turns += chosen
      less &+= mask
    }

    /// The number of these bins.
    var count: Float { @_noLocks get { Float(0 &- less.wrappedSum()) } }
    var mean: Float { @_noLocks get { turns.sum() / count } }
  }

  private var measured = rt_phases()
  /// Whether most of the last measured signal is steady.
  private(set) var isSteady = true
  // The number of consecutive hops on the tape that were steady, or unsteady.
  private var steadyHops: Float = 0
  private var unsteadyHops: Float = 0
  // The distance to the last transient in frames of tape, saturated beyond the transform size.
  private var sinceClick = Int.max

  /// Measures a frame that isn't rotated, and clears all rotations.
  @_noLocks
  mutating func rest(low: Planar, high: Planar) {
    settle()
    let power = self.power
    var bin = 0
    while bin < bins {
      power.setFour(at: bin, Self.power(Complex4(low, at: bin), Complex4(high, at: bin)))
      bin &+= 4
    }
  }

  @_noLocks @inline(__always)
  private static func power(_ a: Complex4, _ b: Complex4) -> SIMD4<Float> {
    a.real * a.real + a.imaginary * a.imaginary + (b.real * b.real + b.imaginary * b.imaginary)
  }

  /// Measures bins `start` to `end`: power, frequency and phase differences, and the rotations from
  /// their own past.
  ///
  /// `start` and `end` are multiples of 8, or the last four. `low` holds the bins of both channels
  /// packed into one transform, `high` the negative frequencies, conjugated and reordered. `isLong`
  /// means that the window still covers a recent transient.
  @_noLocks
  mutating func measure(
    low: Planar, high: Planar, lowBefore: Planar, highBefore: Planar, _ start: Int, _ end: Int,
    hop: Hop, isLong: Bool
  ) {
    let perBin = Int32(truncatingIfNeeded: (1 << 32) / size)
    measured.low = low.input
    measured.high = high.input
    measured.low_before = lowBefore.input
    measured.high_before = highBefore.input
    measured.power = power
    measured.power_before = UnsafePointer(powerBefore)
    if start == 0 {
      measured.tape_bin = Int32(truncatingIfNeeded: hop.tape) &* perBin
      measured.stretched_bin = Int32(truncatingIfNeeded: hop.stretched) &* perBin
      measured.is_leap = hop.isLeap ? 1 : 0
      measured.goes_far = Self.goesFar(hop.stretch) ? 1 : 0
      measured.stretch = hop.stretch
      measured.further =
        hop.isLeap
        ? Float(hop.stretched) / Float(hop.tapeBefore)
        : Float(hop.stretched &- hop.tape) / Float(max(hop.tape, 1))
      measured.further_across = hop.stretch - 1
      // The bins of a transient don't count as wandering: among tones they would follow those.
      measured.looser = isLong && sinceClick < size ? 0 : 1
      measured.lengthened = Float(hop.tape) / Float(deviationHop)
      measured.learnt =
        hasDeviations ? (1 - Self.memoryOfWander) * usualHop / Float(max(hop.tape, 1)) : 0
      measured.grown = 0
      measured.squares = 0
      measured.grown_count = 0
      measured.magnitudes = 0
      measured.steady_magnitudes = 0
    }
    rt_measure_phases(&measured, start, end)
    // DC has no phase to continue; its neighbors follow it.
    if start == 0 { ahead[0] = 0 }
  }

  @_noLocks @inline(__always)
  private static func store(_ value: SIMD4<Int32>, _ to: UnsafeMutablePointer<Int32>) {
    UnsafeMutableRawPointer(to).storeBytes(of: value, as: SIMD4<Int32>.self)
  }

  /// Whether a transient in the window could be shifted so far that it wraps around in the
  /// transform.
  ///
  /// Then bins with such a group delay are muted.
  @_noLocks
  private static func goesFar(_ stretch: Float) -> Bool { stretch > 2.05 }

  // State of the passes from both ends, carried between slices.
  private var levelFromLeft: Float = 0
  private var levelFromRight: Float = 0
  private var turnFromLeft: Int32 = 0
  private var turnFromRight: Int32 = 0

  /// Computes the levels at which fronts arrive at each bin, from both ends at once: bins `start`
  /// to `end` from the left, and as many from the right.
  ///
  /// A front continues at the lower of its own level and the bin's. A bin that no front has reached
  /// above the level of its own past emits a front at that level.
  @_noLocks
  mutating func spread(_ start: Int, _ end: Int) {
    let power = self.power
    let owns = self.owns
    let fromLeft = levelsFromLeft
    let fromRight = levelsFromRight
    var left = start == 0 ? -1 : levelFromLeft
    var right = start == 0 ? -1 : levelFromRight
    let last = bins &- 1
    for bin in start..<end {
      fromLeft[bin] = left
      left = Self.lower(Self.higher(owns[bin], left), power[bin])
      let mirrored = last &- bin
      fromRight[mirrored] = right
      right = Self.lower(Self.higher(owns[mirrored], right), power[mirrored])
    }
    levelFromLeft = left
    levelFromRight = right
  }

  @_noLocks @inline(__always)
  private static func lower(_ a: Float, _ b: Float) -> Float { a < b ? a : b }
  @_noLocks @inline(__always)
  private static func higher(_ a: Float, _ b: Float) -> Float { a > b ? a : b }

  /// Decides the source of each bin's rotation: the front with the highest level, or its own past.
  ///
  /// In a tie, as in silence, the front from the left wins. Then everything follows the first bin,
  /// and a transient out of silence keeps its shape.
  ///
  /// A transient over other sound would take its phase, and thus its shape, from the tone where the
  /// front came from. So if many bins have grown at once with the same group delay, they are
  /// rotated by the distance from the frame's center alone.
  @_noLocks
  mutating func decide(hop: Hop) {
    let power = self.power
    let before = powerBefore
    let habit = Self.habit
    let perBin = clickTurn(hop)
    if perBin.isClick {
      sinceClick = 0
    } else if sinceClick < size {
      sinceClick &+= hop.tape
    }
    let noClick: SIMD4<Int32> = perBin.isClick ? SIMD4(repeating: 0) : SIMD4(repeating: -1)
    var turn = SIMD4<Int32>(0, 1, 2, 3) &* perBin.turn
    var bin = 0
    while bin < bins {
      let own = perBin.isClick ? before.four(at: bin) * habit : owns.four(at: bin)
      let left = levelsFromLeft.four(at: bin)
      let right = levelsFromRight.four(at: bin)
      let isOld = rt_or(noClick, rt_not_less(own, power.four(at: bin)))
      let isLeft = rt_and(isOld, rt_and(rt_not_less(left, own), rt_not_less(left, right)))
      Self.store(isLeft, followsLeft + bin)
      Self.store(rt_and(isOld, rt_and_not(isLeft, rt_less(own, right))), followsRight + bin)
      let old = UnsafeRawPointer(ahead + bin).loadUnaligned(as: SIMD4<Int32>.self)
      Self.store(rt_pick(isOld, old, turn), ahead + bin)
      turn &+= 4 &* perBin.turn
      bin &+= 4
    }
    if !hop.isLeap {
      deviationHop = hop.tape
      hasDeviations = true
      let whole = measured.magnitudes
      let steady = measured.steady_magnitudes
      let hops = Float(hop.tape) / usualHop
      steadyHops = steady > Self.mostSteady * whole ? steadyHops + hops : 0
      unsteadyHops = steady < Self.leastSteady * whole ? unsteadyHops + hops : 0
      if steadyHops >= Self.hopsOfDoubt {
        isSteady = true
      } else if unsteadyHops >= Self.hopsOfTrust {
        isSteady = false
      }
    }
  }

  /// Whether the bins that have grown form a transient, and the additional rotation per bin number.
  @_noLocks
  private func clickTurn(_ hop: Hop) -> (isClick: Bool, turn: Int32) {
    let count = Float(measured.grown_count)
    let mean = measured.grown / count
    let variance = measured.squares / count - mean * mean
    guard !hop.isLeap && count > Self.breadth * Float(bins) && variance < Self.spread
    else { return (false, 0) }
    // Excludes the bins that also hold a tone. A quarter of the bins is enough for a first
    // estimate.
    let near = near(mean, within: 0.08, step: 16)
    let nearest = self.near(near.mean, within: Self.distance, step: 4)
    guard nearest.count > Self.agreement * count else { return (false, 0) }
    // Without stretching, other sound isn't shifted by fractions of a sample either.
    let late = hop.tape == hop.stretched ? 0 : hop.late
    let turn = nearest.mean * (hop.stretch - 1) - late / Float(size)
    return (true, rt_from_turns(SIMD4(repeating: turn))[0])
  }

  /// Returns the grown bins whose phase difference is near `mean`, among four of every `step` bins.
  @_noLocks
  private func near(_ mean: Float, within: Float, step: Int) -> Grown {
    var near = Grown()
    var bin = 0
    while bin < bins {
      let turns = grownToNext.four(at: bin)
      let isNear = rt_less(rt_magnitudes(turns - mean), SIMD4(repeating: within))
      near.add(turns, where: isNear)
      bin &+= step
    }
    return near
  }

  /// Rotates the bins that follow a neighbor, from both ends at once like `spread`.
  ///
  /// A bin that follows its left neighbor ends a run that starts at a bin with its own phase, and
  /// no bin of the run follows its right neighbor. So the two directions never interfere.
  @_noLocks
  mutating func follow(_ start: Int, _ end: Int) {
    let across = self.across
    let ahead = self.ahead
    let followsLeft = self.followsLeft
    let followsRight = self.followsRight
    let turnsLeft = turns
    let turnsRight = self.turnsRight
    var left = start == 0 ? 0 : turnFromLeft
    var right = start == 0 ? 0 : turnFromRight
    let last = bins &- 1
    for bin in start..<end {
      let mask = followsLeft[bin]
      left = (left & mask) | (ahead[bin] & ~mask)
      turnsLeft[bin] = left
      left = left &+ across[bin]
      let mirrored = last &- bin
      let mirroredMask = followsRight[mirrored]
      right = ((right &- across[mirrored]) & mirroredMask) | (ahead[mirrored] & ~mirroredMask)
      turnsRight[mirrored] = right
    }
    turnFromLeft = left
    turnFromRight = right
  }

  /// Rotates bins `start` to `end`, multiples of 8, and arranges them for the inverse transform.
  ///
  /// The last bin belongs to the last range. The first and last bins aren't rotated. Without
  /// stretching, rotations decay, until the output matches the tape.
  @_noLocks
  mutating func apply(
    low: Planar, high: Planar, to output: Planar, _ start: Int, _ end: Int, hop: Hop
  ) {
    var turning = rt_turning()
    turning.low = low.input
    turning.high = high.input
    turning.follows_right = UnsafePointer(followsRight)
    turning.turns_right = UnsafePointer(turnsRight)
    if Self.goesFar(hop.stretch) { turning.gains = UnsafePointer(gains) }
    turning.turns = turns
    turning.real = output.real
    turning.imaginary = output.imaginary
    turning.size = size
    turning.fades = !hop.isLeap && hop.tape == hop.stretched ? 1 : 0
    rt_turn_phases(&turning, start, end)
    if start == 0 {
      output.real[0] = low.real[0]
      output.imaginary[0] = low.imaginary[0]
    }
    if end == size / 2 {
      output.real[end] = low.real[end]
      output.imaginary[end] = low.imaginary[end]
    }
  }
}
