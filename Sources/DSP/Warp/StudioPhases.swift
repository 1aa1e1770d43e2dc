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
  // By how much of power a front must exceed a bin's own past to take it over. Without it, a
  // click that grows as the window comes upon it is turned anew by the nearest tone each frame,
  // and its frames cancel each other; with twice as much, tones lose.
  private static var habit: Float { @_noLocks get { 2 } }
  // A click is what this part of all bins, or more, has grown by at once, and of which this part
  // lies within this distance in time, in parts of a transform. In noise, at a quiet chord's
  // bottom too, half of it does.
  private static var breadth: Float { @_noLocks get { 0.125 } }
  private static var agreement: Float { @_noLocks get { 0.75 } }
  private static var distance: Float { @_noLocks get { 0.01 } }
  // What has a greater variance need not be looked at.
  private static var spread: Float { @_noLocks get { 0.006 } }

  /// The number of bins that are turned; there is room for three more.
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

  /// Turns for a transform of `size` numbers.
  init(size: Int) {
    self.size = size
    bins = size / 2 + 1
    room = bins + 11
    memory = .allocate(capacity: 6 * room)
    memory.initialize(repeating: 0, count: 6 * room)
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

  /// Begins anew: the next frame is not turned.
  @_noLocks
  mutating func start() {
    for bin in 0..<bins {
      turns[bin] = 0
      followsRight[bin] = 0
      deviations[bin] = 0
    }
  }

  /// Makes the newest frame the one before.
  @_noLocks
  mutating func advance() { newest = 1 &- newest }

  /// The bins that have grown since the last frame so far that fronts may take them over.
  private struct Grown: BitwiseCopyable {
    // The turns from them to the next bin, their sum and that of their squares.
    private var turns = SIMD4<Float>(repeating: 0)
    private var squares = SIMD4<Float>(repeating: 0)
    // One less for each.
    private var less = SIMD4<Int32>(repeating: 0)

    @_noLocks @inline(__always)
    init() {}

    @_noLocks @inline(__always)
    mutating func add(_ turns: SIMD4<Float>, where mask: SIMD4<Int32>) {
      let chosen = rt_where(mask, turns)
      self.turns += chosen
      squares += chosen * chosen
      less &+= mask
    }

    /// The number of them.
    var count: Float { @_noLocks get { Float(0 &- less.wrappedSum()) } }
    var mean: Float { @_noLocks get { turns.sum() / count } }
    var variance: Float { @_noLocks get { squares.sum() / count - mean * mean } }
  }
  private var grown = Grown()

  /// Takes in a frame that is not turned, and after which nothing is.
  @_noLocks
  mutating func rest(low: Planar, high: Planar) {
    start()
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

  /// Measures bins `start` to `end`, multiples of 4: their power, their frequency against the
  /// frame before, and the angles between them; and finds where their own past would turn them.
  ///
  /// `low` are the bins of both sides packed into one transform, `high` are those of the negative
  /// frequencies, conjugated and in the order of the positive ones.
  @_noLocks
  mutating func measure(
    low: Planar, high: Planar, lowBefore: Planar, highBefore: Planar, _ start: Int, _ end: Int,
    hop: Hop
  ) {
    let power = self.power
    let before = powerBefore
    let perBin = Int32(truncatingIfNeeded: (1 << 32) / size)
    let tapeBin = Int32(truncatingIfNeeded: hop.tape) &* perBin
    let stretchedBin = Int32(truncatingIfNeeded: hop.stretched) &* perBin
    // The angles by which the bins' centres go further, on the tape and in the stretched sound.
    let lanes = SIMD4<Int32>(0, 1, 2, 3) &+ Int32(truncatingIfNeeded: start)
    var onTape = lanes &* tapeBin
    var inStretched = lanes &* stretchedBin
    let further =
      hop.isLeap
      ? Float(hop.stretched) / Float(hop.tapeBefore)
      : Float(hop.stretched &- hop.tape) / Float(max(hop.tape, 1))
    let furtherAcross = hop.stretch - 1
    let habit = Self.habit
    var grown = start == 0 ? Grown() : self.grown
    let goesFar = Self.goesFar(hop.stretch)
    var bin = start
    while bin < end {
      let a = Complex4(low, at: bin)
      let b = Complex4(high, at: bin)
      let powers = Self.power(a, b)
      Self.store(powers, power + bin)

      let aNext = Complex4(low, at: bin &+ 1)
      let bNext = Complex4(high, at: bin &+ 1)
      let toNext = rt_to_turns(
        rt_angles(
          aNext.imaginary * a.real - aNext.real * a.imaginary
            + (bNext.imaginary * b.real - bNext.real * b.imaginary),
          aNext.real * a.real + aNext.imaginary * a.imaginary
            + (bNext.real * b.real + bNext.imaginary * b.imaginary)))
      Self.store(rt_from_turns(toNext * furtherAcross), across + bin)
      let hasGrown = rt_less(Self.load(before + bin) * habit, powers)
      grown.add(toNext, where: hasGrown)
      Self.store(rt_choose(hasGrown, toNext, SIMD4(repeating: 4)), grownToNext + bin)
      if goesFar {
        let distance = rt_magnitudes(toNext) * hop.stretch
        Self.store(rt_between(0, (0.75 - distance) * 8, 1), gains + bin)
      }

      let aBefore = Complex4(lowBefore, at: bin)
      let bBefore = Complex4(highBefore, at: bin)
      let moved = rt_angles(
        a.imaginary * aBefore.real - a.real * aBefore.imaginary
          + (b.imaginary * bBefore.real - b.real * bBefore.imaginary),
        a.real * aBefore.real + a.imaginary * aBefore.imaginary
          + (b.real * bBefore.real + b.imaginary * bBefore.imaginary))
      let turn = Self.load(turns + bin)
      if hop.isLeap {
        // The frequency from before the leap carries the phase over it.
        let deviation = rt_to_turns(Self.load(deviations + bin))
        Self.store(
          turn &- moved &+ inStretched &+ rt_from_turns(deviation * further),
          ahead + bin)
      } else {
        let deviation = moved &- onTape
        Self.store(deviation, deviations + bin)
        Self.store(
          turn &+ (inStretched &- onTape)
            &+ rt_from_turns(rt_to_turns(deviation) * further), ahead + bin)
      }
      onTape &+= 4 &* tapeBin
      inStretched &+= 4 &* stretchedBin
      bin &+= 4
    }
    // A constant has no phase that could go on; those beside it follow it.
    if start == 0 { ahead[0] = 0 }
    self.grown = grown
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
    let before = powerBefore
    let fromLeft = levelsFromLeft
    let fromRight = levelsFromRight
    let habit = Self.habit
    var left = start == 0 ? -1 : levelFromLeft
    var right = start == 0 ? -1 : levelFromRight
    let last = bins &- 1
    for bin in start..<end {
      fromLeft[bin] = left
      left = Self.lower(Self.higher(before[bin] * habit, left), power[bin])
      let mirrored = last &- bin
      fromRight[mirrored] = right
      right = Self.lower(Self.higher(before[mirrored] * habit, right), power[mirrored])
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
    let noClick: SIMD4<Int32> = perBin.isClick ? SIMD4(repeating: 0) : SIMD4(repeating: -1)
    var turn = SIMD4<Int32>(0, 1, 2, 3) &* perBin.turn
    var bin = 0
    while bin < bins {
      let own = Self.load(before + bin) * habit
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
  }

  /// Whether what has grown is a click, and by how much more than the bin before it each bin of
  /// that is then turned.
  @_noLocks
  private func clickTurn(_ hop: Hop) -> (isClick: Bool, turn: Int32) {
    let count = grown.count
    guard !hop.isLeap && count > Self.breadth * Float(bins) && grown.variance < Self.spread
    else { return (false, 0) }
    // Without those bins in which there is a tone as well; a quarter of all tells where to look.
    let near = near(grown.mean, within: 0.08, step: 16)
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

  /// Turns bins `start` to `end`, multiples of 4, and lays them out for the inverse transform.
  ///
  /// The last of all bins goes with those before it; it and the first one are not turned.
  ///
  /// Where nothing is stretched turns fade, so that it comes to sound just like the tape.
  @_noLocks
  mutating func apply(
    low: Planar, high: Planar, to output: Planar, _ start: Int, _ end: Int, hop: Hop
  ) {
    let fade = !hop.isLeap && hop.tape == hop.stretched
    let goesFar = Self.goesFar(hop.stretch)
    var bin = start
    while bin < end {
      let mask = Self.load(followsRight + bin)
      var turn = (Self.load(turnsRight + bin) & mask) | (Self.load(turns + bin) & ~mask)
      if fade { turn = turn &- (turn &>> 4) }
      Self.store(turn, turns + bin)
      var factor = Complex4(rt_cosines(turn), rt_sines(turn))
      if goesFar {
        let gain = Self.load(gains + bin)
        factor = Complex4(factor.real * gain, factor.imaginary * gain)
      }
      let a = Complex4(low, at: bin) * factor
      let b = Complex4(high, at: bin) * factor
      a.store(output, at: bin)
      // The first bin has a mirror only here, one behind the last.
      Complex4(rt_reversed(b.real), rt_reversed(SIMD4<Float>(repeating: 0) - b.imaginary))
        .store(output, at: size &- bin &- 3)
      bin &+= 4
    }
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
