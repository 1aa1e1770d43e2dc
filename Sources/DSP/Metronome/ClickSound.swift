internal import CRealtime

/// The metronome sound: short sine bursts, with a higher and louder accent.
///
/// Both clicks are precomputed for the sample rate. A click rises along an S-curve and decays to
/// zero, so it has no step at either end. A click that starts while the last one still sounds is
/// mixed with it.
package struct ClickSound: ~Copyable {
  /// The length of a click, in seconds.
  package static var seconds: Double { @_noLocks get { 0.03 } }
  private static var riseSeconds: Double { @_noLocks get { 0.0005 } }
  // A click decays to a thousandth within its length; a final fade takes the rest to zero.
  private static var fallSeconds: Double { @_noLocks get { 0.0045 } }
  private static var endSeconds: Double { @_noLocks get { 0.005 } }
  private static var accentHertz: Double { @_noLocks get { 2000 } }
  private static var otherHertz: Double { @_noLocks get { 1250 } }
  // -6 and -10 dB.
  private static var accentPeak: Double { @_noLocks get { 0.5 } }
  private static var otherPeak: Double { @_noLocks get { 0.32 } }

  /// A click in progress.
  private struct Voice: BitwiseCopyable {
    var isAccent = false
    var place = Int.max
  }

  private let buffers = Buffers()
  private let memory: UnsafeMutablePointer<Float>
  /// The length of a click, in frames.
  package let length: Int
  private var first = Voice()
  private var second = Voice()

  /// Creates a silent metronome.
  package init(sampleRate: Double) {
    length = Int(Self.seconds * sampleRate)
    memory = buffers.floats(2 * length)
    Self.fill(
      memory, frames: length, hertz: Self.accentHertz, peak: Self.accentPeak, rate: sampleRate)
    Self.fill(
      memory + length, frames: length, hertz: Self.otherHertz, peak: Self.otherPeak,
      rate: sampleRate)
  }

  private static func fill(
    _ sound: UnsafeMutablePointer<Float>, frames: Int, hertz: Double, peak: Double, rate: Double
  ) {
    let turn = 2 * Double.pi
    var greatest = 0.0
    for frame in 0..<frames {
      // The first frame is already above zero.
      let seconds = Double(frame + 1) / rate
      let left = Double(frames - frame) / rate
      var level = exponential(-seconds / fallSeconds)
      level *= rise(seconds / riseSeconds) * rise(left / endSeconds)
      let sample = level * rt_sin(turn * hertz * seconds)
      sound[frame] = Float(sample)
      greatest = max(greatest, abs(sample))
    }
    for frame in 0..<frames { sound[frame] *= Float(peak / greatest) }
  }

  private static func exponential(_ x: Double) -> Double { Double(rt_exp(Float(x))) }

  /// The smoothstep curve, saturated at 1.
  private static func rise(_ share: Double) -> Double {
    share >= 1 ? 1 : share * share * (3 - 2 * share)
  }

  /// Whether no click is sounding.
  package var isSilent: Bool { @_noLocks get { first.place >= length && second.place >= length } }

  /// Starts a click at the next frame.
  ///
  /// Does nothing if two are sounding already.
  @_noLocks
  package mutating func begin(isAccent: Bool) {
    if second.place < length { return }
    second = first
    first.isAccent = isAccent
    first.place = 0
  }

  /// Renders a block, replacing its content.
  @_noLocks
  package mutating func render(to sound: UnsafeMutablePointer<Float>, frames: Int) {
    rt_zero(sound, frames)
    Self.add(&first, memory, length, to: sound, frames: frames)
    Self.add(&second, memory, length, to: sound, frames: frames)
  }

  @_noLocks
  private static func add(
    _ voice: inout Voice, _ memory: UnsafeMutablePointer<Float>, _ length: Int,
    to sound: UnsafeMutablePointer<Float>, frames: Int
  ) {
    if voice.place >= length { return }
    let count = min(frames, length &- voice.place)
    let from = memory + (voice.isAccent ? voice.place : length &+ voice.place)
    for frame in 0..<count { sound[frame] += from[frame] }
    voice.place &+= count
  }
}
