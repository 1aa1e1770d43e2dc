internal import CRealtime

/// Moves pitch and time of chords and whole mixes.
///
/// A phase vocoder (see `StudioPhases`) stretches time by pitch over rate, and what it lays down
/// is read at the pitch. A frame of it is a hop of output frames from the next, whatever the
/// pitch, and its work is cut into slices that are done between the hop's frames, so that no
/// block has much more to do than another.
///
/// Where neither pitch nor rate has moved anything for a while, what comes out is the tape itself,
/// bit for bit. Frames are still looked at and laid down then, as they are, so that it goes on
/// from there without a seam.
///
/// Its delay is the same at every pitch: a window's reach ahead of its place, the hop in which
/// the frame is worked on, and the part of a frame that must be laid down before its centre.
package struct StudioWarp: ~Copyable, @unchecked Sendable {
  private let anchor = Anchor()
  private static var slices: Int { @_noLocks get { 16 } }

  private let long: StudioWindow
  private let short: StudioWindow
  private let fft: ComplexFFT
  private var phases: StudioPhases
  private var overlap: StudioOverlap

  // How many frames a slice is worked on in, and how many a hop.
  private let sliceFrames: Int
  private let hop: Int
  // By how many output frames the reading of the centre of a long window's frame follows the end
  // of its hop.
  private let lead: Int
  // By how many frames of the tape the short window looks less far ahead, and by how much of it
  // frames at most come nearer to that in a hop.
  private let mostSpared: Int
  private let sparedStep: Float

  // Both sides as the parts of complex numbers: what the window cut, and later what goes back;
  // what transforms need; the two newest spectra; their negative frequencies, mirrored.
  private let memory: UnsafeMutablePointer<Float>
  private let part: Int
  private var newest = 0

  // Counts output frames within a hop.
  private var frame = 0
  private var isFresh = true
  private var hasLeapt = false
  private var step = StudioPhases.Hop()
  // Where the newest frame's place is on the tape and its centre in the stretched sound, both
  // with 32 binary places; and the whole samples there that it was cut from and is laid at.
  private var place: Int64 = 0
  private var centre: Int64 = 0
  private var cutPlace: Int64 = 0
  private var laidPlace: Int64 = 0
  // Where is read, and how fast: at the last hop's end, at this one's, and at the next one's.
  private var position: Int64 = 0
  private var speedBefore: Int64 = 0
  private var speed: Int64 = 0
  private var nextSpeed: Int64 = 0
  // For how many hops nothing has moved.
  private var stillHops = 0
  // By how many frames of the tape frames are looked at earlier than the long window could be,
  // and by how many output frames their centres are therefore read later behind their hop's end.
  private var spared = 0
  private var extraLead: Float = 0
  // Which window the newest frame was cut with.
  private var isLong = false

  /// An engine at rest; any rate from 8 to 192 kHz.
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
    // A reader two octaves down looks at what is as much as 72 output frames ahead.
    lead = max(80, Int((96 * scale).rounded()))
    let reach = 4 * WarpStep.longest + 2 * SincBank.mostTaps
    // Four times as slow, what is spared of the tape takes four times as long.
    overlap = StudioOverlap(
      longest: 4 * (lead + 4 * mostSpared + 2 * hop) + long.fall, piece: 4 * hop + reach,
      reach: reach, gain: Float(long.size))
    // Not a power of two apart: all parts would fall on the same few lines of the cache.
    part = long.size + 48
    memory = .allocate(capacity: 14 * part)
    memory.initialize(repeating: 0, count: 14 * part)
    start(at: 0)
  }

  deinit { memory.deallocate() }

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

  /// Forgets everything; the next step begins wherever its place is.
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

  /// The delay in frames at rate 1, the same at every pitch.
  @_noLocks
  package func delay(pitch: Float) -> Int { long.ahead &+ hop &+ lead }

  /// How many frames after a start the sound is whole.
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
      // The pitch glides over a hop, a little each slice.
      let speed = Self.glide(speedBefore, self.speed, slice: slice)
      read(speed, bank: bank, to: out.advanced(by: done), frames: count)
      frame &+= count
      if frame == hop { frame = 0 }
      done &+= count
    }
  }

  /// Lays the hop's frame over those before it.
  @_noLocks
  private mutating func layDown(_ sound: Planar) {
    // Stretching moves what is steady by its group delay, and with it the window's own shape.
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

  /// Measures how far is read in a hop.
  @_noLocks
  private func advance(_ from: Int64, _ to: Int64) -> Int64 {
    var sum: Int64 = 0
    for slice in 0..<Self.slices { sum &+= Self.glide(from, to, slice: slice) }
    return sum &* Int64(sliceFrames)
  }

  /// Decides at a hop's begin where its frame is cut from the tape and where it will be laid.
  @_noLocks
  private mutating func plan(
    _ step: WarpStep, at tapePlace: Int64, tape: borrowing Tape, bank: borrowing SincBank
  ) {
    let pitch = Int64(step.pitch * 4_294_967_296)
    if isFresh {
      speed = pitch
      nextSpeed = pitch
    }
    // What was latched for this hop is read in it; what is latched now, in the next one.
    speedBefore = speed
    speed = nextSpeed
    nextSpeed = pitch
    let isStill =
      pitch == WarpStep.unity && step.rate == WarpStep.unity && speed == pitch
      && speedBefore == pitch
    if isStill { comeToWholeSamples() }
    chooseWindow(isStill: isStill, rate: Float(max(step.rate, 1)) * (1 / 4_294_967_296))

    // Samples are whole from here on as far as this hop reads.
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
    // A tape that stands still or runs off has leapt, whatever the step says.
    self.step.isLeap =
      isFresh || hasLeapt || moved <= 1 << 32 || moved >> 32 > Int64(8 &* hop)
    let stretch =
      self.step.isLeap
      ? Float(pitch) / Float(max(step.rate, 1)) : Float(newCentre &- centre) / Float(moved)
    self.step.stretch = min(16, max(0.0625, stretch))
    place = newPlace
    centre = newCentre

    // Frames are cut and laid at whole samples: what is cut a little early is laid so, too.
    let newCutPlace = newPlace >> 32
    let early = Float(newPlace & 0xFFFF_FFFF) * self.step.stretch
    let exact = newCentre &- Int64(early)
    let newLaidPlace = (exact &+ (1 << 31)) >> 32
    self.step.late = Float(exact &- newLaidPlace << 32) * (1 / 4_294_967_296)
    self.step.stretched = Int(truncatingIfNeeded: newLaidPlace &- laidPlace)
    if !self.step.isLeap {
      // Places wrap around at 2^31 frames.
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

  /// Chooses the window of the next frame: long where sound is steady, else short.
  ///
  /// A short window spares a part of the tape that the long one looks ahead, so that frames have
  /// more time to rise, at the same delay. Between both, frames are cut a little closer or wider
  /// for a few hops, with the short one, which sees no more than is there either way. They stay
  /// as they are while nothing moves, lest it never come to rest.
  @_noLocks
  private mutating func chooseWindow(isStill: Bool, rate: Float) {
    if !isStill {
      let step = max(1, Int(sparedStep * rate))
      spared =
        phases.isSteady ? max(0, spared &- step) : min(mostSpared, spared &+ step)
    }
    isLong = phases.isSteady && spared == 0
    // As long as what is spared lasts; it may be another rate by now.
    let most = Float(hop) / 2
    extraLead += max(-most, min(most, Float(spared) / rate - extraLead))
  }

  // Until then turns have faded to a millionth.
  private static var hopsToRest: Int { @_noLocks get { 200 } }

  /// Whether the tape itself is what comes out.
  private var isResting: Bool { @_noLocks get { stillHops == Self.hopsToRest } }

  /// Reads so little faster or slower for two hops that nobody hears it, and then at whole
  /// samples.
  @_noLocks
  private mutating func comeToWholeSamples() {
    let beside = Int64(Int32(truncatingIfNeeded: position))
    guard beside != 0 else { return }
    // What glides to this and back comes as far as a hop at this speed.
    let slower = beside / Int64(hop &* Self.slices) &* Int64(Self.slices)
    if slower == 0 { position &-= beside } else { nextSpeed &-= slower }
  }

  /// Does what `work` would, were the frame not turned: keeps its spectrum for the next one, and
  /// lays it down as it was cut.
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

  /// Makes what was cut as loud as what transforms there and back would make of it.
  @_noLocks
  private func amplify(_ start: Int, _ end: Int) {
    let gain = Float(long.size)
    let grain = self.grain
    for index in start..<end {
      grain.real[index] *= gain
      grain.imaginary[index] *= gain
    }
  }

  /// Does one slice of the work on a frame; each takes about as long as any other.
  @_noLocks
  private mutating func work(_ slice: Int, tape: borrowing Tape) {
    let part = long.size / 32
    let most = phases.bins &* 13 / 16
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
      transform(from: grain, to: low, 0, 1)
    case 1: transform(from: grain, to: low, 1, 5)
    case 2: transform(from: grain, to: low, 5, 9)
    case 3: transform(from: grain, to: low, 9, 13)
    case 4:
      transform(from: grain, to: low, 13, 16)
      mirror()
    case 5: measure(0, 5 &* part)
    case 6: measure(5 &* part, 10 &* part)
    case 7: measure(10 &* part, 16 &* part &+ 4)
    case 8:
      if !isFresh { phases.spread(0, most) }
    case 9:
      if !isFresh {
        phases.spread(most, phases.bins)
        phases.decide(hop: step)
        phases.follow(0, few)
      }
    case 10:
      if !isFresh { phases.follow(few, phases.bins) }
      isFresh = false
    case 11:
      apply(0, 16 &* part)
      transform(from: grain.exchanged, to: result.exchanged, 0, 1)
    case 12: transform(from: grain.exchanged, to: result.exchanged, 1, 5)
    case 13: transform(from: grain.exchanged, to: result.exchanged, 5, 10)
    case 14: transform(from: grain.exchanged, to: result.exchanged, 10, 15)
    default:
      transform(from: grain.exchanged, to: result.exchanged, 15, 16)
      layDown(result)
    }
  }

  @_noLocks
  private mutating func apply(_ start: Int, _ end: Int) {
    phases.apply(low: low, high: high, to: grain, start, end, hop: step)
  }

  /// Does the part of a transform from `first` to `last` sixteenths of it.
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

  /// Sets the negative frequencies of both sides' common spectrum beside the positive ones.
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
