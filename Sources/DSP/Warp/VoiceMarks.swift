internal import CRealtime

/// A pitch mark: a position on the tape around which a grain is cut.
struct VoiceMark: BitwiseCopyable {
  /// The position in frames of tape, 32.32 fixed-point.
  var place: Int64
  /// The distance from the mark before, 32.32 fixed-point.
  var span: Int64
  /// The local period, 32.32 fixed-point; between unvoiced marks, their distance.
  var period: Int64
  /// Whether the signal repeats from mark to mark.
  var isVoiced: Bool
  /// The correlation with the surroundings of the mark before.
  var clarity: Float
  /// The accumulated offset from the same phase of the waveform, 32.32 fixed-point.
  var moved: Int64 = 0

  @_noLocks
  init(place: Int64, span: Int64, period: Int64, isVoiced: Bool, clarity: Float) {
    self.place = place
    self.span = span
    self.period = period
    self.isVoiced = isVoiced
    self.clarity = clarity
  }
}

/// The pitch marks of a voice: one per period, each at the same phase of the waveform, drifting
/// slowly toward the center of the period's energy.
///
/// The chain grows as far as the tape may be read. In unvoiced parts the marks are equidistant.
struct VoiceMarks: ~Copyable, @unchecked Sendable {
  private static var size: Int { @_noLocks get { 64 } }
  // The correlation of consecutive periods below which a voice is considered to have ended, and
  // above which one may start.
  private static var enough: Float { @_noLocks get { 0.3 } }
  private static var plenty: Float { @_noLocks get { 0.5 } }
  // The share of the distance to the energy center by which a mark moves, and its limit as a share
  // of the period.
  private static var shareOfMove: Float { @_noLocks get { 0.1 } }
  private static var longestMove: Float { @_noLocks get { 0.03 } }
  // Pre-emphasis: the energy of high partials locates the center best.
  private static var emphasis: Float { @_noLocks get { 0.95 } }

  /// The number of the newest mark.
  private(set) var newest = 0
  /// The number of the first mark of the chain.
  private(set) var first = 0
  /// The distance of unvoiced marks, in frames.
  let gap: Int
  /// The distance of unvoiced marks at rates other than 1: long enough for low notes.
  let wideGap: Int

  private let buffers = Buffers()
  private let marks: UnsafeMutablePointer<VoiceMark>
  private let longest: Int
  private let shortestRun: Int
  private let factor: Int
  private let room: Int
  private let old: UnsafeMutablePointer<Float>
  private let new: UnsafeMutablePointer<Float>
  private let coarseOld: UnsafeMutablePointer<Float>
  private let coarseNew: UnsafeMutablePointer<Float>
  private let scores: UnsafeMutablePointer<Float>

  init(sampleRate: Double) {
    longest = Int((sampleRate / PitchTracker.lowest).rounded(.up)) + 2
    shortestRun = Int(sampleRate * 0.0025)
    gap = Int(sampleRate * 0.006)
    wideGap = Int(sampleRate * 0.010)
    factor = max(1, Int((sampleRate / 12_000).rounded()))
    room = 4 * longest + 64
    marks = buffers.filled(
      with: VoiceMark(place: 0, span: 0, period: 0, isVoiced: false, clarity: 0), count: Self.size)
    old = buffers.floats(5 * room)
    new = old + room
    coarseOld = new + room
    coarseNew = coarseOld + room
    scores = coarseNew + room
  }

  @_noLocks
  subscript(_ number: Int) -> VoiceMark {
    marks[number & (Self.size &- 1)]
  }

  /// Whether a mark is in the chain and still stored.
  @_noLocks
  func has(_ number: Int) -> Bool {
    number >= first && number <= newest && number > newest &- Self.size
  }

  /// Starts a new chain; the marks of the old one remain stored for a while.
  @_noLocks
  mutating func restart(at mark: VoiceMark) {
    newest &+= 1
    first = newest
    marks[newest & (Self.size &- 1)] = mark
  }

  /// Appends a mark of a voice with that pitch, reading the tape up to frame `end`, and returns whether it could.
  @_noLocks
  mutating func extend(
    _ tape: borrowing Tape, upTo end: Int64, toward target: Int64,
    by pitch: VoicePitch
  ) -> Bool {
    let last = self[newest]
    let apart = Int64(gap) << 32
    guard pitch.isVoiced else {
      append(at: last.place &+ apart, period: apart, isVoiced: false, clarity: 0)
      return true
    }
    let frames = max(4, Int(pitch.period))
    let run = max(frames, shortestRun)
    if last.isVoiced {
      // The last period is usually a good estimate too, and is more exact and more recent.
      let lastPeriod = Float(Double(last.period) / VoicePlaces.unit)
      let isNear = abs(lastPeriod - pitch.period) < 0.12 * pitch.period
      let radius = max(3, frames / 10)
      var expected = isNear ? 0.5 * (lastPeriod + pitch.period) : pitch.period
      let known = Float(Int(end &- (last.place >> 32)) &- radius &- 4 &- frames / 8)
      if expected > known && lastPeriod < known { expected = lastPeriod }
      let predicted = last.place &+ VoicePlaces.of(Double(expected))
      let spare = Int((end &- (predicted >> 32))) &- radius &- 2
      if spare < frames / 8 { return false }
      let ahead = min(run / 2, spare)
      let found = align(
        tape, mono: pitch.mono, from: last.place, to: predicted, radius: radius,
        behind: run &- ahead, ahead: ahead)
      if found.clarity > Self.enough {
        let behind = run &- ahead &+ radius &+ 1
        let move = way(
          from: found.place, frames: frames, first: (predicted >> 32) &- Int64(behind),
          count: run &+ 2 &* radius &+ 3)
        append(
          at: found.place &+ move, period: found.place &- last.place, isVoiced: true,
          clarity: found.clarity)
        marks[newest & (Self.size &- 1)].moved = last.moved &+ move
      } else {
        append(at: predicted, period: apart, isVoiced: false, clarity: found.clarity)
      }
      return true
    }
    // A voice starts: place the mark where the energy of the period rises.
    let begin = max(last.place &+ apart / 4, min(target, end << 32) &- Int64(frames) << 31)
    let rise = max(8, frames / 5)
    let count = min(frames, Int(end &- (begin >> 32)) &- rise &- 2)
    if count >= frames / 2 {
      let place = onset(tape, mono: pitch.mono, from: begin >> 32, count: count, rise: rise) << 32
      let step = VoicePlaces.of(Double(pitch.period))
      let ahead = min(run / 2, Int(end &- (place >> 32)))
      let found = align(
        tape, mono: pitch.mono, from: place, to: place &- step, radius: max(3, frames / 10),
        behind: run &- ahead, ahead: ahead)
      if found.clarity > Self.plenty {
        append(at: place, period: step, isVoiced: true, clarity: found.clarity)
        return true
      }
    }
    append(at: last.place &+ apart, period: apart, isVoiced: false, clarity: 0)
    return true
  }

  @_noLocks
  private mutating func append(at place: Int64, period: Int64, isVoiced: Bool, clarity: Float) {
    let span = place &- self[newest].place
    newest &+= 1
    marks[newest & (Self.size &- 1)] = VoiceMark(
      place: place, span: span, period: period, isVoiced: isVoiced, clarity: clarity)
  }

  /// Returns the distance by which a mark should move toward the energy center of its period.
  ///
  /// Grains centered elsewhere sound hollow at another pitch: neighboring partials are out of phase
  /// there, and the interpolated spectrum between them is weaker than either.
  @_noLocks
  private func way(
    from place: Int64, frames: Int, first: Int64, count: Int
  ) -> Int64 {
    let parts = frames / factor
    let whole = parts &* factor
    // `new` still holds the correlated range.
    let at = Int((place >> 32) &- first)
    let begin = max(1, min(at &+ frames / 2, count) &- whole)
    for index in 0..<whole {
      let sound = new[begin &+ index] - Self.emphasis * new[begin &+ index &- 1]
      old[index] = sound * sound
    }
    shrink(old, to: coarseNew, count: parts)
    for spare in parts..<(parts &+ 3) { coarseNew[spare] = 0 }
    // The first Fourier coefficient of the energy over one period, four parts at a time.
    let turn = 2 * Double.pi / Double(whole)
    let step = turn * Double(factor)
    let (cosine, sine) = (Float(rt_cos(step)), Float(rt_sin(step)))
    var (x, y) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
    x[0] = 1
    for part in 1..<4 {
      let (lastX, lastY) = (x[part &- 1], y[part &- 1])
      (x[part], y[part]) = (lastX * cosine - lastY * sine, lastX * sine + lastY * cosine)
    }
    let (double, doubleSine) = (cosine * cosine - sine * sine, 2 * cosine * sine)
    let (far, farSine) = (double * double - doubleSine * doubleSine, 2 * double * doubleSine)
    var (reals, imaginaries) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 0))
    var powers = SIMD4<Float>(repeating: 0)
    var part = 0
    while part < parts {
      let power = coarseNew.four(at: part)
      powers += power
      reals += power * x
      imaginaries += power * y
      (x, y) = (x * far - y * farSine, x * farSine + y * far)
      part &+= 4
    }
    let (real, imaginary, all) = (reals.sum(), imaginaries.sum(), powers.sum())
    // The energy of a pure tone is spread evenly and has no center.
    let share = rt_square_root(real * real + imaginary * imaginary) / (all + 1e-20)
    let weight = Self.shareOfMove * max(0, min(1, 4 * (share - 0.1)))
    var middle = Float(rt_angle(Double(imaginary), Double(real)) / turn)
    middle += Float(begin &- at) + 0.5 * Float(factor &- 1)
    // One period further is equivalent.
    if middle < -0.5 * Float(whole) { middle += Float(whole) }
    let most = Self.longestMove * Float(frames)
    return VoicePlaces.of(Double(max(-most, min(most, weight * middle))))
  }

  /// Returns the frame with the greatest rise in energy.
  @_noLocks
  private func onset(
    _ tape: borrowing Tape, mono: VoiceMono, from begin: Int64, count: Int, rise: Int
  ) -> Int64 {
    mono.read(tape, from: begin &- Int64(rise), count: count &+ 2 &* rise, to: old)
    var behind: Float = 0
    var before: Float = 0
    for index in 0..<rise {
      before += old[index] * old[index]
      behind += old[index &+ rise] * old[index &+ rise]
    }
    var best = behind - before
    var place = 0
    for index in 1..<max(1, count) {
      let leaving = old[index &- 1] * old[index &- 1]
      let middle = old[index &+ rise &- 1] * old[index &+ rise &- 1]
      let entering = old[index &+ 2 &* rise &- 1] * old[index &+ 2 &* rise &- 1]
      before += middle - leaving
      behind += entering - middle
      if behind - before > best {
        best = behind - before
        place = index
      }
    }
    return begin &+ Int64(place)
  }

  /// Finds the position near `predicted` where the tape correlates best with that around
  /// `reference`.
  ///
  /// Compares `behind` frames before the positions and `ahead` after them, up to `radius` frames
  /// around the predicted one: first on a decimated copy, then near the best result.
  @_noLocks
  func align(
    _ tape: borrowing Tape, mono: VoiceMono, from reference: Int64, to predicted: Int64,
    radius: Int, behind: Int, ahead: Int
  ) -> (place: Int64, clarity: Float) {
    let count = min(behind &+ ahead, room &- 2 &* radius &- 8)
    let at = (reference >> 32) &- Int64(behind)
    let around = (predicted >> 32) &- Int64(behind &+ radius &+ 1)
    let span = count &+ 2 &* radius &+ 3
    mono.read(tape, from: at, count: count, to: old)
    mono.read(tape, from: around, count: span, to: new)
    // False for NaN, for silence, and for values too large to be squared.
    let power = rt_product(old, old, count)
    if !(power > 1e-12 && power < 1e30) { return (predicted, 0) }

    // Sums of `factor` samples narrow the search.
    var low = 0
    var high = 2 &* radius &+ 2
    if radius > 2 &* factor && factor > 1 {
      let coarseCount = count / factor
      let coarseSpan = span / factor
      shrink(old, to: coarseOld, count: coarseCount)
      shrink(new, to: coarseNew, count: coarseSpan)
      let lags = coarseSpan &- coarseCount &+ 1
      score(coarseOld, coarseNew, count: coarseCount, lags: lags)
      var best = 0
      for lag in 0..<lags where scores[lag] > scores[best] { best = lag }
      low = max(0, best &* factor &- factor)
      high = min(high, best &* factor &+ factor)
    }
    let lags = high &- low &+ 1
    score(old, new + low, count: count, lags: lags)
    var best = 0
    for lag in 0..<lags where scores[lag] > scores[best] { best = lag }
    let clarity = scores[best]
    if !(clarity > 0) { return (predicted, 0) }
    var beside: Float = 0
    if best > 0 && best < lags &- 1 {
      beside = VoiceCorrelation.top(scores[best &- 1], clarity, scores[best &+ 1])
    }
    let moved = Int64(low &+ best &- radius &- 1) << 32 &+ VoicePlaces.of(Double(beside))
    // Keeps the fraction of the reference.
    let place = (predicted >> 32) << 32 &+ moved &+ Int64(reference & 0xFFFF_FFFF)
    return (place, min(1, clarity))
  }

  @_noLocks
  private func shrink(
    _ samples: UnsafePointer<Float>, to sums: UnsafeMutablePointer<Float>, count: Int
  ) {
    var index = 0
    if factor == 4 {
      let from = UnsafeRawPointer(samples)
      let to = UnsafeMutableRawPointer(sums)
      while index &+ 4 <= count {
        let sixteen = from.loadUnaligned(fromByteOffset: index &* 16, as: SIMD16<Float>.self)
        let eight = sixteen.evenHalf + sixteen.oddHalf
        to.storeBytes(of: eight.evenHalf + eight.oddHalf, toByteOffset: index &* 4, as: SIMD4.self)
        index &+= 4
      }
    }
    while index < count {
      var sum: Float = 0
      for part in 0..<factor { sum += samples[index &* factor &+ part] }
      sums[index] = sum
      index &+= 1
    }
  }

  /// Computes the normalized correlation at each lag.
  @_noLocks
  private func score(
    _ short: UnsafePointer<Float>, _ long: UnsafePointer<Float>, count: Int, lags: Int
  ) {
    let own = rt_product(short, short, count)
    // Energy 60 dB lower is ignored.
    let floor = own * 1e-6 + 1e-20
    let power = own + floor
    var other = rt_product(long, long, count)
    var lag = 0
    while lag &+ 4 <= lags {
      let four = rt_products(short, long + lag, count)
      for lane in 0..<4 { scores[lag &+ lane] = four[lane] }
      lag &+= 4
    }
    while lag < lags {
      scores[lag] = rt_product(short, long + lag, count)
      lag &+= 1
    }
    for lag in 0..<lags {
      scores[lag] = scores[lag] / rt_square_root(power * (max(other, 0) + floor))
      other += long[lag &+ count] * long[lag &+ count] - long[lag] * long[lag]
    }
  }
}
