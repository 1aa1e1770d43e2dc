internal import CRealtime

/// The time and the period of a clock, estimated from its jittery ticks.
///
/// Two polynomials are fitted to the ticks by least squares, with a memory that grows from the first tick up to
/// a limit: a straight line over twelve beats, the best estimate of a steady tempo, and a parabola over
/// three, which follows a ramp. The line holds until the parabola leaves it by more than noise explains;
/// then the parabola does, and the line starts again from it.
struct TickFilter: BitwiseCopyable {
  // The memories, in ticks.
  private static var lineTicks: Double { @_noLocks get { 288 } }
  private static var curveTicks: Double { @_noLocks get { 72 } }
  // The distance between the fits that is no noise, in standard deviations of the parabola.
  private static var evidence: Double { @_noLocks get { 3 } }
  // The ticks after which a deviation is judged.
  private static var leastKnown: Double { @_noLocks get { 24 } }
  // A tick this many standard deviations off, or this share of a period, is not of this tempo.
  private static var mostDeviations: Double { @_noLocks get { 6 } }
  private static var mostShare: Double { @_noLocks get { 0.05 } }
  // The number of such ticks in a row that are a new tempo.
  private static var ticksOfTempo: Int { @_noLocks get { 3 } }
  // No clock of 24 ticks a beat is faster than 1000 beats per minute, or slower than 10.
  private static var leastSeconds: Double { @_noLocks get { 0.0025 } }
  private static var longestSeconds: Double { @_noLocks get { 0.25 } }

  /// A polynomial that is fitted to the latest ticks: its value and slope at the last one.
  private struct Fit: BitwiseCopyable {
    var time = 0.0, period = 0.0, curve = 0.0
    /// The number of ticks that it remembers.
    var ticks = 0.0

    @_noLocks
    init() {}

    @_noLocks
    init(time: Double, period: Double, ticks: Double) {
      (self.time, self.period, self.ticks) = (time, period, ticks)
    }

    /// Advances a straight line by `steps` ticks, to one at a time; returns the deviation of that tick.
    @_noLocks
    mutating func addToLine(_ now: Double, steps: Double, most: Double) -> Double {
      ticks = min(ticks + steps, most)
      let scale = 1 / (ticks * (ticks + 1))
      time += steps * period
      let error = now - time
      time += 2 * (2 * ticks - 1) * scale * error
      period += 6 * scale * error
      return error
    }

    /// Advances a parabola in the same way.
    @_noLocks
    mutating func addToCurve(_ now: Double, steps: Double, most: Double) -> Double {
      ticks = min(ticks + steps, most)
      time += steps * period + steps * steps * curve / 2
      period += steps * curve
      let error = now - time
      if ticks < 3 {
        time = now
        period += error
        return error
      }
      let scale = 1 / (ticks * (ticks + 1) * (ticks + 2))
      time += 3 * (3 * ticks * ticks - 3 * ticks + 2) * scale * error
      period += 18 * (2 * ticks - 1) * scale * error
      curve += 60 * scale * error
      return error
    }
  }

  private let sampleRate: Double
  private var line = Fit(), curve = Fit()
  private var variance = 0.0
  // The ticks for which the parabola still holds.
  private var curveLeft = 0.0
  /// The number of the last tick of this tempo, counted from 0; -1 before the first.
  private(set) var number: Int64 = -1
  // The time of the latest tick, and how many in a row were not of this tempo since when.
  private var latest = 0.0
  private var strays = 0
  private var firstStray = 0.0
  private var shortest = 0.0, longest = 0.0

  @_noLocks
  init(sampleRate: Double) { self.sampleRate = sampleRate }

  /// Whether ticks have been received.
  var hasStarted: Bool { @_noLocks get { number >= 0 } }

  /// The number of the latest tick, which may be one of a new tempo.
  var latestNumber: Int64 { @_noLocks get { number &+ Int64(strays) } }

  /// The estimated time of the tick `number`, in frames.
  var time: Double { @_noLocks get { fit.time } }

  /// The estimated period of the ticks, in frames.
  var period: Double { @_noLocks get { fit.period } }

  /// The time of the latest tick as received, in frames.
  var latestTick: Double { @_noLocks get { latest } }

  /// The number of ticks that the estimate is based on.
  var memory: Int { @_noLocks get { Int(fit.ticks) } }

  /// The expected error of the estimated time, in frames: one standard deviation.
  var uncertainty: Double {
    @_noLocks get {
      (curveLeft > 0 ? 3 : 2) * deviation / Double(rt_square_root(Float(max(1, fit.ticks))))
    }
  }

  private var fit: Fit { @_noLocks get { curveLeft > 0 ? curve : line } }

  // At least what rounding to frames causes.
  private var deviation: Double {
    @_noLocks get { max(0.7, Double(rt_square_root(Float(variance)))) }
  }

  /// Adds a tick at a time in frames.
  @_noLocks
  mutating func add(_ now: Double) {
    let spacing = now - latest
    defer { latest = now }
    if number < 0 || spacing > 24 * Self.longestSeconds * sampleRate {
      restart(at: now, period: line.period, ticks: 1)
      number &+= 1
      return
    }
    if line.ticks < 2 {
      guard spacing > Self.leastSeconds * sampleRate else {
        number &+= 1
        return
      }
      restart(at: now, period: spacing, ticks: 2)
      number &+= 1
      return
    }
    var steps = 1.0
    if line.ticks < Self.leastKnown {
      if abs(now - time - period) > 0.75 * period {
        // Messages that were held up arrive together.
        restart(at: now, period: line.period, ticks: 1)
        number &+= 1
        return
      }
    } else {
      // Ticks are missing only after a gap: a late one is the next, however late.
      if strays > 0 {
        steps = max(Double(strays &+ 1), Double(Int64((now - time) / period + 0.5)))
      }
      let error = now - time - steps * period
      let most = max(Self.mostDeviations * deviation, Self.mostShare * period)
      if abs(error) > most || abs(spacing - period) > 1.5 * most {
        addStray(now, spacing: spacing)
        return
      }
    }
    strays = 0
    number &+= Int64(steps)
    _ = line.addToLine(now, steps: steps, most: Self.lineTicks)
    let deviation = curve.addToCurve(now, steps: steps, most: Self.curveTicks)
    if curve.ticks > 6 {
      variance += (deviation * deviation - variance) / min(curve.ticks - 6, 96)
    }
    choose(steps, at: now)
  }

  /// Adds a tick that is not of this tempo: it is late, follows a missing one, or starts another tempo.
  @_noLocks
  private mutating func addStray(_ now: Double, spacing: Double) {
    if strays == 0 {
      firstStray = latest
      (shortest, longest) = (spacing, spacing)
    }
    strays &+= 1
    shortest = min(shortest, spacing)
    longest = max(longest, spacing)
    guard strays >= Self.ticksOfTempo, shortest > 0, longest < 1.3 * shortest else {
      // Ticks without a tempo.
      if strays >= 2 &* Self.ticksOfTempo {
        number &+= Int64(strays)
        restart(at: now, period: line.period, ticks: 1)
      }
      return
    }
    number &+= Int64(strays)
    restart(at: now, period: (now - firstStray) / Double(strays), ticks: Double(strays))
  }

  @_noLocks
  private mutating func restart(at now: Double, period: Double, ticks: Double) {
    line = Fit(time: now, period: period, ticks: ticks)
    curve = line
    variance = 0
    curveLeft = 0
    strays = 0
  }

  /// Chooses the fit that holds.
  @_noLocks
  private mutating func choose(_ steps: Double, at now: Double) {
    // Nonsense of ticks without a tempo.
    let least = Self.leastSeconds * sampleRate
    guard line.period > least, curve.period > least, period < Self.longestSeconds * sampleRate
    else {
      restart(at: now, period: max(least, line.period), ticks: 1)
      return
    }
    guard curve.ticks >= Self.leastKnown / 2 else { return }
    let noise = 3 * deviation / Double(rt_square_root(Float(curve.ticks)))
    if abs(line.time - curve.time) > Self.evidence * noise {
      line = Fit(time: curve.time, period: curve.period, ticks: max(4, Self.curveTicks / 2))
      curveLeft = Self.curveTicks
    } else if curveLeft > 0 {
      curveLeft = max(0, curveLeft - steps)
    }
  }
}
