internal import CRealtime

/// The phases of the studio engine: by how much each bin of a stretched sound is turned against
/// the bin of the tape that it comes from.
///
/// Phases are integrated along the phase gradient, outwards from the loudest bins (Z. Prusa and
/// N. Holighaus, "Phase vocoder done right", EUSIPCO 2017): a bin takes its phase either from its
/// own past, by its frequency, or from a louder neighbour that has one already, by its group
/// delay. So tones keep their phase through time and clicks keep theirs across frequency, and
/// nothing has to be told apart.
///
/// The paper's heap of magnitudes is not needed. A front that reaches a bin has come at the
/// level of the quietest bin on its way, and the heap lets the loudest front pass first; along a
/// line, the level at which fronts arrive from each side is a running maximum of minima.
///
/// Turns, not phases, are kept: where nothing is stretched they don't change. Angles are in
/// 2^32ths of a turn, which wrap by themselves. Both sides share their turns, found from the sum
/// of both sides' power, so that the phase between them is that of the tape.
struct StudioPhases: ~Copyable {
  private let anchor = Anchor()
  // By how much of power a front must exceed a steady bin's own past to take it over. Without it,
  // a click that grows as the window comes upon it is turned anew by the nearest tone each frame,
  // and its frames cancel each other; with twice as much, tones lose.
  private static let habit: Float = 2
  // As much for a bin whose frequency wanders: noise, attacks, voices that glide. Their bins stay
  // together as they are on the tape, because each by its own past would drift away from its
  // neighbours and beat with them.
  private static let looseHabit: Float = 0.2
  // In low bins a front must come at this, by the number of the bin from 1 on: one bin there is
  // as wide as a tone and the next one are apart.
  private static let bassHabit: Float = 16
  // A bin is steady while its frequency moves by less than this from hop to hop, in turns a hop,
  // and wanders when it moves by twice as much, in the mean of the last few hops.
  private static var wander: Float { @_noLocks get { 0.006 } }
  private static var memoryOfWander: Float { @_noLocks get { 0.9 } }
  // The part of all magnitudes in bins that wander less than this from which on sound counts as
  // steady, and below which it no more does.
  private static var leastWander: Float { @_noLocks get { 0.009 } }
  private static var mostSteady: Float { @_noLocks get { 0.6 } }
  private static var leastSteady: Float { @_noLocks get { 0.45 } }
  // It must have been steady on so much of the tape, in hops at rate 1, or not steady on so much:
  // a click on a chord takes its steadiness for about as long as a window sees it. Half a second of
  // doubt leaves the short window to what is bowed, blown or plucked, which comes out better by it.
  private static var hopsOfDoubt: Float { @_noLocks get { 90 } }
  private static var hopsOfTrust: Float { @_noLocks get { 20 } }

  // A click is what this part of all bins, or more, has grown by at once, and of which this part
  // lies within this distance in time, in parts of a transform. In noise, at a quiet chord's
  // bottom too, half of it does.
  private static var breadth: Float { @_noLocks get { 0.125 } }
  private static var agreement: Float { @_noLocks get { 0.75 } }
  private static var distance: Float { @_noLocks get { 0.01 } }
  // What has a greater variance need not be looked at.
  private static var spread: Float { @_noLocks get { 0.006 } }

  /// The number of bins that are turned; there is room for seven more.
  let bins: Int
  private let size: Int

  // Power now and at the last frame; how far each bin's frequency is beside its centre, as the
  // angle by which it went further since the last frame; the angle to the next bin.
  private let memory: UnsafeMutablePointer<Float>
  private let angles: UnsafeMutablePointer<Int32>
  private let room: Int
  private var newest = 0

  /// The turn of each bin.
  let turns: UnsafeMutablePointer<Int32>
  private let deviations: UnsafeMutablePointer<Int32>
  private let across: UnsafeMutablePointer<Int32>
  private let ahead: UnsafeMutablePointer<Int32>
  private let turnsRight: UnsafeMutablePointer<Int32>
  // All ones where a bin follows its neighbour.
  private let followsLeft: UnsafeMutablePointer<Int32>
  private let followsRight: UnsafeMutablePointer<Int32>
  // The levels at which fronts arrive from both sides.
  private let levelsFromLeft: UnsafeMutablePointer<Float>
  private let levelsFromRight: UnsafeMutablePointer<Float>
  private let gains: UnsafeMutablePointer<Float>
  // By how many turns bins that have grown are from the next one; far more for the others.
  private let grownToNext: UnsafeMutablePointer<Float>
  // The level at which a bin goes on by its own past: its power before times its habit.
  private let owns: UnsafeMutablePointer<Float>
  // How far the frequency of each bin moves from hop to hop, in turns a hop, in the mean.
  private let wanders: UnsafeMutablePointer<Float>
  // By how many 2^23ths of a power of two a bin's habit is less where it wanders.
  private let looseness: UnsafeMutablePointer<Float>
  // How many samples a hop on the tape has at rate 1.
  private let usualHop: Float
  // Whether there are deviations of a frame before, and how far that was from its own.
  private var hasDeviations = false
  private var deviationHop = 1

  /// Turns for a transform of `size` numbers and frames that are `hop` samples apart as a rule.
  init(size: Int, hop: Int) {
    self.size = size
    usualHop = Float(hop)
    bins = size / 2 + 1
    room = bins + 11
    memory = .allocate(capacity: 9 * room)
    memory.initialize(repeating: 0, count: 9 * room)
    angles = .allocate(capacity: 7 * room)
    angles.initialize(repeating: 0, count: 7 * room)
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

  deinit {
    memory.deallocate()
    angles.deallocate()
  }

  private var power: UnsafeMutablePointer<Float> {
    @_noLocks get { memory + newest &* room }
  }
  private var powerBefore: UnsafeMutablePointer<Float> {
    @_noLocks get { memory + (1 &- newest) &* room }
  }

  /// The distance of a frame from the one before it, in samples.
  struct Hop: BitwiseCopyable {
    /// How far the frame is from the one before it on the tape.
    var tape = 0
    /// How far it is from it in the stretched sound.
    var stretched = 0
    /// By how much time is stretched.
    var stretch: Float = 1
    /// By how much later than at a whole sample the frame belongs in the stretched sound.
    var late: Float = 0
    /// Whether the tape has leapt in between.
    var isLeap = false
    /// How far the frames before were from each other on the tape, where it has leapt now.
    var tapeBefore = 1

    @_noLocks
    init() {}
  }

  /// Begins anew: the next frame is not turned, and taken for steady.
  @_noLocks
  mutating func start() {
    settle()
    isSteady = true
    steadyHops = 0
    unsteadyHops = 0
    sinceClick = .max
  }

  /// Forgets turns and frequencies.
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

  /// Makes the newest frame the one before.
  @_noLocks
  mutating func advance() { newest = 1 &- newest }

  /// The bins that have grown since the last frame so far that fronts may take them over.
  private struct Grown: BitwiseCopyable {
    // The sum of the turns from them to the next bin.
    private var turns = SIMD4<Float>(repeating: 0)
    // One less for each.
    private var less = SIMD4<Int32>(repeating: 0)

    @_noLocks @inline(__always)
    init() {}

    @_noLocks @inline(__always)
    mutating func add(_ turns: SIMD4<Float>, where mask: SIMD4<Int32>) {
      let chosen = rt_where(mask, turns)
      self.turns += chosen
      less &+= mask
    }

    /// The number of them.
    var count: Float { @_noLocks get { Float(0 &- less.wrappedSum()) } }
    var mean: Float { @_noLocks get { turns.sum() / count } }
  }

  private var measured = rt_phases()
  /// Whether most of what was measured last is steady.
  private(set) var isSteady = true
  // For how many hops of the tape in a row it has been steady, or has not.
  private var steadyHops: Float = 0
  private var unsteadyHops: Float = 0
  // How many frames of the tape a click lies back, or more than a transform.
  private var sinceClick = Int.max

  /// Takes in a frame that is not turned, and after which nothing is.
  @_noLocks
  mutating func rest(low: Planar, high: Planar) {
    settle()
    let power = self.power
    var bin = 0
    while bin < bins {
      Self.store(Self.power(Complex4(low, at: bin), Complex4(high, at: bin)), power + bin)
      bin &+= 4
    }
  }

  @_noLocks @inline(__always)
  private static func power(_ a: Complex4, _ b: Complex4) -> SIMD4<Float> {
    a.real * a.real + a.imaginary * a.imaginary + (b.real * b.real + b.imaginary * b.imaginary)
  }

  /// Measures bins `start` to `end`, multiples of 8 or the last four: their power, their frequency
  /// against the frame before, and the angles between them; and finds where their own past would
  /// turn them.
  ///
  /// `low` are the bins of both sides packed into one transform, `high` are those of the negative
  /// frequencies, conjugated and in the order of the positive ones. With `isLong` a click of late
  /// is still seen by the window.
  @_noLocks
  mutating func measure(
    low: Planar, high: Planar, lowBefore: Planar, highBefore: Planar, _ start: Int, _ end: Int,
    hop: Hop, isLong: Bool
  ) {
    let perBin = Int32(truncatingIfNeeded: (1 << 32) / size)
    measured.low = Self.planar(low)
    measured.high = Self.planar(high)
    measured.low_before = Self.planar(lowBefore)
    measured.high_before = Self.planar(highBefore)
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
      // The bins of a click are none that wander: among tones, they would follow those.
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
    // A constant has no phase that could go on; those beside it follow it.
    if start == 0 { ahead[0] = 0 }
  }

  @_noLocks @inline(__always)
  private static func planar(_ parts: Planar) -> rt_planar {
    rt_planar(real: UnsafePointer(parts.real), imaginary: UnsafePointer(parts.imaginary))
  }

  @_noLocks @inline(__always)
  private static func load(_ from: UnsafePointer<Int32>) -> SIMD4<Int32> {
    UnsafeRawPointer(from).loadUnaligned(as: SIMD4<Int32>.self)
  }
  @_noLocks @inline(__always)
  private static func store(_ value: SIMD4<Int32>, _ to: UnsafeMutablePointer<Int32>) {
    UnsafeMutableRawPointer(to).storeBytes(of: value, as: SIMD4<Int32>.self)
  }
  @_noLocks @inline(__always)
  private static func load(_ from: UnsafePointer<Float>) -> SIMD4<Float> {
    UnsafeRawPointer(from).loadUnaligned(as: SIMD4<Float>.self)
  }
  @_noLocks @inline(__always)
  private static func store(_ value: SIMD4<Float>, _ to: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(to).storeBytes(of: value, as: SIMD4<Float>.self)
  }

  /// Whether a click that the window sees may be moved so far that it comes back at the other end
  /// of the transform; then, bins whose group delay is such are left out.
  @_noLocks
  private static func goesFar(_ stretch: Float) -> Bool { stretch > 2.05 }

  // What the passes from both ends carry from one slice to the next.
  private var levelFromLeft: Float = 0
  private var levelFromRight: Float = 0
  private var turnFromLeft: Int32 = 0
  private var turnFromRight: Int32 = 0

  /// Finds the levels at which fronts arrive at each bin, from both ends at once: bins `start` to
  /// `end` from the left, as many from the right.
  ///
  /// A front that arrives at a bin goes on at the bin's level or at its own, the lower one; a
  /// bin that no front has reached before its own past would, sends out one at that level.
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

  /// Decides who turns each bin: the front that arrives at the highest level, or its own past.
  ///
  /// Of equal ones, as in silence, the front from the left comes first: all then follows the
  /// first bin, and a click out of silence stays what it is.
  ///
  /// A click that comes upon other sound would take its phase from whatever tone its front came
  /// from, and its shape with it. So where much has grown at once and all of it lies at one time,
  /// that goes by its distance from the frame's place alone.
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
      let own =
        perBin.isClick ? Self.load(before + bin) * habit : Self.load(owns + bin)
      let left = Self.load(levelsFromLeft + bin)
      let right = Self.load(levelsFromRight + bin)
      let isOld = rt_or(noClick, rt_not_less(own, Self.load(power + bin)))
      let isLeft = rt_and(isOld, rt_and(rt_not_less(left, own), rt_not_less(left, right)))
      Self.store(isLeft, followsLeft + bin)
      Self.store(rt_and(isOld, rt_and_not(isLeft, rt_less(own, right))), followsRight + bin)
      Self.store(rt_pick(isOld, Self.load(ahead + bin), turn), ahead + bin)
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

  /// Whether what has grown is a click, and by how much more than the bin before it each bin of
  /// that is then turned.
  @_noLocks
  private func clickTurn(_ hop: Hop) -> (isClick: Bool, turn: Int32) {
    let count = Float(measured.grown_count)
    let mean = measured.grown / count
    let variance = measured.squares / count - mean * mean
    guard !hop.isLeap && count > Self.breadth * Float(bins) && variance < Self.spread
    else { return (false, 0) }
    // Without those bins in which there is a tone as well; a quarter of all tells where to look.
    let near = near(mean, within: 0.08, step: 16)
    let nearest = self.near(near.mean, within: Self.distance, step: 4)
    guard nearest.count > Self.agreement * count else { return (false, 0) }
    // Where nothing is stretched nothing else is moved to between two samples.
    let late = hop.tape == hop.stretched ? 0 : hop.late
    let turn = nearest.mean * (hop.stretch - 1) - late / Float(size)
    return (true, rt_from_turns(SIMD4(repeating: turn))[0])
  }

  /// Those that have grown and are about `mean` turns from the next bin, or some of them.
  @_noLocks
  private func near(_ mean: Float, within: Float, step: Int) -> Grown {
    var near = Grown()
    var bin = 0
    while bin < bins {
      let turns = Self.load(grownToNext + bin)
      let isNear = rt_less(rt_magnitudes(turns - mean), SIMD4(repeating: within))
      near.add(turns, where: isNear)
      bin &+= step
    }
    return near
  }

  /// Turns the bins that follow a neighbour, from both ends at once as `spread` does.
  ///
  /// A bin that follows its left neighbour is the end of a line that begins with one which
  /// follows its own past, and none in between follows its right one: the two ways never mix.
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

  /// Turns bins `start` to `end`, multiples of 8, and lays them out for the inverse transform.
  ///
  /// The last of all bins goes with those before it; it and the first one are not turned.
  ///
  /// Where nothing is stretched turns fade, so that it comes to sound just like the tape.
  @_noLocks
  mutating func apply(
    low: Planar, high: Planar, to output: Planar, _ start: Int, _ end: Int, hop: Hop
  ) {
    var turning = rt_turning()
    turning.low = Self.planar(low)
    turning.high = Self.planar(high)
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
