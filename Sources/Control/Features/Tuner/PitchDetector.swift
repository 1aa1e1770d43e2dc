internal import DSP
internal import Engine
internal import Listening

/// Detects the pitch of the live input, from its last third of a second.
///
/// Created on the control thread, then confined to one background queue at a time.
final class PitchDetector: @unchecked Sendable {
  /// The result of one detection.
  struct Detection: Sendable {
    /// The frequency of the steady tone, in Hz; nil if there is none.
    var frequency: Double?
    /// The peak since the previous detection, linear, of the louder channel.
    var peak: Float = 0
  }

  // The maximum delay of the background queue, in seconds.
  private static let patience = 1.0
  // The other channel is selected when it is louder by this factor, 3 dB.
  private static let preference: Float = 1.41

  /// The ring filled by the audio thread.
  let ring: CaptureRing
  private let finder: ToneFinder
  // Both channels, latest frame last.
  private var sides: [[Float]]
  private var isRight = false

  /// Creates a detector for a sample rate in Hz.
  init(rate: Int) {
    ring = CaptureRing(rate: rate, capacity: Int(Self.patience * Double(rate)))
    finder = ToneFinder(rate: Double(rate))
    sides = Array(repeating: Array(repeating: 0, count: finder.frames), count: 2)
  }

  /// Reads new input, and detects the tone at its end.
  ///
  /// Callable from any thread, one call at a time.
  func detect() -> Detection {
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
    return Detection(
      frequency: finder.frequency(atEndOf: sides[isRight ? 1 : 0]), peak: max(own, other))
  }
}
