internal import DSP
internal import Engine
internal import Listening

/// What the tuner hears of the live input: its last third of a second, and the tone in it.
///
/// Made on the control thread; then one worker's only.
final class TunerEar: @unchecked Sendable {
  /// What was heard at one moment.
  struct Finding: Sendable {
    /// The frequency of the steady tone, in Hz; nil where there is none.
    var frequency: Double?
    /// The peak since the finding before, linear, on the louder side.
    var peak: Float = 0
  }

  // In seconds: a worker may be so late.
  private static let patience = 1.0
  // The other side must be louder by so much to be listened to, 3 dB.
  private static let preference: Float = 1.41

  /// The ring that the audio thread fills.
  let ring: CaptureRing
  private let finder: ToneFinder
  // Both sides; the last frames are the latest.
  private var sides: [[Float]]
  private var isRight = false

  /// An ear for the input at a rate in Hz.
  init(rate: Int) {
    ring = CaptureRing(rate: rate, capacity: Int(Self.patience * Double(rate)))
    finder = ToneFinder(rate: Double(rate))
    sides = Array(repeating: Array(repeating: 0, count: finder.frames), count: 2)
  }

  /// Takes what has come since the last time, and finds the tone with which it ends.
  ///
  /// Any thread, one at a time.
  func listen() -> Finding {
    var peaks: [Float] = [0, 0]
    while ring.take({ sound, frames in
      for (index, side) in [sound.left, sound.right].enumerated() {
        peaks[index] = max(peaks[index], Magnitude(side, frames: frames).peak)
        sides[index] += UnsafeBufferPointer(start: side, count: frames)
      }
    }) {}
    for index in sides.indices { sides[index].removeFirst(sides[index].count - finder.frames) }
    let (own, other) = isRight ? (peaks[1], peaks[0]) : (peaks[0], peaks[1])
    if other > Self.preference * own { isRight.toggle() }
    return Finding(
      frequency: finder.frequency(atEndOf: sides[isRight ? 1 : 0]), peak: max(own, other))
  }
}
