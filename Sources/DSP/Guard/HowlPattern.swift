internal import CRealtime

/// The pattern in which a probe turns the phase, and the answers that a loop would give to it.
///
/// Around a loop the phase is turned again and again, so that the tone's frequency moves: its phase
/// follows the sum of what was turned. Where the way round is short and spread by the room, that is
/// a ramp; where it is long, stairs. An answer is kept without what any steady tone has, an offset
/// and a slope, and with length 1.
struct HowlPattern: ~Copyable {
  /// The turns of a hop each, times `radians`: no two parts are alike, and their sum is 0.
  static var turns: SIMD16<Float> {
    @_noLocks get {
      SIMD16(1, 1, -1, -1, -1, -1, 1, 1, -1, -1, 1, 1, 1, 1, -1, -1)
    }
  }

  /// How far the phase is turned.
  static var radians: Float { @_noLocks get { 0.5 } }
  /// The fewest and the most hops after which an answer is judged.
  static var fewest: Int { @_noLocks get { 11 } }
  static var most: Int { @_noLocks get { 25 } }

  /// How well an answer fits what was heard.
  struct Fit: BitwiseCopyable {
    /// The share of the movement that it explains, 0 to 1.
    var share: Float = 0
    /// The radians that the phase moves in a hop in which it is turned by one radian.
    var speed: Float = 0
    /// The hops from a turn to its answer.
    var lag: Float = 0
    /// Whether a way round answers so late, and as fast as that late: neither at once, before the turn
    /// has come round, nor at another speed than it takes.
    ///
    /// Of 350 howls of 33 rooms one answered otherwise, and of 17 tones of instruments that came near
    /// enough in four hours, all but two did.
    var isRound: Bool {
      @_noLocks get {
        isLikely && speed * max(HowlPattern.longestRound, lag - 1) >= 1
      }
    }

    fileprivate var isLikely = false
  }

  // The longest round of a short lag, in hops.
  fileprivate static var longestRound: Float { @_noLocks get { 4.2 } }

  private static var count: Int { @_noLocks get { 26 } }
  private static var firstLikely: Int { @_noLocks get { 8 } }
  // Ramps, by the hops that they are late: first those that none answers by, which are there so that what
  // is nearer to them is not taken for another. And stairs, by the hops of the way round.
  private static let unlikelyRamps = [1.5, 2, 2.5, 6.5, 7, 7.5, 8, 8.5]
  private static let ramps = (6...12).map { Double($0) / 2 }
  private static let stairs = (4...14).map { Double($0) / 2 }
  // A window's middle is two hops back; what it finds takes effect most of a hop later, and glides.
  private static let windowLag = 3.2

  private let answers: UnsafeMutablePointer<Float>
  private let scales: UnsafeMutablePointer<Float>
  private let lags: UnsafeMutablePointer<Float>

  init() {
    let lengths = Self.most - Self.fewest + 1
    answers = .allocate(capacity: Self.count * lengths * 32)
    answers.initialize(repeating: 0, count: Self.count * lengths * 32)
    scales = .allocate(capacity: Self.count * lengths)
    scales.initialize(repeating: 0, count: Self.count * lengths)
    lags = .allocate(capacity: Self.count)
    lags.initialize(repeating: 0, count: Self.count)
    var index = 0
    for late in Self.unlikelyRamps + Self.ramps {
      fill(index, late, Self.ramp(late: late))
      index += 1
    }
    for way in Self.stairs {
      fill(index, way + Self.windowLag, Self.stair(way: way))
      index += 1
    }
  }

  deinit {
    answers.deallocate()
    scales.deallocate()
    lags.deallocate()
  }

  // MARK: - Answers

  // The parts of a hop in which answers are drawn.
  private static let parts = 16

  private static func ramp(late: Double) -> [Double] {
    var sums = [0.0]
    for hop in 0..<40 { sums.append(sums[hop] + (hop < 16 ? Double(turns[hop]) : 0)) }
    return (0..<most).map { hop in
      let place = max(0, Double(hop) - late)
      let whole = Int(place)
      return sums[whole] + (place - Double(whole)) * (sums[whole + 1] - sums[whole])
    }
  }

  private static func stair(way: Double) -> [Double] {
    let length = 40 * parts
    let step = Int(way * Double(parts))
    var sums = [Double](repeating: 0, count: length)
    for place in step..<length {
      let turn = (place - step) / parts
      sums[place] = sums[place - step] + (turn < 16 ? Double(turns[turn]) : 0)
    }
    // As a window of four hops sees it, whose end is the present.
    let window = (1..<(4 * parts)).map { 1 - rt_cos(Double.pi * Double($0) / Double(2 * parts)) }
    let weight = window.reduce(0, +)
    let late = Int((windowLag - 2) * Double(parts))
    return (0..<most).map { hop in
      var sum = 0.0
      for (index, share) in window.enumerated() {
        let place = hop * parts - late - index
        if place >= 0 { sum += share * sums[place] }
      }
      return way * sum / weight
    }
  }

  private func fill(_ index: Int, _ lag: Double, _ answer: [Double]) {
    lags[index] = Float(lag)
    for length in Self.fewest...Self.most {
      let middle = Double(length - 1) / 2
      let mean = answer[..<length].reduce(0, +) / Double(length)
      var (slope, squares) = (0.0, 0.0)
      for hop in 0..<length {
        slope += answer[hop] * (Double(hop) - middle)
        squares += (Double(hop) - middle) * (Double(hop) - middle)
      }
      slope /= squares
      let rest = (0..<length).map { answer[$0] - mean - slope * (Double($0) - middle) }
      let power = rest.reduce(0) { $0 + $1 * $1 }
      let scale = power > 1e-9 ? 1 / power.squareRoot() : 0
      let place = index * (Self.most - Self.fewest + 1) + length - Self.fewest
      scales[place] = Float(scale)
      for hop in 0..<length { answers[place * 32 + hop] = Float(rest[hop] * scale) }
    }
  }

  // MARK: - Judging

  /// Finds the answer that fits phases of so many hops best.
  ///
  /// Turned late, a loop's tone falls: only such answers count.
  @_noLocks
  func fit(_ phases: UnsafePointer<Float>, hops: Int) -> Fit {
    var best = Fit()
    let power = Self.movement(phases, hops: hops)
    for index in 0..<Self.count {
      let place = index &* (Self.most &- Self.fewest &+ 1) &+ hops &- Self.fewest
      let answer = answers + place &* 32
      var sum: Float = 0
      for hop in 0..<hops { sum -= answer[hop] * phases[hop] }
      guard sum > 0 else { continue }
      let share = sum * sum / (power + 1e-12)
      if share > best.share {
        best.share = share
        best.speed = sum * scales[place] / Self.radians
        best.lag = lags[index]
        best.isLikely = index >= Self.firstLikely
      }
    }
    return best
  }

  /// The sum of squares of what phases move beside an even course.
  @_noLocks
  private static func movement(_ phases: UnsafePointer<Float>, hops: Int) -> Float {
    let middle = 0.5 * Float(hops &- 1)
    var mean: Float = 0
    var slope: Float = 0
    var squares: Float = 0
    for hop in 0..<hops {
      let place = Float(hop) - middle
      mean += phases[hop]
      slope += phases[hop] * place
      squares += place * place
    }
    mean /= Float(hops)
    slope /= squares
    var power: Float = 0
    for hop in 0..<hops {
      let rest = phases[hop] - mean - slope * (Float(hop) - middle)
      power += rest * rest
    }
    return power
  }
}
