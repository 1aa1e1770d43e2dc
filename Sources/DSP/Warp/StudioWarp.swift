internal import CRealtime

/// The pitch shifter and time stretcher for chords and full mixes: a phase vocoder followed by a
/// resampler.
///
/// The phase vocoder (see `StudioPhases`) stretches time by pitch over rate, and its output is
/// resampled at the pitch. Frames are one hop of output frames apart at any pitch, and their
/// processing is divided into slices between hops, so the cost per block stays even.
///
/// After a while at neutral pitch and rate the output is the tape itself, bit for bit. Frames are
/// still analyzed and overlap-added then, unmodified, so shifting resumes without a gap.
///
/// The latency is the same at every pitch: the window's reach ahead of the position, the hop in
/// which a frame is processed, and the lead of the synthesis before a frame's center.
package struct StudioWarp: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  private let buffers = Buffers()
  private static var slices: Int { @_noLocks get { 16 } }

  private let long: StudioWindow
  private let short: StudioWindow
  private let fft: ComplexFFT
  private var phases: StudioPhases
  private var overlap: StudioOverlap

  // The length of a slice and of a hop, in frames.
  private let sliceFrames: Int
  private let hop: Int
  // The delay from the end of a hop to the center of its frame, for the long window, in output
  // frames.
  private let lead: Int
  // How much less the short window reads ahead, in frames of tape, and the step per hop while
  // switching.
  private let mostSpared: Int
  private let sparedStep: Float

  // Complex buffers for both channels: the windowed frame and later the rotated spectrum, scratch
  // for transforms, the two newest spectra, and their mirrored negative frequencies.
  private let memory: UnsafeMutablePointer<Float>
  private let part: Int
  private var newest = 0

  // The output frame within the hop.
  private var frame = 0
  private var isFresh = true
  private var hasLeapt = false
  private var step = StudioPhases.Hop()
  // The newest frame's position on the tape and its center in the stretched signal, 32.32
  // fixed-point, and the whole samples used for both.
  private var place: Int64 = 0
  private var centre: Int64 = 0
  private var cutPlace: Int64 = 0
  private var laidPlace: Int64 = 0
  // The read position, and the read speeds at the end of the last hop, of this one and of the next.
  private var position: Int64 = 0
  private var speedBefore: Int64 = 0
  private var speed: Int64 = 0
  private var nextSpeed: Int64 = 0
  // The number of hops without any change.
  private var stillHops = 0
  // How much earlier than for the long window frames are analyzed, in frames of tape, and the
  // resulting extra delay of their centers, in output frames.
  private var spared = 0
  private var extraLead: Float = 0
  // Whether the newest frame used the long window.
  private var isLong = false

  /// Creates an idle engine for sample rates from 8 to 192 kHz.
  package init(sampleRate: Double) {
    let scale = sampleRate / 48_000
    long = StudioWindow(
      back: Int((2048 * scale).rounded()), ahead: Int((1696 * scale).rounded()),
      fall: Int((1100 * scale).rounded()))
    short = StudioWindow(
      back: Int((1280 * scale).rounded()), ahead: Int((1280 * scale).rounded()),
      fall: Int((450 * scale).rounded()), least: long.size, sum: long.sum)
    mostSpared = long.ahead - short.ahead
    sparedStep = Float(mostSpared) / 4
    fft = ComplexFFT(size: long.size)
    sliceFrames = max(3, Int((16 * scale).rounded()))
    hop = Self.slices * sliceFrames
    phases = StudioPhases(size: long.size, hop: hop)
    // At two octaves down, the interpolator reads up to 72 output frames ahead.
    lead = max(80, Int((96 * scale).rounded()))
    let reach = 4 * WarpStep.longest + 2 * SincBank.mostTaps
    // At a quarter of the rate, the spared lookahead lasts four times as long.
    overlap = StudioOverlap(
      longest: 4 * (lead + 4 * mostSpared + 2 * hop) + long.fall, piece: 4 * hop + reach,
      reach: reach, gain: Float(long.size))
    // Offsets of a power of two would map all parts to the same few cache sets.
    part = long.size + 48
    memory = buffers.floats(14 * part)
    start(at: 0)
  }

  private var grain: Planar { @_noLocks get { planar(0) } }
  private var scratch: Planar { @_noLocks get { planar(1) } }
  private var result: Planar { @_noLocks get { planar(2) } }
  private var low: Planar { @_noLocks get { planar(3 &+ newest) } }
  private var lowBefore: Planar { @_noLocks get { planar(4 &- newest) } }
  private var high: Planar { @_noLocks get { planar(5 &+ newest) } }
  private var highBefore: Planar { @_noLocks get { planar(6 &- newest) } }

  @_noLocks @inline(__always)
  private func planar(_ index: Int) -> Planar {
    Planar(memory + 2 &* index &* part, memory + (2 &* index &+ 1) &* part)
  }

  /// Resets the state; the next step starts at its own position.
  @_noLocks
  package mutating func start(at place: Int64) {
    overlap.start()
    phases.start()
    frame = 0
    isFresh = true
    hasLeapt = false
    self.place = place
    centre = 0
    cutPlace = place >> 32
    laidPlace = 0
    position = 0
    speed = 0
    stillHops = 0
    spared = 0
    extraLead = 0
    isLong = false
    step.tapeBefore = hop
  }

  /// Returns the latency in frames at rate 1, the same at every pitch.
  @_noLocks
  package func delay(pitch: Float) -> Int { framesAhead &+ hop &+ lead }

  /// The part of the latency that is the window's, in frames of the tape.
  package var framesAhead: Int { @_noLocks get { long.ahead } }

  /// The number of frames after a start until the output is valid.
  package var warmUp: Int {
    @_noLocks get { hop &+ lead }
  }

  /// Renders `frames` frames of a step, at most `WarpStep.longest`.
  @_noLocks
  package mutating func process(
    _ tape: borrowing Tape, _ step: WarpStep, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    if step.isLeap { hasLeapt = true }
    var done = 0
    while done < frames {
      let inSlice = frame % sliceFrames
      let slice = frame / sliceFrames
      if inSlice == 0 {
        if slice == 0 { plan(step, at: step.place(ofFrame: done), tape: tape, bank: bank) }
        if isResting { rest(slice, tape: tape) } else { work(slice, tape: tape) }
      }
      let count = min(frames &- done, sliceFrames &- inSlice)
      // The pitch glides over one hop, in slices.
      let speed = Self.glide(speedBefore, self.speed, slice: slice)
      read(speed, bank: bank, to: out.advanced(by: done), frames: count)
      frame &+= count
      if frame == hop { frame = 0 }
      done &+= count
    }
  }

  /// Overlap-adds the frame of this hop.
  @_noLocks
  private mutating func layDown(_ sound: Planar) {
    // Stretching shifts steady tones by their group delay, and with them the analysis window.
    if isLong {
      let shift = Int((step.stretch - 1) * long.balance)
      overlap.add(sound, window: long, at: laidPlace, shift: shift)
    } else {
      let shift = Int((step.stretch - 1) * short.balance)
      overlap.add(sound, window: short, at: laidPlace, shift: shift)
    }
  }

  @_noLocks
  private mutating func read(
    _ speed: Int64, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    if isResting && position & 0xFFFF_FFFF == 0 {
      rt_copy(out.left, overlap.left(at: position >> 32), frames)
      rt_copy(out.right, overlap.right(at: position >> 32), frames)
      position &+= Int64(frames) << 32
      return
    }
    let table = bank.table(forSpeed: Float(speed) * (1 / 4_294_967_296))
    let reach = Int64(bank.reach(ofTable: table))
    let first = (position >> 32) &- reach
    let local = (reach << 32) | (position & 0xFFFF_FFFF)
    bank.read(
      table: table, left: overlap.left(at: first), right: overlap.right(at: first), from: local,
      step: speed, to: out, frames: frames)
    position &+= speed &* Int64(frames)
  }

  @_noLocks
  private static func glide(_ from: Int64, _ to: Int64, slice: Int) -> Int64 {
    from &+ (to &- from) &* Int64(slice &+ 1) / Int64(slices)
  }

  /// Returns the distance read in one hop.
  @_noLocks
  private func advance(_ from: Int64, _ to: Int64) -> Int64 {
    var sum: Int64 = 0
    for slice in 0..<Self.slices { sum &+= Self.glide(from, to, slice: slice) }
    return sum &* Int64(sliceFrames)
  }

  /// Plans a hop: the position on the tape and in the output of its frame.
  @_noLocks
  private mutating func plan(
    _ step: WarpStep, at tapePlace: Int64, tape: borrowing Tape, bank: borrowing SincBank
  ) {
    let pitch = Int64(step.pitch * 4_294_967_296)
    if isFresh {
      speed = pitch
      nextSpeed = pitch
    }
    // The speed latched at the last hop is read in this one; the current one in the next.
    speedBefore = speed
    speed = nextSpeed
    nextSpeed = pitch
    let isStill =
      pitch == WarpStep.unity && step.rate == WarpStep.unity && speed == pitch
      && speedBefore == pitch
    if isStill { comeToWholeSamples() }
    chooseWindow(isStill: isStill, rate: Float(max(step.rate, 1)) * (1 / 4_294_967_296))

    // Finishes the output as far as this hop reads.
    let hopEnd = position &+ advance(speedBefore, speed)
    let fastest = Float(max(speedBefore, speed)) * (1 / 4_294_967_296)
    let reach = bank.reach(ofTable: bank.table(forSpeed: fastest))
    let expected = Float(lead &+ long.fall) / Float(2 &* hop)
    let whole = overlap.whole
    overlap.finish(upTo: (hopEnd >> 32) &+ Int64(reach &+ 2), least: 0.1 * expected)
    if isResting { overlap.replace(from: whole, by: tape, earlier: laidPlace &- cutPlace) }

    let laterBy = Int64((Float(lead) + extraLead) * 256)
    let newCentre = hopEnd &+ (pitch &* laterBy) >> 8
    let newPlace = tapePlace &- Int64(long.ahead &- spared) << 32
    let moved = newPlace &- place
    // A tape position that stands still or runs away counts as a leap, whatever the step says.
    self.step.isLeap =
      isFresh || hasLeapt || moved <= 1 << 32 || moved >> 32 > Int64(8 &* hop)
    let stretch =
      self.step.isLeap
      ? Float(pitch) / Float(max(step.rate, 1)) : Float(newCentre &- centre) / Float(moved)
    self.step.stretch = min(16, max(0.0625, stretch))
    place = newPlace
    centre = newCentre

    // Frames are placed at whole samples. One that is cut slightly early is also placed early.
    let newCutPlace = newPlace >> 32
    let early = Float(newPlace & 0xFFFF_FFFF) * self.step.stretch
    let exact = newCentre &- Int64(early)
    let newLaidPlace = (exact &+ (1 << 31)) >> 32
    self.step.late = Float(exact &- newLaidPlace << 32) * (1 / 4_294_967_296)
    self.step.stretched = Int(truncatingIfNeeded: newLaidPlace &- laidPlace)
    if !self.step.isLeap {
      // Positions wrap around at 2^31 frames.
      self.step.tape = Int(Int32(truncatingIfNeeded: newCutPlace &- cutPlace))
      self.step.tapeBefore = self.step.tape
    }
    cutPlace = newCutPlace
    laidPlace = newLaidPlace
    let hasMoved =
      !isStill || nextSpeed != pitch || self.step.isLeap || self.step.tape != hop
      || self.step.stretched != hop
    stillHops = hasMoved ? 0 : min(stillHops &+ 1, Self.hopsToRest)
    hasLeapt = false
  }

  /// Chooses the window of the next frame: long for steady signals, otherwise short.
  ///
  /// The short window needs less lookahead, which leaves more time for a frame's rise at the same
  /// latency. During a switch, frames are spaced slightly closer or wider for a few hops with the
  /// short window, which reads no further than allowed in either case. The window doesn't change
  /// while pitch and rate are neutral, because then the engine would never come to rest.
  @_noLocks
  private mutating func chooseWindow(isStill: Bool, rate: Float) {
    if !isStill {
      let step = max(1, Int(sparedStep * rate))
      spared =
        phases.isSteady ? max(0, spared &- step) : min(mostSpared, spared &+ step)
    }
    isLong = phases.isSteady && spared == 0
    // Lasts as long as the spared lookahead at the current rate.
    let most = Float(hop) / 2
    extraLead += max(-most, min(most, Float(spared) / rate - extraLead))
  }

  // By then, rotations have decayed to a millionth.
  private static var hopsToRest: Int { @_noLocks get { 200 } }

  /// Whether the output is the tape itself.
  private var isResting: Bool { @_noLocks get { stillHops == Self.hopsToRest } }

  /// Changes the read speed inaudibly for two hops to reach a whole sample position.
  @_noLocks
  private mutating func comeToWholeSamples() {
    let beside = Int64(Int32(truncatingIfNeeded: position))
    guard beside != 0 else { return }
    // The distance covered by a glide to this speed and back.
    let slower = beside / Int64(hop &* Self.slices) &* Int64(Self.slices)
    if slower == 0 { position &-= beside } else { nextSpeed &-= slower }
  }

  /// Replaces `work` while idle: stores the frame's spectrum for the next one, and adds the frame
  /// unmodified.
  @_noLocks
  private mutating func rest(_ slice: Int, tape: borrowing Tape) {
    let half = long.size / 2
    switch slice {
    case 0: work(slice, tape: tape)
    case 1...8: transform(from: grain, to: low, 2 &* slice &- 2, 2 &* slice)
    case 9: mirror()
    case 10: phases.rest(low: low, high: high)
    case 11: amplify(0, half)
    case 12: amplify(half, long.size)
    case Self.slices &- 1: layDown(grain)
    default: break
    }
  }

  /// Applies the gain of a forward and inverse transform to the frame.
  @_noLocks
  private func amplify(_ start: Int, _ end: Int) {
    let gain = Float(long.size)
    let grain = self.grain
    for index in start..<end {
      grain.real[index] *= gain
      grain.imaginary[index] *= gain
    }
  }

  /// Processes one slice of a frame.
  ///
  /// All slices cost about the same.
  @_noLocks
  private mutating func work(_ slice: Int, tape: borrowing Tape) {
    let quarter = long.size / 8
    let most = phases.bins / 2
    let few = phases.bins / 4
    switch slice {
    case 0:
      newest = 1 &- newest
      phases.advance()
      if isLong {
        long.cut(tape, at: cutPlace, to: grain)
      } else {
        short.cut(tape, at: cutPlace, to: grain)
      }
    case 1: transform(from: grain, to: low, 0, 6)
    case 2: transform(from: grain, to: low, 6, 12)
    case 3:
      transform(from: grain, to: low, 12, 16)
      mirror()
    case 4...6: measure((slice &- 4) &* quarter, (slice &- 3) &* quarter)
    case 7: measure(3 &* quarter, 4 &* quarter &+ 4)
    case 8:
      if !isFresh { phases.spread(0, most) }
    case 9:
      if !isFresh { phases.spread(most, phases.bins) }
    case 10:
      if !isFresh {
        phases.decide(hop: step)
        phases.follow(0, few)
      }
    case 11:
      if !isFresh { phases.follow(few, phases.bins) }
      isFresh = false
    case 12:
      apply(0, 4 &* quarter)
      transform(from: grain.exchanged, to: result.exchanged, 0, 1)
    case 13: transform(from: grain.exchanged, to: result.exchanged, 1, 7)
    case 14: transform(from: grain.exchanged, to: result.exchanged, 7, 13)
    default:
      transform(from: grain.exchanged, to: result.exchanged, 13, 16)
      layDown(result)
    }
  }

  @_noLocks
  private mutating func apply(_ start: Int, _ end: Int) {
    phases.apply(low: low, high: high, to: grain, start, end, hop: step)
  }

  /// Runs sixteenths `first` to `last` of a transform.
  @_noLocks
  private func transform(from: Planar, to: Planar, _ first: Int, _ last: Int) {
    let quarters = 4 &* fft.passCount
    for quarter in (quarters &* first / 16)..<(quarters &* last / 16) {
      let pass = quarter / 4
      fft.pass(
        pass, from: pass == 0 ? from : fft.place(pass &- 1, to: to, scratch: scratch),
        to: fft.place(pass, to: to, scratch: scratch), slice: quarter % 4, of: 4)
    }
  }

  /// Mirrors the negative frequencies of the packed spectrum.
  @_noLocks
  private func mirror() {
    let low = self.low
    let high = self.high
    high.real[0] = low.real[0]
    high.imaginary[0] = -low.imaginary[0]
    var bin = 1
    while bin <= long.size / 2 {
      let mirrored = Complex4(low, at: long.size &- bin &- 3)
      Complex4(
        rt_reversed(mirrored.real),
        rt_reversed(SIMD4<Float>(repeating: 0) - mirrored.imaginary)
      ).store(high, at: bin)
      bin &+= 4
    }
  }

  @_noLocks
  private mutating func measure(_ start: Int, _ end: Int) {
    phases.measure(
      low: low, high: high, lowBefore: lowBefore, highBefore: highBefore, start, end, hop: step,
      isLong: isLong)
  }
}
