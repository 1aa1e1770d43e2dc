internal import CRealtime

/// The two lowest partials of a grain of voice, as far as its grains by themselves would miss them.
///
/// A grain of two periods has a spectrum between the partials that goes through them; at another pitch
/// the partials are taken from there. So the formants stay. But below the lowest partial there is nothing,
/// and a strong one beside it is one only where it was: moved by a fifth and back again, a voice lost up to
/// 9 dB of its fundamental. The strength of that one is less a matter of the mouth than of the voice
/// itself, and is kept; the second has what lies between its neighbours in decibels, not in amplitudes.
struct VoicePartials: BitwiseCopyable {
  /// Whether there is anything to be added.
  private(set) var isOn = false
  // How many frames before the grain's middle they begin.
  private var rise: Int64 = 0
  // Where behind the middle they begin to fall, once the next grain is known, and where they have ended.
  private var fallBegin: Int64 = .max
  private var fallEnd: Int64 = .max

  // Cosine and sine of the left side and the right, of the first partial and of the second.
  private var amplitudes = SIMD8<Float>(repeating: 0)
  // How many frames a turn of the first takes.
  private var period: Int64 = 1
  // Where it is in that, once it sounds: eight frames, of which so many are over.
  private var turning = VoiceTurning()
  private var isTurning = false
  private var lane = 0

  // By how much what the grains have may be changed at most.
  private static var most: Float { @_noLocks get { 4 } }

  @_noLocks
  init() {}

  /// Has them rise from so many frames before the middle on.
  @_noLocks
  mutating func begin(rise: Int64) { self.rise = max(1, rise) }

  /// Has them fall as those of the next grain rise, to that one's middle.
  @_noLocks
  mutating func end(_ distance: Int64, fall: Int64) {
    fallEnd = max(1, distance)
    fallBegin = fallEnd &- max(1, fall)
  }

  // MARK: - What is missing

  /// Finds what is missing where grains of two periods with this spectrum follow each other after
  /// `spacing` frames, with this gain; `ratio` times as fast as they did, for whom the formants stay.
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
      // All by ratios: a side that is half as strong has half of it.
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

  /// How strong both sides are, and not nothing.
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

  // MARK: - Sound

  /// Adds up to 32 frames, the first of which is `position` behind the middle; whether more may follow.
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
        turning = VoiceTurning(from: step * Double(from), step: step * VoicePlaces.unit)
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
      // Always the same eights, however the time is cut into blocks.
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
