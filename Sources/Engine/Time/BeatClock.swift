/// The clock of beats and bars, in frames of the engine's time.
struct BeatClock: BitwiseCopyable {
  /// The range of the tempo that a recording sets, in beats per minute.
  var slowest = 20.0, fastest = 300.0

  private(set) var sampleRate: Double
  private var framesPerBeat: Double
  // The start of a bar, and the number of its beats.
  private var anchor: Double = 0
  private(set) var beatsPerBar = 4
  // Without a transport that sets another number.
  private var ownBeatsPerBar = 4
  /// The number of changes to the beats, after which plans must be renewed.
  private(set) var changes = 0

  @_noLocks
  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    framesPerBeat = sampleRate / 2
  }

  /// Sets the number of beats in a bar, unless a transport sets it.
  @_noLocks
  mutating func setBeatsPerBar(_ beats: Int) {
    ownBeatsPerBar = beats
    beatsPerBar = beats
    changes &+= 1
  }

  /// Starts a bar at a frame.
  @_noLocks
  mutating func beginBar(at frame: Int64) {
    anchor = Double(frame)
    changes &+= 1
  }

  /// Moves all beats by a number of frames.
  @_noLocks
  mutating func delay(by frames: Int64) {
    anchor += Double(frames)
    changes &+= 1
  }

  /// Converts the beats to another sample rate, around a frame whose beat stays.
  mutating func setSampleRate(_ rate: Double, around frame: Int64) {
    let ratio = rate / sampleRate
    anchor = Double(frame) + (anchor - Double(frame)) * ratio
    framesPerBeat *= ratio
    sampleRate = rate
    changes &+= 1
  }

  /// Continues without a transport.
  @_noLocks
  mutating func follow() {
    if beatsPerBar == ownBeatsPerBar { return }
    beatsPerBar = ownBeatsPerBar
    changes &+= 1
  }

  /// Sets the tempo, in beats per minute, from a frame on.
  ///
  /// The present beat continues.
  @_noLocks
  mutating func setTempo(_ beatsPerMinute: Float, at frame: Int64) {
    let new = sampleRate * 60 / Double(beatsPerMinute)
    let bar = framesPerBeat * Double(beatsPerBar)
    // The elapsed share of the bar stays.
    let share = ((Double(frame) - anchor) / bar).truncatingRemainder(dividingBy: 1)
    anchor = Double(frame) - share * new * Double(beatsPerBar)
    framesPerBeat = new
    changes &+= 1
  }

  /// Sets the tempo closest to the present one at which a length in frames is a whole number of beats, and
  /// starts a bar with it.
  ///
  /// Returns the tempo in beats per minute, or 0 if none fits.
  @_noLocks
  mutating func fit(_ frames: Int, from frame: Int64) -> Float {
    let least = sampleRate * 60 / fastest
    let most = sampleRate * 60 / slowest
    var count = max(1, Int(Double(frames) / framesPerBeat + 0.5))
    while Double(frames) / Double(count) > most { count &+= 1 }
    while count > 1 && Double(frames) / Double(count) < least { count &-= 1 }
    // No number of beats is in the range, such as for a clip shorter than a beat: the tempo stays.
    let period = Double(frames) / Double(count)
    guard period >= least, period <= most else { return 0 }
    framesPerBeat = period
    anchor = Double(frame)
    changes &+= 1
    return Float(sampleRate * 60 / framesPerBeat)
  }

  /// Follows a transport that rolls, from its position at a frame.
  ///
  /// Returns whether the beats move.
  @_noLocks
  mutating func follow(_ transport: Transport, at frame: Int64) -> Bool {
    var (now, slack) = (transport.beat, transport.slack)
    var moves = false
    if transport.beatsPerMinute > 0 {
      let period = sampleRate * 60 / transport.beatsPerMinute
      let bar = Int(transport.beatsPerBar + 0.5)
      moves = abs(period - framesPerBeat) > 1e-9 * period || bar > beatsPerBar || bar < beatsPerBar
      framesPerBeat = period
      beatsPerBar = bar
      if moves { changes &+= 1 }
    } else {
      // A transport without bars: they are counted from its start.
      follow()
      let beats = Double(transport.frame) / framesPerBeat
      now = beats.truncatingRemainder(dividingBy: Double(beatsPerBar))
      slack = 0
    }
    // Its expected position, counted from the same bar.
    let bar = Double(beatsPerBar)
    var ahead = (Double(frame) - anchor) / framesPerBeat - now
    ahead = ahead.truncatingRemainder(dividingBy: bar)
    if ahead > bar / 2 { ahead -= bar }
    if ahead < -bar / 2 { ahead += bar }
    // A thousandth of a frame is within the rounding of both counts.
    let rounding = 0.001 / framesPerBeat
    if ahead >= -rounding && ahead <= slack + rounding { return moves }
    let beat = now + (ahead < 0 ? 0 : slack)
    anchor = Double(frame) - beat * framesPerBeat
    changes &+= 1
    return true
  }

  /// Follows another clock, from its position at a frame, `frames` after the last one.
  ///
  /// Unless it jumps, the beats approach its phase at a fiftieth of their speed, without a jump. Returns
  /// whether the beats move.
  @_noLocks
  mutating func follow(_ clock: ClockPosition, at frame: Int64, after frames: Int) -> Bool {
    let bar = Double(beatsPerBar)
    let former = (Double(frame) - anchor) / framesPerBeat
    var error = clock.beats - former
    let range = clock.grain > 0 ? clock.grain : bar
    error -= Self.floor(error / range + 0.5) * range
    if !clock.isJump || abs(error) * framesPerBeat < clock.leastJump {
      let most = 0.02 * Double(frames) / framesPerBeat
      error = max(-most, min(error, most))
      // A beat that has not begun begins at this frame, rather than before it.
      error = min(error, max(0, Self.ceiling(former) - former))
    }
    let period = clock.framesPerBeat
    let rounding = 0.001 / framesPerBeat
    if abs(error) < rounding && abs(period - framesPerBeat) < 1e-9 * period { return false }
    framesPerBeat = period
    anchor = Double(frame) - (former + error).truncatingRemainder(dividingBy: bar) * period
    changes &+= 1
    return true
  }

  /// Converts beats to frames.
  @_noLocks
  func frames(ofBeats beats: Float) -> Int { Int(Double(beats) * framesPerBeat + 0.5) }

  /// Returns the first frame, from `frame` on, at which a beat or bar starts, or the one `count` later.
  @_noLocks
  func next(_ grid: Grid, from frame: Int64, after count: Int = 0) -> Int64 {
    max(frame, Int64(exactNext(grid, from: frame, after: count) + 0.5))
  }

  /// Returns the time of the same beat or bar in fractional frames.
  @_noLocks
  func exactNext(_ grid: Grid, from frame: Int64, after count: Int = 0) -> Double {
    var period = framesPerBeat
    if case .bar = grid { period *= Double(beatsPerBar) }
    let place = number(of: period, from: frame) &+ Int64(count)
    return anchor + Double(place) * period
  }

  /// The tempo in beats per minute.
  var beatsPerMinute: Double { @_noLocks get { sampleRate * 60 / framesPerBeat } }

  /// The exact length of beats, in frames.
  @_noLocks
  func exact(_ beats: Float) -> Double { Double(beats) * framesPerBeat }

  /// The start of the bar that contains a time in frames.
  @_noLocks
  func exactBar(at time: Double) -> Double {
    let bar = framesPerBeat * Double(beatsPerBar)
    return anchor + Self.floor(Self.cleaned((time - anchor) / bar)) * bar
  }

  /// The first beat that is not before a frame, and its number in its bar, from 0.
  @_noLocks
  func nextBeat(from frame: Int64) -> (frame: Int64, number: Int) {
    let place = number(of: framesPerBeat, from: frame)
    let rest = Int(place % Int64(beatsPerBar))
    return (
      max(frame, Int64(anchor + Double(place) * framesPerBeat + 0.5)),
      rest < 0 ? rest &+ beatsPerBar : rest
    )
  }

  /// The first tick of 24 a beat that is not before a frame, and its number in its bar, from 0.
  @_noLocks
  func nextTick(from frame: Int64) -> (frame: Int64, number: Int) {
    let period = framesPerBeat / 24
    let place = number(of: period, from: frame)
    let ticks = 24 &* beatsPerBar
    let rest = Int(place % Int64(ticks))
    return (
      max(frame, Int64(anchor + Double(place) * period + 0.5)), rest < 0 ? rest &+ ticks : rest
    )
  }

  /// The number of bars that start from a frame on, before another.
  @_noLocks
  func bars(from frame: Int64, before end: Int64) -> Int {
    let period = framesPerBeat * Double(beatsPerBar)
    return Int(max(0, number(of: period, from: end) &- number(of: period, from: frame)))
  }

  /// The number, counted from the anchor, of the first period that does not start before a frame.
  @_noLocks
  private func number(of period: Double, from frame: Int64) -> Int64 {
    // A frame is the nearest to its beat. Rounding must not change that.
    let periods = (Double(frame) - 0.5 - anchor) / period - 1e-9
    let count = Int64(periods)
    return Double(count) < periods ? count &+ 1 : count
  }

  /// The position of a frame in bars and beats.
  ///
  /// Bars are counted from the one that contained an earlier frame.
  @_noLocks
  func position(at frame: Int64, framesFromStart: Int64) -> BarPosition {
    let beats = (Double(frame) - anchor) / framesPerBeat
    let perBar = Double(beatsPerBar)
    let start = Self.floor(Self.cleaned(beats - Double(framesFromStart) / framesPerBeat) / perBar)
    let bar = Self.floor(Self.cleaned(beats) / perBar)
    return BarPosition(
      bar: Int(bar - start), beat: Self.cleaned(beats) - bar * perBar, beatsPerBar: beatsPerBar,
      beatsPerMinute: sampleRate * 60 / framesPerBeat)
  }

  /// The elapsed beats of the bar at a frame.
  @_noLocks
  func phase(at frame: Int64) -> Double {
    let beats = (Double(frame) - anchor) / framesPerBeat
    let bar = Double(beatsPerBar)
    return beats - Self.floor(beats / bar) * bar
  }

  /// The elapsed share of a number of beats at a frame, counted from the start of the bar.
  @_noLocks
  func share(at frame: Int64, of beats: Double) -> Double {
    let place = (Double(frame) - anchor) / (framesPerBeat * beats)
    return place - Self.floor(place + 1e-9)
  }

  /// A number of beats, rounded to a whole one if it differs by no more than rounding.
  @_noLocks
  private static func cleaned(_ beats: Double) -> Double {
    let nearest = floor(beats + 0.5)
    return abs(beats - nearest) < 1e-9 ? nearest : beats
  }

  @_noLocks
  private static func ceiling(_ x: Double) -> Double { -floor(-x) }

  @_noLocks
  private static func floor(_ x: Double) -> Double {
    let whole = Double(Int64(x))
    return whole > x ? whole - 1 : whole
  }

  /// The grid that actions are quantized to.
  enum Grid: BitwiseCopyable {
    case beat, bar
  }
}

/// The grid that a loop waits for.
enum LoopGrain: BitwiseCopyable {
  case beat, bar
  /// The cycle of the leading loop.
  case round
}

/// The position of a frame in bars and beats.
package struct BarPosition: BitwiseCopyable, Sendable {
  /// The bar, counted from 0.
  package var bar: Int
  /// The elapsed beats of the bar.
  package var beat: Double
  /// The number of its beats.
  package var beatsPerBar: Int
  /// The tempo.
  package var beatsPerMinute: Double
}
