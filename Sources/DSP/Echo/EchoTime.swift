internal import CRealtime

/// The delay of the echo, and its glides and crossfades to another one.
///
/// Delays are in frames with 32 binary places. A change is either a crossfade between two
/// resting places, or a glide: then the place slews, and the pitch with it, as a tape's whose
/// head is moved. The speed of a glide follows what is to go, bounded, through a low-pass that
/// is critically damped: it neither starts, ends nor turns with a step in pitch.
struct EchoTime: BitwiseCopyable {
  /// How many frames the speed of a glide stays the same.
  static var chunk: Int { @_noLocks get { 8 } }
  // The reader looks 16 frames ahead of its place, and needs some frames to read in a row.
  private static let shortest: Int = 24
  // A tape that reads at 1.375 times its speed sounds 5.5 semitones up, one at 0.375 times its
  // speed 17 down. Faster would fold back more of the highest octave.
  private static let shrinking: Float = -0.375
  private static let growing: Float = 0.625
  // What is to go falls with this time constant in the end.
  private static let landingSeconds: Float = 0.03
  private static let fadeSeconds: Float = 0.03

  /// The delay of the frame that comes next.
  private(set) var delay: Int64
  /// How much the delay grows a frame.
  private(set) var speed: Int64 = 0
  /// The delay that the crossfade goes to.
  private(set) var next: Int64 = 0
  /// The crossfade to `next`, from 0 to 1.
  var fade: Fade
  /// How alike the two sides of the crossfade are: 0 or less for no relation, 1 for the same.
  var likeness: Float = 0
  /// Whether changes glide.
  var glides = false

  private var target: Int64
  private var exactSpeed: Float = 0
  private let rate: Double
  private let pull: Float
  private let ease: Float

  /// A delay that rests at `seconds`.
  @_noLocks
  init(seconds: Float, sampleRate: Float, values: UnsafeMutablePointer<Float>) {
    rate = Double(sampleRate)
    pull = 1 / (Self.landingSeconds * sampleRate)
    // Four times the pull is critical.
    ease = 1 - rt_exp(-4 * pull * Float(Self.chunk))
    fade = Fade(at: 0, length: Int(Self.fadeSeconds * sampleRate), values: values)
    target = Self.delay(seconds: seconds, rate: rate)
    delay = target
  }

  /// The delay for a time in seconds; what is a whole frame but for the rounding of `seconds` is
  /// a whole one.
  @_noLocks
  private static func delay(seconds: Float, rate: Double) -> Int64 {
    let frames = max(Double(seconds) * rate, Double(shortest))
    let whole = Double(Int64(frames + 0.5))
    if abs(frames - whole) < 0.001 + frames * 1e-7 { return Int64(whole) << 32 }
    return Int64(frames * 4_294_967_296)
  }

  /// Sets the time to go to.
  @_noLocks
  mutating func move(to seconds: Float) {
    target = Self.delay(seconds: seconds, rate: rate)
  }

  /// Is at the time to go to at once.
  @_noLocks
  mutating func settle() {
    delay = target
    speed = 0
    exactSpeed = 0
    fade.jump(to: 0)
  }

  /// The time to go to in whole frames.
  var wholeTarget: Int {
    @_noLocks get { Int((target &+ 0x8000_0000) >> 32) }
  }

  /// The longest delay that is read at the moment, in whole frames.
  var longestRead: Int {
    @_noLocks get { Int(max(delay, fade.isMoving ? next : 0) >> 32) &+ 1 }
  }

  /// Whether the place slews or is about to.
  var slews: Bool {
    @_noLocks get { speed != 0 || (glides && !fade.isMoving && delay != target) }
  }

  /// Whether a crossfade is due.
  var needsFade: Bool {
    @_noLocks get { delay != target && !glides && speed == 0 && !fade.isMoving }
  }

  /// Starts a crossfade to the time to go to.
  @_noLocks
  mutating func beginFade() {
    next = target
    fade.jump(to: 0)
    fade.begin(to: 1)
  }

  /// Ends the crossfade, at the delay `next`.
  @_noLocks
  mutating func endFade() {
    delay = next
    fade.jump(to: 0)
  }

  /// The most frames that can be read in a row before what they give is written.
  @_noLocks
  func mostFrames() -> Int {
    let nearest = Int((fade.isMoving ? min(delay, next) : delay) >> 32)
    // A reader that gains on the writer gains at most 0.375 frames a frame.
    return slews ? max((nearest &- 17) &* 8 / 11, 1) : nearest &- 17
  }

  /// Decides on the speed of the next chunk.
  @_noLocks
  mutating func steer() {
    let toGo = target &- delay
    let frames = Float(toGo) * (1 / 4_294_967_296)
    let wanted = glides ? min(max(pull * frames, Self.shrinking), Self.growing) : 0
    let change = wanted - exactSpeed
    // Smaller steps would vanish in the rounding of the sum.
    exactSpeed = abs(change) < 1e-5 ? wanted : exactSpeed + ease * change
    // What is left then moves a tone of 10 kHz by less than a thousandth of its phase.
    if glides && abs(frames) < 0.001 && abs(exactSpeed) < 1e-4 {
      delay = target
      exactSpeed = 0
    } else if !glides && abs(exactSpeed) < 1e-4 {
      exactSpeed = 0
    }
    speed = Int64(exactSpeed * 4_294_967_296)
  }

  /// Goes on by frames of one speed.
  @_noLocks
  mutating func advance(frames: Int) { delay &+= speed &* Int64(frames) }
}
