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
  /// How loud it is.
  var gain: Float = 1
  /// How like it is to the grain before: slopes of unlike sounds must be steeper.
  var likenessBefore: Float = 1
  /// How like it is to the grain behind.
  var likenessBehind: Float = 1

  @_noLocks
  init() {}

  /// Adds up to 32 frames of the grain to the output.
  @_noLocks
  mutating func render(
    _ tape: borrowing Tape, _ bank: borrowing SincBank, scratch: Stereo,
    weights: UnsafeMutablePointer<Float>, to out: Stereo, frames: Int
  ) {
    // The first frame that is inside, and the first that is past the end.
    var begin = 0
    if position < -rise {
      begin = min(frames, Int((-rise &- position &+ 0xFFFF_FFFF) >> 32))
    }
    var end = frames
    if fallEnd < position &+ Int64(frames) << 32 {
      end = max(begin, Int((fallEnd &- position &+ 0xFFFF_FFFF) >> 32))
      isActive = false
    }
    let count = end &- begin
    if count > 0 {
      weigh(weights, from: position &+ Int64(begin) << 32, count: count)
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
        bank.read(
          table: table, left: left, right: right, from: inside, step: speed, to: scratch,
          frames: count)
        for frame in 0..<count { outLeft[frame] += scratch.left[frame] * weights[frame] }
        for frame in 0..<count { outRight[frame] += scratch.right[frame] * weights[frame] }
      }
    }
    source &+= Int64(frames) &* speed
    position &+= Int64(frames) << 32
  }

  /// The weight of each frame.
  @_noLocks
  private func weigh(_ weights: UnsafeMutablePointer<Float>, from position: Int64, count: Int) {
    let unit: Float = 1 / 4_294_967_296
    let last = position &+ Int64(count &- 1) << 32
    let rises = position < 0 && rise > 0
    let falls = last > fallBegin
    if !rises && !falls {
      for frame in 0..<count { weights[frame] = gain }
      return
    }
    let perRise = rise > 0 ? 1 / (Float(rise) * unit) : 0
    let perFall = falls ? 1 / (Float(max(1, fallEnd &- fallBegin)) * unit) : 0
    for frame in 0..<count {
      let here = position &+ Int64(frame) << 32
      var weight = gain
      if here < 0 && rise > 0 {
        weight *= slope(Float(here &+ rise) * unit * perRise, likeness: likenessBefore)
      }
      if falls && here > fallBegin {
        weight *= slope(Float(fallEnd &- here) * unit * perFall, likeness: likenessBehind)
      }
      weights[frame] = weight
    }
  }

  /// The weight on a slope, at a share of its way up.
  @_noLocks
  private func slope(_ share: Float, likeness: Float) -> Float {
    let x = max(0, min(1, share))
    let weight = Crossfade.eased(x)
    if likeness >= 1 { return weight }
    // Of sounds that are not alike the powers add up, not the amplitudes.
    let other = 1 - weight
    return weight
      / rt_square_root(weight * weight + other * other + 2 * likeness * weight * other)
  }
}
