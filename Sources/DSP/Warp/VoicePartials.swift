internal import CRealtime

/// The correction of a grain's two lowest partials, which grains alone would reproduce too weakly.
///
/// The spectrum of a two-period grain interpolates between the partials, and partials at another
/// pitch are sampled from it, which preserves the formants. But below the lowest partial there is
/// nothing to interpolate, and a strong partial is strong only at its own frequency: shifted by a
/// fifth and back, a voice lost up to 9 dB of its fundamental. The level of the fundamental depends
/// less on the vocal tract than on the source, so it is kept. The second partial is interpolated
/// between its neighbors in decibels instead of amplitudes.
struct VoicePartials: BitwiseCopyable {
  /// Whether there is anything to add.
  private(set) var isOn = false
  // The length of the rise before the grain's center.
  private var rise: Int64 = 0
  // The start and end of the fall after the center, once the next grain is known.
  private var fallBegin: Int64 = .max
  private var fallEnd: Int64 = .max

  // Cosine and sine of the left and the right channel, for the first partial and then the second.
  private var amplitudes = SIMD8<Float>(repeating: 0)
  // The period of the first partial.
  private var period: Int64 = 1
  // The oscillator, eight frames at a time, and the current lane.
  private var turning = Rotator()
  private var isTurning = false
  private var lane = 0

  // The limit of the correction, as a ratio.
  private static var most: Float { @_noLocks get { 4 } }

  @_noLocks
  init() {}

  /// Sets the length of the rise before the center.
  @_noLocks
  mutating func begin(rise: Int64) { self.rise = max(1, rise) }

  /// Sets the fall to coincide with the rise of the next grain, which ends at that grain's center.
  @_noLocks
  mutating func end(_ distance: Int64, fall: Int64) {
    fallEnd = max(1, distance)
    fallBegin = fallEnd &- max(1, fall)
  }

  // MARK: - Analysis

  /// Computes the correction for grains with this spectrum that repeat every `spacing` frames with
  /// this gain.
  ///
  /// `ratio` is the pitch ratio at constant formants.
  @_noLocks
  mutating func find(
    in spectrum: borrowing VoiceSpectrum, spacing: Int64, ratio: Float, gain: Float,
    share: Float
  ) {
    let strength = gain * ratio
    let (first, second) = (strength * spectrum.at(ratio), strength * spectrum.at(2 * ratio))
    let own = Self.strengths(spectrum.at(1))
    let below = Float(max(1, Int(2 * ratio)))
    let (lower, upper) = (
      Self.strengths(spectrum.at(below)), Self.strengths(spectrum.at(below + 1))
    )
    let way = max(0, 2 * ratio - below)
    for side in 0..<2 {
      // Applied as ratios, so that a channel at half the level gets half of the correction.
      let between = strength * lower[side] * rt_exp(way * rt_log(upper[side] / lower[side]))
      let (x, y) = (2 &* side, 2 &* side &+ 1)
      var change = share * (Self.bounded(own[side] / Self.strengths(first)[side]) - 1)
      (amplitudes[x], amplitudes[y]) = (change * first[x], change * first[y])
      change = share * (Self.bounded(between / Self.strengths(second)[side]) - 1)
      (amplitudes[x &+ 4], amplitudes[y &+ 4]) = (change * second[x], change * second[y])
    }
    period = max(1, spacing)
    isOn = true
  }

  /// Returns the magnitudes of both channels, never 0.
  @_noLocks
  private static func strengths(_ sides: SIMD4<Float>) -> SIMD2<Float> {
    let powers = sides * sides
    let nothing: Float = 1e-18
    return SIMD2(
      rt_square_root(max(powers[0] + powers[1], nothing)),
      rt_square_root(max(powers[2] + powers[3], nothing)))
  }

  @_noLocks
  private static func bounded(_ change: Float) -> Float { max(1 / most, min(most, change)) }

  // MARK: - Rendering

  /// Adds up to 32 frames, the first at `position` after the center, and returns whether more may
  /// follow.
  @_noLocks
  mutating func add(
    from position: Int64, scratch weights: UnsafeMutablePointer<Float>, to out: Stereo, frames: Int
  ) -> Bool {
    let begin = position < -rise ? min(frames, VoicePlaces.ceiling(-rise &- position)) : 0
    var count = frames &- begin
    if fallEnd < position &+ Int64(frames) << 32 {
      count = max(0, VoicePlaces.ceiling(fallEnd &- position) &- begin)
    }
    if count > 0 {
      let from = position &+ Int64(begin) << 32
      if !isTurning {
        isTurning = true
        let step = 2 * Double.pi / Double(period)
        turning = Rotator(from: step * Double(from), step: step * VoicePlaces.unit)
      }
      VoiceSlope.weigh(
        weights, gain: 1, from: from, rise: rise, fallBegin: fallBegin, fallEnd: fallEnd,
        count: count)
      turn(weights: weights, to: out.advanced(by: begin), count: count)
    }
    return fallEnd >= position &+ Int64(frames) << 32
  }

  @_noLocks
  private mutating func turn(
    weights: UnsafeMutablePointer<Float>, to out: Stereo, count: Int
  ) {
    let mine = amplitudes
    var frame = 0
    while frame < count {
      let (x, y) = (turning.cosines, turning.sines)
      let (twiceX, twiceY): (SIMD8<Float>, SIMD8<Float>) = (x * x - y * y, 2 * x * y)
      var left: SIMD8<Float> = x * mine[0] + y * mine[1]
      left += twiceX * mine[4] + twiceY * mine[5]
      var right: SIMD8<Float> = x * mine[2] + y * mine[3]
      right += twiceX * mine[6] + twiceY * mine[7]
      if lane == 0 && frame &+ 8 <= count {
        let weight = weights.eight(at: frame)
        out.left.setEight(at: frame, out.left.eight(at: frame) + left * weight)
        out.right.setEight(at: frame, out.right.eight(at: frame) + right * weight)
        turning.advance()
        frame &+= 8
        continue
      }
      // Keeps the groups of eight aligned whatever the block size.
      let end = min(8, lane &+ count &- frame)
      while lane < end {
        out.left[frame] += left[lane] * weights[frame]
        out.right[frame] += right[lane] * weights[frame]
        lane &+= 1
        frame &+= 1
      }
      if lane == 8 {
        lane = 0
        turning.advance()
      }
    }
  }
}
