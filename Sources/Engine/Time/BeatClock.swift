/// Where the beats of the tempo fall, in frames of the engine's time.
struct BeatClock: BitwiseCopyable {
  // In beats a minute: what the tempo can be set to.
  private static var slowest: Double { @_noLocks get { 20 } }
  private static var fastest: Double { @_noLocks get { 300 } }

  private let sampleRate: Double
  private var framesPerBeat: Double
  // A frame at which a bar begins, and how many beats it has.
  private var anchor: Double = 0
  private var beatsPerBar = 4
  // Where no transport says another number.
  private var ownBeatsPerBar = 4

  @_noLocks
  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    framesPerBeat = sampleRate / 2
  }

  /// Sets how many beats a bar has, where no transport says another number.
  @_noLocks
  mutating func setBeatsPerBar(_ beats: Int) {
    ownBeatsPerBar = beats
    beatsPerBar = beats
  }

  /// Goes on without a transport.
  @_noLocks
  mutating func follow() { beatsPerBar = ownBeatsPerBar }

  /// Sets the tempo, in beats a minute, from a frame on; the present beat goes on.
  @_noLocks
  mutating func setTempo(_ beatsPerMinute: Float, at frame: Int64) {
    let new = sampleRate * 60 / Double(beatsPerMinute)
    let bar = framesPerBeat * Double(beatsPerBar)
    // What part of the bar is over, stays over.
    let share = ((Double(frame) - anchor) / bar).truncatingRemainder(dividingBy: 1)
    anchor = Double(frame) - share * new * Double(beatsPerBar)
    framesPerBeat = new
  }

  /// Has the tempo, the nearest to the present one, at which so many frames are a whole number of
  /// beats, and a bar that begins with them; returns it in beats a minute, 0 where there is none.
  @_noLocks
  mutating func fit(_ frames: Int, from frame: Int64) -> Float {
    let least = sampleRate * 60 / Self.fastest
    let most = sampleRate * 60 / Self.slowest
    var count = max(1, Int(Double(frames) / framesPerBeat + 0.5))
    while Double(frames) / Double(count) > most { count &+= 1 }
    while count > 1 && Double(frames) / Double(count) < least { count &-= 1 }
    // Shorter than a beat can be: the tempo stays.
    guard Double(frames) / Double(count) >= least else { return 0 }
    framesPerBeat = Double(frames) / Double(count)
    anchor = Double(frame)
    return Float(sampleRate * 60 / framesPerBeat)
  }

  /// Follows a transport that rolls, from where it is at a frame; whether that moves the beats.
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
    } else {
      // Nobody tells of bars: they are counted from the transport's beginning.
      follow()
      let beats = Double(transport.frame) / framesPerBeat
      now = beats.truncatingRemainder(dividingBy: Double(beatsPerBar))
      slack = 0
    }
    // Where it should be by what it was before, counted from the same bar.
    let bar = Double(beatsPerBar)
    var ahead = (Double(frame) - anchor) / framesPerBeat - now
    ahead = ahead.truncatingRemainder(dividingBy: bar)
    if ahead > bar / 2 { ahead -= bar }
    if ahead < -bar / 2 { ahead += bar }
    // A thousandth of a frame is no more than the rounding of what both have counted.
    let rounding = 0.001 / framesPerBeat
    if ahead >= -rounding && ahead <= slack + rounding { return moves }
    let beat = now + (ahead < 0 ? 0 : slack)
    anchor = Double(frame) - beat * framesPerBeat
    return true
  }

  /// How long so many beats are, in frames.
  @_noLocks
  func frames(ofBeats beats: Float) -> Int { Int(Double(beats) * framesPerBeat + 0.5) }

  /// The first beat, or the first beginning of a bar, that is not before a frame.
  @_noLocks
  func next(_ grid: Grid, from frame: Int64) -> Int64 {
    var period = framesPerBeat
    if case .bar = grid { period *= Double(beatsPerBar) }
    // A frame is the nearest to its beat.
    let periods = (Double(frame) - 0.5 - anchor) / period
    var count = Int64(periods)
    if Double(count) < periods { count &+= 1 }
    return max(frame, Int64(anchor + Double(count) * period + 0.5))
  }

  /// What actions can be moved to.
  enum Grid: BitwiseCopyable {
    case beat, bar
  }
}
