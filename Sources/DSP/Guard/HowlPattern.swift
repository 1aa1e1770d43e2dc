internal import CRealtime

/// The phase pattern of a probe, and the responses a feedback loop would give to it.
///
/// A phase shift in a loop accumulates with each trip, so the tone's frequency moves: its phase
/// follows the running sum of the shifts. For a short loop smeared by the room this is a ramp, for
/// a long one a staircase. Responses are stored without offset and slope, which any steady tone
/// has, and normalized to unit length.
struct HowlPattern: ~Copyable {
  /// The shift per hop, in units of `radians`.
  ///
  /// No two parts are alike, and the sum is 0.
  static var turns: SIMD16<Float> {
    @_noLocks get {
      SIMD16(1, 1, -1, -1, -1, -1, 1, 1, -1, -1, 1, 1, 1, 1, -1, -1)
    }
  }

  /// The size of the phase shift, in radians.
  static var radians: Float { @_noLocks get { 0.5 } }
  /// The fewest and most hops after which a response is judged.
  static var fewest: Int { @_noLocks get { 11 } }
  static var most: Int { @_noLocks get { 25 } }

  /// The best match of a measured response.
  struct Fit: BitwiseCopyable {
    /// The share of the phase movement that the template explains, 0 to 1.
    var share: Float = 0
    /// The phase movement per hop, in radians, for a shift of one radian.
    var speed: Float = 0
    /// The lag of the response, in hops.
    var lag: Float = 0
    /// Whether lag and speed are plausible for an acoustic loop: the response can't arrive before
    /// one trip, nor at a speed other than the trip time implies.
    ///
    /// Of 350 howls in 33 rooms one responded otherwise. Of 17 instrument tones that came close
    /// enough in four hours, all but two did.
    var isRound: Bool {
      @_noLocks get {
        isLikely && speed * max(HowlPattern.longestRound, lag - 1) >= 1
      }
    }

    fileprivate var isLikely = false
  }

  // The longest loop for a short lag, in hops.
  fileprivate static var longestRound: Float { @_noLocks get { 4.2 } }

  private static var count: Int { @_noLocks get { 26 } }
  private static var firstLikely: Int { @_noLocks get { 8 } }
  // Ramps by their lag in hops, starting with implausible ones that keep near matches from being
  // taken for others, and staircases by their trip time in hops.
  private static let unlikelyRamps = [1.5, 2, 2.5, 6.5, 7, 7.5, 8, 8.5]
  private static let ramps = (6...12).map { Double($0) / 2 }
  private static let stairs = (4...14).map { Double($0) / 2 }
  // A window's center is two hops back. Detection takes effect most of a hop later, and glides.
  private static let windowLag = 3.2

  private let buffers = Buffers()
  private let answers: UnsafeMutablePointer<Float>
  private let scales: UnsafeMutablePointer<Float>
  private let lags: UnsafeMutablePointer<Float>

  init() {
    let lengths = Self.most - Self.fewest + 1
    answers = buffers.floats(Self.count * lengths * 32)
    scales = buffers.floats(Self.count * lengths)
    lags = buffers.floats(Self.count)
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

  // MARK: - Answers

  // Template resolution: subdivisions of a hop.
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
    // As seen by a window of four hops that ends at the present.
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

  /// Returns the template that best fits the phases of `hops` hops.
  ///
  /// A delay lowers a loop's frequency, so only responses of that sign count.
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

  /// Returns the sum of squares of the phases after removing offset and slope.
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
