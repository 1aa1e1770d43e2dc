internal import CRealtime

/// A place on the tape around which a grain is cut.
struct VoiceMark: BitwiseCopyable {
  /// Its place, in frames of tape with 32 binary places.
  var place: Int64
  /// How far behind the mark before it is, likewise.
  var span: Int64
  /// How long a period is here, likewise; between unvoiced marks, how far they are apart.
  var period: Int64
  /// Whether the sound repeats itself from mark to mark.
  var isVoiced: Bool
  /// How like the surroundings of the mark before its own are.
  var clarity: Float
  /// By how much it and those before it were moved from the same spot of the wave, likewise.
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

/// The marks of a voice: one a period, each at the same spot of the wave, from which they slowly
/// move to where the power of the period is.
///
/// The chain grows as far as the tape may be looked at. Where there is no period, marks are
/// evenly apart.
struct VoiceMarks: ~Copyable, @unchecked Sendable {
  private static var size: Int { @_noLocks get { 64 } }
  // How unlike a period may be to the one before until the voice is taken to have ended, and
  // how like it must be for one to begin.
  private static var enough: Float { @_noLocks get { 0.3 } }
  private static var plenty: Float { @_noLocks get { 0.5 } }
  // How much of the way to the middle of the power a mark is moved, and how much of a period at
  // most.
  private static var shareOfMove: Float { @_noLocks get { 0.1 } }
  private static var longestMove: Float { @_noLocks get { 0.03 } }
  // The power of high partials tells the middle best: from so much on they are weaker.
  private static var emphasis: Float { @_noLocks get { 0.95 } }

  /// The number of the newest mark.
  private(set) var newest = 0
  /// The number of the first mark of the chain.
  private(set) var first = 0
  /// How far unvoiced marks are apart, in frames.
  let gap: Int
  /// How far they are apart where the rate is not 1: long enough for low notes.
  let wideGap: Int

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
    marks = .allocate(capacity: Self.size)
    marks.initialize(
      repeating: VoiceMark(place: 0, span: 0, period: 0, isVoiced: false, clarity: 0),
      count: Self.size)
    old = .allocate(capacity: 5 * room)
    old.initialize(repeating: 0, count: 5 * room)
    new = old + room
    coarseOld = new + room
    coarseNew = coarseOld + room
    scores = coarseNew + room
  }

  deinit {
    marks.deallocate()
    old.deallocate()
  }

  @_noLocks
  subscript(_ number: Int) -> VoiceMark {
    marks[number & (Self.size &- 1)]
  }

  /// Whether a mark is in the chain and still known.
  @_noLocks
  func has(_ number: Int) -> Bool {
    number >= first && number <= newest && number > newest &- Self.size
  }

  /// Begins a new chain; the marks of the old one stay known for a while.
  @_noLocks
  mutating func restart(at mark: VoiceMark) {
    newest &+= 1
    first = newest
    marks[newest & (Self.size &- 1)] = mark
  }

  /// Adds a mark, looking at the tape up to frame `end`; whether there is one.
  @_noLocks
  mutating func extend(
    _ tape: borrowing Tape, upTo end: Int64, toward target: Int64,
    by tracker: borrowing PitchTracker
  ) -> Bool {
    let last = self[newest]
    let apart = Int64(gap) << 32
    guard tracker.isVoiced else {
      append(at: last.place &+ apart, period: apart, isVoiced: false, clarity: 0)
      return true
    }
    let frames = max(4, Int(tracker.period))
    let run = max(frames, shortestRun)
    if last.isVoiced {
      // Mostly the last step was this long too, and is known more exactly and later.
      let lastPeriod = Float(Double(last.period) / VoicePlaces.unit)
      let isNear = abs(lastPeriod - tracker.period) < 0.12 * tracker.period
      let radius = max(3, frames / 10)
      var expected = isNear ? 0.5 * (lastPeriod + tracker.period) : tracker.period
      let known = Float(Int(end &- (last.place >> 32)) &- radius &- 4 &- frames / 8)
      if expected > known && lastPeriod < known { expected = lastPeriod }
      let predicted = last.place &+ VoicePlaces.of(Double(expected))
      let spare = Int((end &- (predicted >> 32))) &- radius &- 2
      if spare < frames / 8 { return false }
      let ahead = min(run / 2, spare)
      let found = align(
        tape, mono: tracker.mono, from: last.place, to: predicted, radius: radius,
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
    // A voice begins: at the spot of a period where its power rises.
    let begin = max(last.place &+ apart / 4, min(target, end << 32) &- Int64(frames) << 31)
    let rise = max(8, frames / 5)
    let count = min(frames, Int(end &- (begin >> 32)) &- rise &- 2)
    if count >= frames / 2 {
      let place = onset(tape, mono: tracker.mono, from: begin >> 32, count: count, rise: rise) << 32
      let step = VoicePlaces.of(Double(tracker.period))
      let ahead = min(run / 2, Int(end &- (place >> 32)))
      let found = align(
        tape, mono: tracker.mono, from: place, to: place &- step, radius: max(3, frames / 10),
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

  /// By how much a mark is to be moved toward the middle of its period's power.
  ///
  /// A grain around another place sounds hollow at another pitch: neighbouring partials are against
  /// each other there, and what is heard between them is less than either.
  @_noLocks
  private func way(
    from place: Int64, frames: Int, first: Int64, count: Int
  ) -> Int64 {
    let parts = frames / factor
    let whole = parts &* factor
    // What it was compared by is still there.
    let at = Int((place >> 32) &- first)
    let begin = max(1, min(at &+ frames / 2, count) &- whole)
    for index in 0..<whole {
      let sound = new[begin &+ index] - Self.emphasis * new[begin &+ index &- 1]
      old[index] = sound * sound
    }
    shrink(old, to: coarseNew, count: parts)
    for spare in parts..<(parts &+ 3) { coarseNew[spare] = 0 }
    // The power of each part, turned by its place; four parts at a time.
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
    let from = UnsafeRawPointer(coarseNew)
    var part = 0
    while part < parts {
      let power = from.loadUnaligned(fromByteOffset: part &* 4, as: SIMD4<Float>.self)
      powers += power
      reals += power * x
      imaginaries += power * y
      (x, y) = (x * far - y * farSine, x * farSine + y * far)
      part &+= 4
    }
    let (real, imaginary, all) = (reals.sum(), imaginaries.sum(), powers.sum())
    // Of a plain tone the power is everywhere, and has no middle.
    let share = rt_square_root(real * real + imaginary * imaginary) / (all + 1e-20)
    let weight = Self.shareOfMove * max(0, min(1, 4 * (share - 0.1)))
    var middle = Float(rt_angle(Double(imaginary), Double(real)) / turn)
    middle += Float(begin &- at) + 0.5 * Float(factor &- 1)
    // A period further on it is the same.
    if middle < -0.5 * Float(whole) { middle += Float(whole) }
    let most = Self.longestMove * Float(frames)
    return VoicePlaces.of(Double(max(-most, min(most, weight * middle))))
  }

  /// The frame at which the power behind is greatest against the power before.
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

  /// Finds the place near another where the tape is most like it is around a third; and how like.
  ///
  /// Looks at `behind` frames before the places and `ahead` behind them, up to `radius` frames
  /// beside the second: first on a coarse copy, then where that was best.
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
    // False for NaN, for silence, and for what is too great to be squared.
    let power = rt_product(old, old, count)
    if !(power > 1e-12 && power < 1e30) { return (predicted, 0) }

    // Sums of `factor` samples tell where to look closer.
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
    // The reference's own fraction stays.
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

  /// The normalised correlation at each lag.
  @_noLocks
  private func score(
    _ short: UnsafePointer<Float>, _ long: UnsafePointer<Float>, count: Int, lags: Int
  ) {
    let own = rt_product(short, short, count)
    // What is 60 dB below isn't compared.
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
