/// An onset detector for drum hits, consonants and plucked strings.
struct OnsetWatch: BitwiseCopyable {
  /// The detector's time resolution, in frames.
  static var chunk: Int { @_noLocks get { 32 } }
  // The threshold: 10 dB above the peak hold of the last hundredths of a second.
  private static var rise: Float { @_noLocks get { 3 } }
  /// -80 dB of full scale; quieter onsets are ignored.
  static var floor: Float { @_noLocks get { 1e-4 } }

  private let release: Float
  private let pause: Int
  private var silentFrames = 0
  private var held: Float = 0
  // The peak hold without the newest chunk, in which an onset may have started to rise.
  private var heldBefore: Float = 0
  private var framesToChunk = 0
  private var hasBegun = false
  /// The peak of the newest chunk.
  private(set) var peak: Float = 0
  // The tape positions of the last onsets, newest first; far in the past if there were none.
  private var onsets = SIMD4<Int64>(repeating: 0)

  init(sampleRate: Double) {
    // The peak hold decays to a third in 10 ms.
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

  /// The number of frames until the next chunk must be measured.
  var framesToGo: Int {
    @_noLocks get { framesToChunk }
  }

  /// Advances by `frames`, at most `framesToGo`, to the position `now`, and returns whether there
  /// was an onset.
  @_noLocks
  mutating func advance(_ tape: borrowing Tape, to now: Int64, frames: Int) -> Bool {
    framesToChunk &-= frames
    guard framesToChunk <= 0 else { return false }
    framesToChunk = Self.chunk
    let start = now &- Int64(Self.chunk)
    peak = tape.peak(from: start, frames: Self.chunk)
    let isOnset = peak > Self.rise * heldBefore && peak > Self.floor
    let began = peak > Self.rise * held ? start : start &- Int64(Self.chunk)
    heldBefore = held * release
    silentFrames = peak > Self.floor ? 0 : silentFrames &+ Self.chunk
    // After a pause any sound counts as an onset, however soft.
    held = silentFrames > pause ? peak : max(peak, held * release)
    if isOnset || silentFrames > pause { heldBefore = held }
    if !hasBegun {
      hasBegun = true
      onsets = SIMD4(repeating: start &- 1 << 30)
    }
    if isOnset { onsets = SIMD4(began, onsets[0], onsets[1], onsets[2]) }
    return isOnset
  }

  /// The tape position of the last onset.
  var last: Int64 { @_noLocks get { onsets[0] } }

  /// Returns the distance in frames from a position to the last onset; negative if that is earlier.
  @_noLocks
  func framesToLast(from place: Int64) -> Int { Self.frames(from: place, to: last) }

  /// Returns the distance in frames from a position to the first known onset after it, up to `now`,
  /// or nil.
  @_noLocks
  func framesToFirst(from place: Int64, on tape: borrowing Tape, now: Int64) -> Int? {
    var first = Int.max
    for index in 0..<4 {
      let frames = Self.frames(from: place, to: onsets[index])
      if frames >= 0 && frames < 1 << 24 { first = min(first, frames) }
    }
    if first < .max { return first }
    // The frames not yet measured.
    let rest = Self.chunk &- framesToChunk
    guard hasBegun && rest > 0 else { return nil }
    let start = now &- Int64(rest)
    let peak = tape.peak(from: start, frames: rest)
    return peak > Self.rise * held && peak > Self.floor
      ? Self.frames(from: place, to: start) : nil
  }

  /// The distance of two positions, which wrap around after half a day.
  @_noLocks
  private static func frames(from place: Int64, to other: Int64) -> Int {
    Int(((other &- place) << 32) >> 32)
  }
}
