/// A count of beats that goes on through bars, changes of tempo, and jumps of their source.
struct BeatCount: BitwiseCopyable {
  /// The number of beats since an earlier time, with all that the source has moved them.
  private(set) var beats = 0.0
  /// The same without the moves: the integral of the tempo.
  private(set) var even = 0.0
  private var phase = 0.0
  private var beatsPerBar = 0
  private var framesToCome = 0

  /// Counts up to a frame that starts a block of so many frames.
  @_noLocks
  mutating func advance(to frame: Int64, _ clock: BeatClock, block frames: Int) {
    let passed = Double(framesToCome) / clock.exact(1)
    let former = phase
    phase = clock.phase(at: frame)
    even += passed
    beats += passed
    framesToCome = frames
    if clock.beatsPerBar == beatsPerBar {
      // A source that jumps moves them by at most half a bar.
      beats += Self.nearest(phase - former - passed, in: Double(beatsPerBar))
    } else {
      if beatsPerBar > 0 { beats += Self.nearest(phase - former - passed, in: 1) }
      beatsPerBar = clock.beatsPerBar
    }
  }

  /// Counts frames that no driver rendered.
  @_noLocks
  mutating func skip(frames: Int) { framesToCome &+= frames }

  /// Continues at another sample rate, which has `ratio` times as many frames.
  mutating func convert(by ratio: Double) {
    framesToCome = Int((Double(framesToCome) * ratio).rounded())
  }

  /// The distance that a value has from the nearest multiple of a range.
  @_noLocks
  static func nearest(_ value: Double, in range: Double) -> Double {
    let shifted = value / range + 0.5
    let whole = Double(Int64(shifted))
    return value - (whole > shifted ? whole - 1 : whole) * range
  }
}
