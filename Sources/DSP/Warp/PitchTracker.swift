internal import CRealtime

/// Tracks the fundamental period of a voice, with the work spread over time.
///
/// The normalized cross-correlation of David Talkin, "A Robust Algorithm for Pitch Tracking"
/// (1995), on a copy decimated to about 12 kHz, with `PitchPath` choosing among its maxima. A cycle
/// of eight slots analyzes the last 36 ms before the position and yields one result. Each slot does
/// the same share of the work, so the cost per block stays even.
package struct PitchTracker: ~Copyable, @unchecked Sendable {
  /// The lowest pitch detected, in Hz.
  package static var lowest: Double { @_noLocks get { 60 } }
  /// The highest pitch detected correctly, in Hz; higher ones yield a subharmonic.
  package static var highest: Double { @_noLocks get { 1500 } }
  /// The number of calls of `advance` for one result.
  package static var slots: Int { @_noLocks get { 8 } }

  /// The number of frames between two calls of `advance`.
  package let slotFrames: Int
  /// The period in frames of tape; the last one while the signal is unvoiced.
  package private(set) var period: Float
  /// Whether the signal is periodic.
  package private(set) var isVoiced = false
  /// The power of the analyzed low frequencies per frame, as of the latest result.
  package var lowPower: Float { @_noLocks get { power / Float(window) } }
  // The mono signal that is analyzed.
  private var mono = VoiceMono()

  /// The latest result.
  package var pitch: VoicePitch {
    @_noLocks get { VoicePitch(period: period, isVoiced: isVoiced, mono: mono) }
  }

  private let factor: Int
  private let taps: Int
  private let window: Int
  private let shortest: Int
  private let longest: Int
  private let held: Int
  private let fillsAtOnce: Int
  private static var ringSize: Int { @_noLocks get { 1024 } }

  private let buffers = Buffers()
  // One allocation holds all buffers.
  private let filter: UnsafeMutablePointer<Float>
  private let raw: UnsafeMutablePointer<Float>
  private let ring: UnsafeMutablePointer<Float>
  private let sound: UnsafeMutablePointer<Float>
  private let likeness: UnsafeMutablePointer<Float>

  // The range of decimated samples in the ring; sample i is at frame i * factor of the tape.
  private var firstHeld: Int64 = 0
  private var endHeld: Int64 = 0
  private var slot = 0
  private var isSounding = false
  private var power: Float = 0
  private var lagPower: Float = 0
  private var nextLag = 0
  private var path: PitchPath

  /// Creates a tracker with empty history.
  package init(sampleRate: Double) {
    factor = max(1, Int((sampleRate / 12_000).rounded()))
    slotFrames = 4 * factor
    let rate = sampleRate / Double(factor)
    shortest = max(4, Int(rate / Self.highest))
    longest = Int((rate / Self.lowest).rounded(.up))
    window = (Int(rate * 0.0185) + 15) / 16 * 16
    held = window + longest + 1
    fillsAtOnce = 128
    taps = 16 * factor
    period = Float(sampleRate / 200)
    path = PitchPath(
      secondsARound: Float(Double(4 * factor * Self.slots) / sampleRate), shortest: shortest)

    let rawSize = fillsAtOnce * factor + taps
    let sizes = [taps, rawSize, Self.ringSize, held, longest + 2]
    filter = buffers.floats(sizes.reduce(0, +))
    raw = filter + taps
    ring = raw + rawSize
    sound = ring + Self.ringSize
    likeness = sound + held
    // Keeps the lower formants, which distinguish a period from half of it.
    LowPassTaps.write(to: filter, count: taps, cutoff: 1500 / sampleRate)
  }

  /// Restarts at a frame of the tape; the last period remains until there is a new one.
  @_noLocks
  package mutating func start(at frame: Int64) {
    let past = Int64((held &+ 2) &* factor &+ taps)
    endHeld = floorDivide(frame &- past, by: Int64(factor))
    firstHeld = endHeld
    slot = 0
    path.forget()
  }

  /// Treats the signal as unvoiced until the next result.
  @_noLocks
  package mutating func assumeUnvoiced() {
    isVoiced = false
  }

  /// Sets the sides of the tape that are analyzed.
  @_noLocks
  mutating func setSides(_ sides: VoiceSides) {
    if mono.setSides(sides) {
      // The ring holds the former mix. With its end this far back, `fill` starts again.
      endHeld = endHeld &- 2 &* Int64(held)
      slot = 0
    }
  }

  @_noLocks
  private func floorDivide(_ value: Int64, by divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : -((-value &+ divisor &- 1) / divisor)
  }

  /// Runs the next part of the pitch analysis, which is spread over slots.
  ///
  /// `frame` is the last frame of tape that may be read.
  @_noLocks
  package mutating func advance(_ tape: borrowing Tape, to frame: Int64) {
    fill(tape, to: frame)
    if slot == 0 {
      if endHeld &- firstHeld < Int64(held) { return }
      latch()
    }
    let last = slot == Self.slots &- 1
    if !last {
      let count = (longest &- shortest &+ 3 &+ Self.slots &- 2) / (Self.slots &- 1)
      correlate(upTo: min(longest &+ 2, nextLag &+ count))
      slot &+= 1
      return
    }
    conclude()
    slot = 0
    let heard = Int64(slotFrames &* Self.slots)
    if mono.choose(tape, from: frame &- heard &+ 1, count: Int(heard)) { start(at: frame) }
  }

  /// Appends decimated samples, enough to catch up with a leap in a few slots.
  @_noLocks
  private mutating func fill(_ tape: borrowing Tape, to frame: Int64) {
    let end = floorDivide(frame &- Int64(taps / 2) &+ 1, by: Int64(factor)) &+ 1
    // If the position has left the range in the ring, the gap isn't needed.
    if end < endHeld || end &- endHeld > Int64(held) {
      start(at: frame)
    }
    let count = min(Int(end &- endHeld), fillsAtOnce)
    if count <= 0 { return }
    let first = endHeld &* Int64(factor) &- Int64(taps / 2)
    mono.read(tape, from: first, count: (count &- 1) &* factor &+ taps, to: raw)
    for index in 0..<count {
      let at = Int(truncatingIfNeeded: endHeld &+ Int64(index)) & (Self.ringSize &- 1)
      ring[at] = rt_product(raw + index &* factor, filter, taps)
    }
    endHeld &+= Int64(count)
    firstHeld = max(firstHeld, endHeld &- Int64(Self.ringSize))
  }

  /// Copies the samples for this cycle, without their mean.
  @_noLocks
  private mutating func latch() {
    let first = Int(truncatingIfNeeded: endHeld &- Int64(held)) & (Self.ringSize &- 1)
    let unbroken = min(held, Self.ringSize &- first)
    rt_copy(sound, ring + first, unbroken)
    rt_copy(sound + unbroken, ring, held &- unbroken)
    let mean = VoiceCorrelation.sum(sound, count: held) / Float(held)
    for index in 0..<held { sound[index] = sound[index] - mean }
    let recent = sound + (held &- window)
    power = rt_product(recent, recent, window)
    // -110 dBFS is no voice. False for NaN and values too large to be squared.
    isSounding = power > 1e-11 * Float(window) && power < 1e30
    nextLag = shortest &- 1
    if !isSounding { return }
    let lagged = recent - nextLag
    lagPower = rt_product(lagged, lagged, window)
  }

  @_noLocks
  private mutating func correlate(upTo end: Int) {
    if !isSounding || nextLag >= end { return }
    let recent = sound + (held &- window)
    // A lag into a part 40 dB quieter doesn't count as correlated.
    let floor = power * 1e-4
    var next = nextLag
    while next &+ 4 <= end {
      // The longest lag starts first.
      let four = rt_products(recent, recent - next - 3, window)
      for lane in 0..<4 { likeness[next &+ 3 &- lane] = four[lane] }
      next &+= 4
    }
    while next < end {
      likeness[next] = rt_product(recent, recent - next, window)
      next &+= 1
    }
    for lag in nextLag..<end {
      let lagged = recent - lag
      likeness[lag] =
        likeness[lag] / rt_square_root((power + floor) * (max(lagPower, 0) + floor))
      let entering = lag < held &- window ? lagged[-1] : 0
      let leaving = lagged[window &- 1]
      lagPower += entering * entering - leaving * leaving
    }
    nextLag = end
  }

  @_noLocks
  private mutating func conclude() {
    path.begin()
    if isSounding {
      for lag in shortest...longest {
        let height = likeness[lag]
        if height > 0.3 && height >= likeness[lag &- 1] && height > likeness[lag &+ 1] {
          let beside = VoiceCorrelation.top(likeness[lag &- 1], height, likeness[lag &+ 1])
          let top = height - 0.25 * (likeness[lag &- 1] - likeness[lag &+ 1]) * beside
          path.consider(lag: Float(lag) + beside, likeness: min(top, 1))
        }
      }
    }
    path.choose()
    isVoiced = path.lag > 0
    if isVoiced { period = path.lag * Float(factor) }
  }
}
