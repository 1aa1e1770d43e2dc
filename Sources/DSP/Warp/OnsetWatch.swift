/// Watches a tape for the beginnings of sounds: a drum's stroke, a consonant, a plucked string.
struct OnsetWatch: BitwiseCopyable {
  /// The frames of a chunk, which is as finely as onsets are found.
  static var chunk: Int { @_noLocks get { 32 } }
  // 10 dB more than all that was heard in the last hundredths of a second.
  private static var rise: Float { @_noLocks get { 3 } }
  /// -80 dB of full scale: nothing below it is worth a detour.
  static var floor: Float { @_noLocks get { 1e-4 } }

  private let release: Float
  private let pause: Int
  private var silentFrames = 0
  private var held: Float = 0
  // The same without the newest chunk, in which a sound may have begun to rise.
  private var heldBefore: Float = 0
  private var framesToChunk = 0
  private var hasBegun = false
  /// The peak of the newest chunk.
  private(set) var peak: Float = 0
  // Where on the tape the last ones began, the newest first; long ago where there were none.
  private var onsets = SIMD4<Int64>(repeating: 0)

  init(sampleRate: Double) {
    // The hold falls to a third in 10 ms.
    release = 1 - Float(Self.chunk) / Float(0.01 * sampleRate)
    pause = Int(0.01 * sampleRate)
  }

  @_noLocks
  mutating func forget() {
    held = 0
    heldBefore = 0
    silentFrames = 0
    framesToChunk = 0
    hasBegun = false
  }

  /// The most frames that may pass before the next chunk must be measured.
  var framesToGo: Int {
    @_noLocks get { framesToChunk }
  }

  /// Goes on by `frames`, at most `framesToGo`, up to the place `now`; true at an onset.
  @_noLocks
  mutating func advance(_ tape: borrowing Tape, to now: Int64, frames: Int) -> Bool {
    framesToChunk &-= frames
    guard framesToChunk <= 0 else { return false }
    framesToChunk = Self.chunk
    let start = now &- Int64(Self.chunk)
    peak = max(
      Magnitude(tape.left(at: start), frames: Self.chunk).peak,
      Magnitude(tape.right(at: start), frames: Self.chunk).peak)
    let isOnset = peak > Self.rise * heldBefore && peak > Self.floor
    let began = peak > Self.rise * held ? start : start &- Int64(Self.chunk)
    heldBefore = held * release
    silentFrames = peak > Self.floor ? 0 : silentFrames &+ Self.chunk
    // After a pause each sound begins anew, however soft.
    held = silentFrames > pause ? peak : max(peak, held * release)
    if isOnset || silentFrames > pause { heldBefore = held }
    if !hasBegun {
      hasBegun = true
      onsets = SIMD4(repeating: start &- 1 << 30)
    }
    if isOnset { onsets = SIMD4(began, onsets[0], onsets[1], onsets[2]) }
    return isOnset
  }

  /// The place on the tape of the last onset.
  var last: Int64 { @_noLocks get { onsets[0] } }

  /// Counts the frames from a place on the tape to the last onset; negative where that was before.
  @_noLocks
  func framesToLast(from place: Int64) -> Int { Self.frames(from: place, to: last) }

  /// How many frames after a place on the tape the first one began that it knows of, if there is
  /// one, which may be as new as `now`.
  @_noLocks
  func framesToFirst(from place: Int64, on tape: borrowing Tape, now: Int64) -> Int? {
    var first = Int.max
    for index in 0..<4 {
      let frames = Self.frames(from: place, to: onsets[index])
      if frames >= 0 && frames < 1 << 24 { first = min(first, frames) }
    }
    if first < .max { return first }
    // What it has not yet looked at.
    let rest = Self.chunk &- framesToChunk
    guard hasBegun && rest > 0 else { return nil }
    let start = now &- Int64(rest)
    let peak = max(
      Magnitude(tape.left(at: start), frames: rest).peak,
      Magnitude(tape.right(at: start), frames: rest).peak)
    return peak > Self.rise * held && peak > Self.floor
      ? Self.frames(from: place, to: start) : nil
  }

  /// The way between two places, which wrap around after half a day.
  @_noLocks
  private static func frames(from place: Int64, to other: Int64) -> Int {
    Int(((other &- place) << 32) >> 32)
  }
}
