internal import CRealtime

/// Finds the lag at which two stretches of tape are most alike.
///
/// The measure is the normalized cross-correlation, first on a decimated copy, then refined to a
/// fraction of a sample. For stereo it uses the sum of the channels, or their difference if that
/// has more energy, so both channels get the same lag.
struct LagFinder: ~Copyable {
  /// A lag and its correlation.
  struct Finding: BitwiseCopyable {
    /// The lag, in frames.
    var lag: Float
    /// The normalized correlation; 1 is an exact repetition.
    var likeness: Float
  }

  // The correlation window: enough of the lowest period to recognize it.
  private static var windowSeconds: Double { @_noLocks get { 0.014 } }
  // The window for aperiodic signals: little more than a crossfade, since anything further away
  // isn't heard together with it; and the part of it that lies under the crossfade.
  private static var closeSeconds: Double { @_noLocks get { 0.004 } }
  private static var aheadSeconds: Double { @_noLocks get { 0.001 } }
  // The sample rate of the decimated copy.
  private static var coarseHertz: Double { @_noLocks get { 8000 } }
  // Among similar correlations the shorter lag wins, because it adds less latency. If none is good,
  // the penalty is lower: complex sounds match only at few lags, which may be long.
  private static var costOfDistance: Float { @_noLocks get { 0.08 } }
  private static var lowCostOfDistance: Float { @_noLocks get { 0.02 } }

  // The number of correlation values on each side of the peak used for interpolation.
  static var wing: Int { @_noLocks get { 3 } }

  // How far the correlation between two samples can exceed that at the samples: 0.3 for a tone at
  // half of the Nyquist frequency.
  private static var mostBetween: Float { @_noLocks get { 0.4 } }

  // -120 dB of full scale.
  private static var silence: Float { @_noLocks get { 1e-6 } }

  let greatestLag: Int
  private let window: Int
  private let close: Int
  private let ahead: Int
  // The start and length of the compared range in the pattern and the field.
  private var first = 0
  private var count: Int
  // Whether the decimated copies match the pattern and the field.
  private var isShrunk = false
  private let coarse: Int
  private let buffers = Buffers()
  private let pattern: UnsafeMutablePointer<Float>
  private let field: UnsafeMutablePointer<Float>
  private let coarsePattern: UnsafeMutablePointer<Float>
  private let coarseField: UnsafeMutablePointer<Float>
  // The correlation at each offset of the decimated field.
  private let scores: UnsafeMutablePointer<Float>
  private var offsets = 0
  // The best offset of the last search.
  private var offset = 0

  init(sampleRate: Double, greatestLag: Int) {
    // At four times speed, lags are longer by the length of the crossfade.
    self.greatestLag = 2 * greatestLag
    coarse = max(1, Int(sampleRate / Self.coarseHertz))
    window = Int(Self.windowSeconds * sampleRate) / (8 * coarse) * 8 * coarse
    close = max(1, Int(Self.closeSeconds * sampleRate) / (8 * coarse)) * 8 * coarse
    ahead = min(Int(Self.aheadSeconds * sampleRate), close)
    count = window
    let most = 2 * greatestLag + window + 8 * coarse
    let stretch = window + ahead
    pattern = buffers.floats(2 * stretch + 3 * most)
    field = pattern + stretch
    coarsePattern = field + most
    coarseField = coarsePattern + stretch
    scores = coarseField + most
  }

  /// Returns the best lag from `least` to `greatest`, forward or backward from the stretch that
  /// ends at `end`.
  ///
  /// The result is only approximate if its correlation clearly can't reach `worth`.
  @_noLocks
  mutating func search(
    _ tape: borrowing Tape, end: Int64, from least: Int, to greatest: Int, isForward: Bool,
    worth: Float = -1
  ) -> Finding {
    load(tape, end: end, from: least, to: greatest, isForward: isForward)
    let span = greatest &- least
    score(span: span)
    offset = best(from: 0, to: span, isNearestFirst: isForward)
    let found = refine(near: offset, to: span, worth: worth)
    let lag = Float(isForward ? least : -greatest) + found.lag
    return Finding(lag: isForward ? lag : -lag, likeness: found.likeness)
  }

  /// Loads the data for a search from `least` to `greatest`.
  @_noLocks
  mutating func load(
    _ tape: borrowing Tape, end: Int64, from least: Int, to greatest: Int, isForward: Bool
  ) {
    // The field spans the earliest to the latest lag on the tape.
    let earliest = isForward ? Int64(least) : -Int64(greatest)
    let start = end &- Int64(window)
    let side = copyStretch(tape, at: start)
    copyField(tape, at: start &+ earliest, frames: greatest &- least &+ window, side: side)
    if isForward { copyAhead(tape, at: end, side: side) }
  }

  /// Returns the best lag of the last search with a lower penalty on distance, if it differs.
  @_noLocks
  mutating func searchFar(
    from least: Int, to greatest: Int, isForward: Bool, worth: Float
  ) -> Finding? {
    let span = greatest &- least
    let far = best(
      from: 0, to: span, isNearestFirst: isForward, costOfDistance: Self.lowCostOfDistance)
    if far == offset { return nil }
    let found = refine(near: far, to: span, worth: worth)
    let lag = Float(isForward ? least : -greatest) + found.lag
    return Finding(lag: isForward ? lag : -lag, likeness: found.likeness)
  }

  /// The reduction in range of a forward short-window search, in frames.
  var framesAhead: Int { @_noLocks get { ahead } }

  /// Returns the best of the loaded lags, comparing only the range heard during the crossfade.
  ///
  /// In a forward search part of that lies after the source, so the lags are shorter by as much.
  @_noLocks
  mutating func searchClosely(from least: Int, to greatest: Int, isForward: Bool) -> Finding {
    count = close
    first = window &- close &+ (isForward ? ahead : 0)
    let earliest = isForward ? least : -greatest
    let span = greatest &- least &- (isForward ? ahead : 0)
    score(span: span)
    let found = refine(near: best(from: 0, to: span, isNearestFirst: isForward), to: span)
    let lag = Float(earliest) + found.lag
    return Finding(lag: isForward ? lag : -lag, likeness: found.likeness)
  }

  /// Returns the best lag from `nearest` to `greatest` among those of the last short-window search,
  /// which started at `least`.
  @_noLocks
  mutating func searchAgain(
    from nearest: Int, least: Int, to greatest: Int, isForward: Bool
  ) -> Finding {
    let first = isForward ? nearest &- least : 0
    let last = isForward ? greatest &- least &- ahead : greatest &- nearest
    let offset = best(from: first, to: last, isNearestFirst: isForward)
    let found = refine(near: offset, from: first, to: last)
    let lag = Float(isForward ? least : -greatest) + found.lag
    return Finding(lag: isForward ? lag : -lag, likeness: found.likeness)
  }

  /// Returns the best position at or shortly before `target` for a stretch like the one that ends
  /// at `end`.
  ///
  /// The lag is the distance before `target`, in frames.
  @_noLocks
  mutating func search(
    _ tape: borrowing Tape, end: Int64, endingBefore target: Int64
  ) -> Finding {
    let span = greatestLag / 2
    let side = copyStretch(tape, at: end &- Int64(window))
    copyField(
      tape, at: target &- Int64(span &+ window), frames: span &+ window, side: side)
    score(span: span)
    let found = refine(near: best(from: 0, to: span, isNearestFirst: false), to: span)
    return Finding(lag: Float(span) - found.lag, likeness: found.likeness)
  }

  /// Returns the best lag within a few frames of `lag`.
  ///
  /// The result is only approximate if its correlation clearly can't reach `worth`.
  @_noLocks
  mutating func refine(
    _ tape: borrowing Tape, end: Int64, near lag: Int, isForward: Bool, worth: Float
  ) -> Finding {
    let span = 2 &* (coarse &+ Self.wing)
    let start = end &- Int64(window)
    let earliest = Int64(isForward ? lag : -lag) &- Int64(span / 2)
    let side = copyStretch(tape, at: start)
    copyField(tape, at: start &+ earliest, frames: span &+ window, side: side)
    let found = refine(near: span / 2, to: span, worth: worth)
    let moved = Float(earliest) + found.lag
    return Finding(lag: isForward ? moved : -moved, likeness: found.likeness)
  }

  /// Returns the correlation of the stretches that end at two positions.
  @_noLocks
  mutating func compare(_ tape: borrowing Tape, end: Int64, with other: Int64) -> Finding {
    let side = copyStretch(tape, at: end &- Int64(window))
    copyField(tape, at: other &- Int64(window), frames: window, side: side)
    let scale = 1 / rt_square_root(rt_product(pattern, pattern, window) + 1e-12)
    let energy = rt_product(field, field, window)
    return Finding(lag: 0, likeness: likeness(at: 0, energy: energy, scale: scale))
  }

  /// Whether a range of tape, and the window before it, is silent.
  @_noLocks
  func isSilent(_ tape: borrowing Tape, from start: Int64, frames: Int) -> Bool {
    let first = start &- Int64(window)
    let (left, right) = (tape.left(at: first), tape.right(at: first))
    let count = window &+ frames
    return Magnitude(left, frames: count).bits < Self.silence.bitPattern
      && Magnitude(right, frames: count).bits < Self.silence.bitPattern
  }

  // MARK: - The two stretches

  /// Copies the pattern and returns the sign with which the right channel is added.
  @_noLocks
  private mutating func copyStretch(_ tape: borrowing Tape, at start: Int64) -> Float {
    let (left, right) = (tape.left(at: start), tape.right(at: start))
    let side: Float = rt_product(left, right, window) < 0 ? -1 : 1
    (first, count, isShrunk) = (0, window, false)
    for frame in 0..<window { pattern[frame] = left[frame] + side * right[frame] }
    return side
  }

  @_noLocks
  private mutating func copyAhead(_ tape: borrowing Tape, at end: Int64, side: Float) {
    let (left, right) = (tape.left(at: end), tape.right(at: end))
    for frame in 0..<ahead { pattern[window &+ frame] = left[frame] + side * right[frame] }
  }

  @_noLocks
  private mutating func copyField(
    _ tape: borrowing Tape, at start: Int64, frames: Int, side: Float
  ) {
    let (left, right) = (tape.left(at: start), tape.right(at: start))
    for frame in 0..<frames { field[frame] = left[frame] + side * right[frame] }
  }

  // MARK: - Comparing

  /// Correlates the decimated pattern with the decimated field at all offsets.
  @_noLocks
  private mutating func score(span: Int) {
    let count = self.count / coarse
    offsets = span / coarse &+ 1
    // A range that starts between two decimated samples has no copy yet.
    let skipped = isShrunk && first % coarse == 0 ? first / coarse : 0
    let (coarsePattern, coarseField) = (coarsePattern + skipped, coarseField + skipped)
    if skipped == 0 {
      shrink(pattern + first, to: coarsePattern, count: count)
      shrink(field + first, to: coarseField, count: count &+ offsets &- 1)
      isShrunk = first == 0
    }
    let scale = 1 / rt_square_root(rt_product(coarsePattern, coarsePattern, count) + 1e-9)
    var energy = rt_product(coarseField, coarseField, count) + 1e-9
    var offset = 0
    while offset < offsets {
      let products = rt_products(coarsePattern, coarseField + offset, count)
      var energies = SIMD4<Float>(repeating: 0)
      for next in 0..<4 {
        let (old, new) = (coarseField[offset &+ next], coarseField[offset &+ next &+ count])
        energies[next] = max(energy, 1e-9)
        energy += new * new - old * old
      }
      // Writes up to three entries more than needed; there is room.
      scores.setFour(at: offset, products * scale / rt_square_roots(energies))
      offset &+= 4
    }
  }

  /// Returns the offset of the best score from `first` to `last`, within a frame or two.
  @_noLocks
  private func best(
    from first: Int, to last: Int, isNearestFirst: Bool,
    costOfDistance: Float = LagFinder.costOfDistance
  ) -> Int {
    let (lowest, highest) = ((first &+ coarse &- 1) / coarse, last / coarse)
    let cost = costOfDistance / Float(highest &- lowest &+ 1)
    let best = highestScore(
      from: lowest, through: max(highest, lowest), cost: isNearestFirst ? cost : -cost,
      free: isNearestFirst ? lowest : highest)
    guard best > lowest && best < highest else { return best &* coarse }
    // A parabola through three scores shortens the hill climb.
    let (before, here, behind) = (scores[best &- 1], scores[best], scores[best &+ 1])
    let bend = before - 2 * here + behind
    let moved = bend < 0 ? (before - behind) / (2 * bend) : 0
    return best &* coarse &+ Int(min(max(moved, -0.5), 0.5) * Float(coarse))
  }

  /// Returns the first offset with the highest score, after subtracting `cost` per offset from
  /// `free` on.
  @_noLocks
  private func highestScore(from lowest: Int, through highest: Int, cost: Float, free: Int) -> Int {
    let eighth = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
    var bestScores = SIMD8<Float>(repeating: -2)
    var places = SIMD8<Int32>(repeating: Int32(truncatingIfNeeded: lowest))
    var offset = lowest
    while offset &+ 8 <= highest &+ 1 {
      let distances = SIMD8<Float>(eighth &+ Int32(truncatingIfNeeded: offset &- free))
      let costs = cost * distances
      let here = scores.eight(at: offset) - costs
      let isBetter = here .> bestScores
      bestScores.replace(with: here, where: isBetter)
      places.replace(with: eighth &+ Int32(truncatingIfNeeded: offset), where: isBetter)
      offset &+= 8
    }
    var best = Int(places[0])
    var bestScore = bestScores[0]
    for lane in 1..<8 {
      let isFirst = Int(places[lane]) < best
      if bestScores[lane] > bestScore || bestScores[lane] == bestScore && isFirst {
        (bestScore, best) = (bestScores[lane], Int(places[lane]))
      }
    }
    while offset <= highest {
      let here = scores[offset] - cost * Float(offset &- free)
      if here > bestScore { (bestScore, best) = (here, offset) }
      offset &+= 1
    }
    return best
  }

  @_noLocks
  private func shrink(
    _ from: UnsafePointer<Float>, to: UnsafeMutablePointer<Float>, count: Int
  ) {
    // Constant lengths let the compiler unroll the sums for 44.1 and 48 kHz.
    switch coarse {
    case 5: shrink(from, to: to, count: count, by: 5)
    case 6: shrink(from, to: to, count: count, by: 6)
    default: shrink(from, to: to, count: count, by: coarse)
    }
  }

  @_noLocks @inline(__always)
  private func shrink(
    _ from: UnsafePointer<Float>, to: UnsafeMutablePointer<Float>, count: Int, by coarse: Int
  ) {
    for index in 0..<count {
      var sum: Float = 0
      for part in 0..<coarse { sum += from[index &* coarse &+ part] }
      to[index] = sum
    }
  }

  /// Climbs from an offset to the local maximum and interpolates it, unless its correlation can't
  /// reach `worth`.
  @_noLocks
  private func refine(
    near offset: Int, from least: Int = 0, to most: Int, worth: Float = -1
  ) -> Finding {
    let own = pattern + first
    let scale = 1 / rt_square_root(rt_product(own, own, count) + 1e-12)
    let (lowest, highest) = (least &+ Self.wing, most &- Self.wing)
    var middle = min(max(offset, lowest), highest)
    let there = field + (first &+ middle)
    var energy = rt_product(there, there, count)
    var here = likeness(at: middle, energy: energy, scale: scale)
    var steps = 2 &* coarse &+ 2
    var isRising = true
    var isClimbing = true
    // First in one direction as long as it rises, then in the other.
    while isClimbing && steps > 0 {
      steps &-= 1
      let next = middle &+ (isRising ? 1 : -1)
      let isInside = next >= lowest && next <= highest
      let moved = isInside ? self.energy(energy, from: middle, to: next) : 0
      let other = isInside ? likeness(at: next, energy: moved, scale: scale) : -2
      if other > here {
        (middle, here, energy) = (next, other, moved)
      } else if isRising {
        isRising = false
      } else {
        isClimbing = false
      }
    }
    if here < worth - Self.mostBetween { return Finding(lag: Float(middle), likeness: here) }
    return peak(around: middle, energy: energy, scale: scale)
  }

  /// Returns the interpolated maximum of the correlation around `middle`.
  ///
  /// With high partials the correlation is too sharp for a parabola through three points. A
  /// polynomial of degree 6 through seven points locates the peak to a few thousandths of a frame.
  @_noLocks
  private func peak(around middle: Int, energy: Float, scale: Float) -> Finding {
    // One minus the correlation: small numbers keep their precision.
    let lower = rt_products(pattern + first, field + (first &+ middle &- 3), count)
    let upper = rt_products(pattern + first, field + (first &+ middle &+ 1), count)
    let here = 1 - lower[3] * scale / rt_square_root(energy + 1e-12)
    var (up, down) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
    var (above, below) = (energy, energy)
    for distance in 1...Self.wing {
      above = self.energy(above, from: middle &+ distance &- 1, to: middle &+ distance)
      below = self.energy(below, from: middle &- distance &+ 1, to: middle &- distance)
      up[distance &- 1] = 1 - upper[distance &- 1] * scale / rt_square_root(above + 1e-12)
      down[distance &- 1] = 1 - lower[3 &- distance] * scale / rt_square_root(below + 1e-12)
    }
    let odd = (up - down) * 0.5
    let even = (up + down) * 0.5 - here
    // The coefficients of the polynomial through the seven points.
    let c1 = odd.x * 1.5 - odd.y * 0.3 + odd.z * (1 / 30)
    let c3 = odd.x * (-13 / 24) + odd.y * (1 / 3) - odd.z * (1 / 24)
    let c5 = odd.x * (1 / 24) - odd.y * (1 / 30) + odd.z * (1 / 120)
    let c2 = even.x * 1.5 - even.y * 0.15 + even.z * (1 / 90)
    let c4 = even.x * (-13 / 24) + even.y * (1 / 6) - even.z * (1 / 72)
    let c6 = even.x * (1 / 24) - even.y * (1 / 60) + even.z * (1 / 360)
    var x: Float = 0
    for _ in 0..<4 {
      let slope =
        c1 + x * (2 * c2 + x * (3 * c3 + x * (4 * c4 + x * (5 * c5 + x * 6 * c6))))
      let bend = 2 * c2 + x * (6 * c3 + x * (12 * c4 + x * (20 * c5 + x * 30 * c6)))
      // Without upward curvature there is no minimum.
      if bend > 1e-9 { x = min(max(x - slope / bend, -0.6), 0.6) }
    }
    return Finding(lag: Float(middle) + x, likeness: 1 - here)
  }

  /// Returns the energy under the pattern at an offset, updated from that of its neighbor.
  @_noLocks
  private func energy(_ energy: Float, from old: Int, to new: Int) -> Float {
    let (lost, won) =
      new > old
      ? (field[first &+ old], field[first &+ old &+ count])
      : (field[first &+ new &+ count], field[first &+ new])
    return max(energy + won * won - lost * lost, 0)
  }

  @_noLocks
  private func likeness(at offset: Int, energy: Float, scale: Float) -> Float {
    rt_product(pattern + first, field + (first &+ offset), count) * scale
      / rt_square_root(energy + 1e-12)
  }
}
