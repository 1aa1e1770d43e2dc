internal import CRealtime

/// The delay time of the echo, with glides and crossfades to a new value.
///
/// Delays are in frames, as 32.32 fixed-point numbers. A change is either a crossfade between two
/// fixed taps, or a glide: then the tap moves and the pitch bends, like a tape delay with a moving
/// head. The glide speed is proportional to the remaining distance, bounded, and smoothed by a
/// critically damped low-pass, so the pitch has no step at the start, end or turning point.
struct EchoTime: BitwiseCopyable {
  /// The control period of a glide, in frames.
  static var chunk: Int { @_noLocks get { 8 } }
  // The interpolator reads 16 frames ahead of its position, and a read needs a few contiguous
  // frames.
  private static let shortest: Int = 24
  // A tap at 1.375 times speed sounds 5.5 semitones higher, at 0.375 times speed 17 lower. Faster
  // taps would alias more of the top octave.
  private static let shrinking: Float = -0.375
  private static let growing: Float = 0.625
  // The time constant of the exponential landing.
  private static let landingSeconds: Float = 0.03
  private static let fadeSeconds: Float = 0.03

  /// The delay of the next frame.
  private(set) var delay: Int64
  /// The change of the delay per frame.
  private(set) var speed: Int64 = 0
  /// The delay that the crossfade leads to.
  private(set) var next: Int64 = 0
  /// The crossfade to `next`, from 0 to 1.
  var fade: Fade
  /// The correlation of the two sides of the crossfade: 1 if identical, 0 or less if unrelated.
  var likeness: Float = 0
  /// Whether changes glide instead of crossfading.
  var glides = false

  private var target: Int64
  private var exactSpeed: Float = 0
  private let rate: Double
  private let pull: Float
  private let ease: Float

  /// Creates a delay at rest at `seconds`.
  @_noLocks
  init(seconds: Float, sampleRate: Float, values: UnsafeMutablePointer<Float>) {
    rate = Double(sampleRate)
    pull = 1 / (Self.landingSeconds * sampleRate)
    // Critical damping needs four times the pull.
    ease = 1 - rt_exp(-4 * pull * Float(Self.chunk))
    fade = Fade(at: 0, length: Int(Self.fadeSeconds * sampleRate), values: values)
    target = Self.delay(seconds: seconds, rate: rate)
    delay = target
  }

  /// Converts seconds to a delay.
  ///
  /// Values that are a whole number of frames within the rounding of `seconds` become whole.
  @_noLocks
  private static func delay(seconds: Float, rate: Double) -> Int64 {
    let frames = max(Double(seconds) * rate, Double(shortest))
    let whole = Double(Int64(frames + 0.5))
    if abs(frames - whole) < 0.001 + frames * 1e-7 { return Int64(whole) << 32 }
    return Int64(frames * 4_294_967_296)
  }

  /// Sets the target.
  @_noLocks
  mutating func move(to seconds: Float) {
    target = Self.delay(seconds: seconds, rate: rate)
  }

  /// Jumps to the target.
  @_noLocks
  mutating func settle() {
    delay = target
    speed = 0
    exactSpeed = 0
    fade.jump(to: 0)
  }

  /// The target, in whole frames.
  var wholeTarget: Int {
    @_noLocks get { Int((target &+ 0x8000_0000) >> 32) }
  }

  /// The longest delay being read, in whole frames.
  var longestRead: Int {
    @_noLocks get { Int(max(delay, fade.isMoving ? next : 0) >> 32) &+ 1 }
  }

  /// Whether the tap moves or is about to.
  var slews: Bool {
    @_noLocks get { speed != 0 || (glides && !fade.isMoving && delay != target) }
  }

  /// Whether a crossfade is due.
  var needsFade: Bool {
    @_noLocks get { delay != target && !glides && speed == 0 && !fade.isMoving }
  }

  /// Starts a crossfade to the target.
  @_noLocks
  mutating func beginFade() {
    next = target
    fade.jump(to: 0)
    fade.begin(to: 1)
  }

  /// Ends the crossfade at the delay `next`.
  @_noLocks
  mutating func endFade() {
    delay = next
    fade.jump(to: 0)
  }

  /// Returns the number of frames that can be read before their output must be written.
  @_noLocks
  func mostFrames() -> Int {
    let nearest = Int((fade.isMoving ? min(delay, next) : delay) >> 32)
    // A moving tap gains on the write position by at most 0.375 frames per frame.
    return slews ? max((nearest &- 17) &* 8 / 11, 1) : nearest &- 17
  }

  /// Computes the glide speed of the next chunk.
  @_noLocks
  mutating func steer() {
    let toGo = target &- delay
    let frames = Float(toGo) * (1 / 4_294_967_296)
    let wanted = glides ? min(max(pull * frames, Self.shrinking), Self.growing) : 0
    let change = wanted - exactSpeed
    // Smaller steps would be lost to rounding.
    exactSpeed = abs(change) < 1e-5 ? wanted : exactSpeed + ease * change
    // The remaining jump moves a tone of 10 kHz by less than a thousandth of a cycle.
    if glides && abs(frames) < 0.001 && abs(exactSpeed) < 1e-4 {
      delay = target
      exactSpeed = 0
    } else if !glides && abs(exactSpeed) < 1e-4 {
      exactSpeed = 0
    }
    speed = Int64(exactSpeed * 4_294_967_296)
  }

  /// Advances the delay by `frames` frames at the current speed.
  @_noLocks
  mutating func advance(frames: Int) { delay &+= speed &* Int64(frames) }
}
