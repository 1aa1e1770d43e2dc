internal import CRealtime

/// A stereo delay that crossfades to a new delay time.
struct ReverbPredelay: ~Copyable, @unchecked Sendable {
  private static let longestSeconds: Float = 0.25
  private static let fadeSeconds: Float = 0.03

  private let buffers = Buffers()
  private let memory: UnsafeMutablePointer<Float>
  private let silence: UnsafeMutablePointer<Float>
  private let left: ReverbRing
  private let right: ReverbRing
  private let sampleRate: Float
  private let fadeChunks: Int
  private var delay = 0
  private var next = 0
  private var goal = 0
  private var fadeDone = 0

  init(sampleRate: Float) {
    self.sampleRate = sampleRate
    fadeChunks = max(1, Int(Self.fadeSeconds * sampleRate) / ReverbClock.chunk)
    let frames = Int(Self.longestSeconds * sampleRate) + 4
    let footprint = ReverbRing.footprint(frames: frames)
    memory = buffers.floats(2 * footprint + 64)
    left = ReverbRing(in: memory, frames: frames)
    right = ReverbRing(in: memory + footprint, frames: frames)
    silence = memory + 2 * footprint
  }

  /// The longest delay, in frames.
  var longest: Int { @_noLocks get { Int(Self.longestSeconds * sampleRate) } }

  @_noLocks
  mutating func setDelay(seconds: Float) { goal = Int(seconds * sampleRate + 0.5) }

  /// Jumps to the target delay.
  @_noLocks
  mutating func settle() {
    delay = goal
    next = goal
  }

  @_noLocks
  mutating func begin(_ clock: ReverbClock) {
    left.begin(clock)
    right.begin(clock)
  }

  /// Starts a crossfade if one is due.
  @_noLocks
  mutating func prepare() {
    if next == delay && goal != delay {
      next = goal
      fadeDone = 0
    }
  }

  /// Delays one chunk in place.
  @_noLocks
  mutating func process(_ sound: Stereo, _ clock: ReverbClock) {
    let fade = ReverbFade(done: fadeDone, of: fadeChunks)
    delay(sound.left, left, clock, fade)
    delay(sound.right, right, clock, fade)
    if next != delay {
      fadeDone &+= 1
      if fadeDone == fadeChunks { delay = next }
    }
  }

  @_noLocks
  private func delay(
    _ samples: UnsafeMutablePointer<Float>, _ ring: ReverbRing, _ clock: ReverbClock,
    _ fade: ReverbFade
  ) {
    rt_copy(ring.chunk(clock), samples, ReverbClock.chunk)
    ring.close(clock)
    if next != delay {
      fade.mix(
        from: ring.read(delay: delay, clock, silence: silence),
        to: ring.read(delay: next, clock, silence: silence), samples)
    } else if delay > 0 {
      rt_copy(samples, ring.read(delay: delay, clock, silence: silence), ReverbClock.chunk)
    }
  }
}
