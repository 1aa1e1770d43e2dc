internal import CRealtime

/// A grain of voice around a pitch mark, being overlap-added to the output.
///
/// Its weight rises from 0 to 1 before its center, stays there, and falls. The slopes of adjacent
/// grains add up to 1.
struct VoiceGrain: BitwiseCopyable {
  /// Whether the grain is audible or will be.
  var isActive = false
  /// The number of its mark.
  var mark = 0
  /// Whether the grain is a period of a voiced sound.
  var isVoiced = false
  /// Whether the position has leapt since the grain started.
  var isOld = false
  /// The offset of its mark from the same phase of the waveform.
  var moved: Int64 = 0
  /// The period at the source, in frames of tape, 32.32 fixed-point.
  var period: Int64 = 0
  /// The tape position of its next frame.
  var source: Int64 = 0
  /// The advance of the position per frame.
  var speed: Int64 = 0
  /// The interpolation table for that speed.
  var table = 0
  /// The time since its center; negative before it.
  var position: Int64 = 0
  /// The length of the rise before the center.
  var rise: Int64 = 0
  /// Whether the fall has been determined.
  var isSettled = false
  /// The start of the fall, after the center.
  var fallBegin: Int64 = .max
  /// The end of the fall, after the center.
  var fallEnd: Int64 = .max
  /// The latest end, beyond which it would read past the tape position.
  var limit: Int64 = .max
  var gain: Float = 1
  /// The correlation with the grain before: slopes of uncorrelated grains must be steeper.
  var likenessBefore: Float = 1
  /// The correlation with the grain after.
  var likenessBehind: Float = 1
  /// Whether the filter is filled.
  var hasFilter = false
  /// The part of its lowest partials that the window removes.
  var partials = VoicePartials()

  @_noLocks
  init() {}

  /// Adds up to 32 frames of the grain to the output.
  ///
  /// `filter` belongs to the grain, which fills it when needed.
  @_noLocks
  mutating func render(
    _ tape: borrowing Tape, _ bank: borrowing SincBank, filter: VoiceFilter, scratch: Stereo,
    weights: UnsafeMutablePointer<Float>, to out: Stereo, frames: Int
  ) {
    // The first frame inside the grain, and the first after its end.
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
