/// Watches a tape for the beginnings of sounds: a drum's stroke, a consonant, a plucked string.
struct OnsetWatch: BitwiseCopyable {
  private static var chunk: Int { @_noLocks get { 32 } }
  // 10 dB more than all that was heard in the last hundredths of a second.
  private static var rise: Float { @_noLocks get { 3 } }
  // -80 dB of full scale: nothing below it is worth a detour.
  private static var floor: Float { @_noLocks get { 1e-4 } }

  private let release: Float
  private var held: Float = 0
  private var framesToChunk = 0
  /// Where on the tape the last one began; long ago where there was none.
  private(set) var last = Int64.min / 2

  init(sampleRate: Double) {
    // The hold falls to a third in 10 ms.
    release = 1 - Float(Self.chunk) / Float(0.01 * sampleRate)
  }

  @_noLocks
  mutating func forget() {
    held = 0
    framesToChunk = 0
    last = Int64.min / 2
  }

  /// How many frames may pass at most before it must look again.
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
    let peak = max(
      Magnitude(tape.left(at: start), frames: Self.chunk).peak,
      Magnitude(tape.right(at: start), frames: Self.chunk).peak)
    let isOnset = peak > Self.rise * held && peak > Self.floor
    held = max(peak, held * release)
    if isOnset { last = start }
    return isOnset
  }
}
