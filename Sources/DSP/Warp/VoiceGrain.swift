internal import CRealtime

/// A piece of voice around a mark, on its way into the output.
///
/// Its weight rises from nothing to one until its middle, stays there, and falls. The slopes of
/// neighbours add up to one.
struct VoiceGrain: BitwiseCopyable {
  /// Whether it is heard, or will be.
  var isActive = false
  /// The number of its mark.
  var mark = 0
  /// Whether it is a period of a voice.
  var isVoiced = false
  /// Whether the place has leapt since it began.
  var isOld = false
  /// By how much its mark was moved from the same spot of the wave.
  var moved: Int64 = 0
  /// How long a period is where it comes from, in frames of tape with 32 binary places.
  var period: Int64 = 0
  /// The place of its next frame on the tape.
  var source: Int64 = 0
  /// How far the place moves a frame.
  var speed: Int64 = 0
  /// The reader for that speed.
  var table = 0
  /// How many frames its middle was ago: below zero while it is to come.
  var position: Int64 = 0
  /// How many frames before its middle it begins.
  var rise: Int64 = 0
  /// Whether it is known where it falls.
  var isSettled = false
  /// Where behind its middle it begins to fall.
  var fallBegin: Int64 = .max
  /// Where behind its middle it has ended.
  var fallEnd: Int64 = .max
  /// Where behind its middle it must have ended, so as not to read past the place.
  var limit: Int64 = .max
  /// Its gain.
  var gain: Float = 1
  /// How like it is to the grain before: slopes of unlike sounds must be steeper.
  var likenessBefore: Float = 1
  /// How like it is to the grain behind.
  var likenessBehind: Float = 1
  /// Whether its filter is there.
  var hasFilter = false
  /// The part of its lowest partials that it misses.
  var partials = VoicePartials()

  @_noLocks
  init() {}

  /// Adds up to 32 frames of the grain to the output.
  ///
  /// The filter is the grain's own, for it to fill when it needs one.
  @_noLocks
  mutating func render(
    _ tape: borrowing Tape, _ bank: borrowing SincBank, filter: VoiceFilter, scratch: Stereo,
    weights: UnsafeMutablePointer<Float>, to out: Stereo, frames: Int
  ) {
    // The first frame that is inside, and the first that is past the end.
    var begin = 0
    if position < -rise {
      begin = min(frames, VoicePlaces.ceiling(-rise &- position))
    }
    var end = frames
    if fallEnd < position &+ Int64(frames) << 32 {
      end = max(begin, VoicePlaces.ceiling(fallEnd &- position))
      isActive = false
    }
    if partials.isOn && partials.add(from: position, scratch: weights, to: out, frames: frames) {
      isActive = true
    }
    let count = end &- begin
    if count > 0 {
      VoiceSlope.weigh(
        weights, gain: gain, from: position &+ Int64(begin) << 32, rise: rise,
        fallBegin: fallBegin, fallEnd: fallEnd, likenessBefore: likenessBefore,
        likenessBehind: likenessBehind, count: count)
      let at = source &+ Int64(begin) &* speed
      let first = (at >> 32) &- Int64(SincBank.mostTaps / 2)
      let inside = at &- first << 32
      let (left, right) = (tape.left(at: first), tape.right(at: first))
      let (outLeft, outRight) = (out.left + begin, out.right + begin)
      if speed == WarpStep.unity && inside & 0xFFFF_FFFF == 0 {
        let offset = Int(inside >> 32)
        for frame in 0..<count { outLeft[frame] += left[offset &+ frame] * weights[frame] }
        for frame in 0..<count { outRight[frame] += right[offset &+ frame] * weights[frame] }
      } else {
        if speed == WarpStep.unity {
          if !hasFilter { filter.fill(bank, fraction: inside & 0xFFFF_FFFF, scratch: scratch) }
          hasFilter = true
          let offset = Int(inside >> 32)
          filter.read(left + offset, to: scratch.left, frames: count)
          filter.read(right + offset, to: scratch.right, frames: count)
        } else {
          bank.read(
            table: table, left: left, right: right, from: inside, step: speed, to: scratch,
            frames: count)
        }
        for frame in 0..<count { outLeft[frame] += scratch.left[frame] * weights[frame] }
        for frame in 0..<count { outRight[frame] += scratch.right[frame] * weights[frame] }
      }
    }
    source &+= Int64(frames) &* speed
    position &+= Int64(frames) << 32
  }
}
