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

  private let window: StudioWindow
  private let fft: ComplexFFT
  private var phases: StudioPhases
  private var overlap: StudioOverlap

  // How many frames a slice is worked on in, and how many a hop.
  private let sliceFrames: Int
  private let hop: Int
  // By how many output frames the reading of a frame's centre follows the end of its hop.
  private let lead: Int
  // How long a frame falls behind its centre, in stretched samples: what it has seen ahead.
  private let fall: Int

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

  /// An engine at rest; any rate from 8 to 192 kHz.
  package init(sampleRate: Double) {
    let scale = sampleRate / 48_000
    window = StudioWindow(
      back: Int((2048 * scale).rounded()), ahead: Int((1696 * scale).rounded()))
    fft = ComplexFFT(size: window.size)
    phases = StudioPhases(size: window.size)
    sliceFrames = max(3, Int((16 * scale).rounded()))
    hop = Self.slices * sliceFrames
    // A reader two octaves down looks at what is as much as 72 output frames ahead.
    lead = max(80, Int((96 * scale).rounded()))
    fall = Int((1100 * scale).rounded())
    overlap = StudioOverlap(
      longest: 4 * (lead + 2 * hop) + fall,
      reach: 4 * WarpStep.longest + 2 * SincBank.mostTaps, gain: Float(window.size))
    // Not a power of two apart: all parts would fall on the same few lines of the cache.
    part = window.size + 48
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
    step.tapeBefore = hop
  }

  /// The delay in frames at rate 1, the same at every pitch.
  @_noLocks
  package func delay(pitch: Float) -> Int { window.ahead &+ hop &+ lead }

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
    let shift = Int((step.stretch - 1) * window.balance)
    overlap.add(
      sound, size: window.size, window: window, at: laidPlace, fall: fall, shift: shift)
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

    // Samples are whole from here on as far as this hop reads.
    let hopEnd = position &+ advance(speedBefore, speed)
    let fastest = Float(max(speedBefore, speed)) * (1 / 4_294_967_296)
    let reach = bank.reach(ofTable: bank.table(forSpeed: fastest))
    let expected = Float(lead &+ fall) / Float(2 &* hop)
    let whole = overlap.whole
    overlap.finish(upTo: (hopEnd >> 32) &+ Int64(reach &+ 2), least: 0.1 * expected)
    if isResting { overlap.replace(from: whole, by: tape, earlier: laidPlace &- cutPlace) }

    let newCentre = hopEnd &+ pitch &* Int64(lead)
    let newPlace = tapePlace &- Int64(window.ahead) << 32
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
      self.step.tape = Int(truncatingIfNeeded: newCutPlace &- cutPlace)
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
    let half = window.size / 2
    switch slice {
    case 0: work(slice, tape: tape)
    case 1...8: transform(from: grain, to: low, 2 &* slice &- 2, 2 &* slice)
    case 9: mirror()
    case 10: phases.rest(low: low, high: high)
    case 11: amplify(0, half)
    case 12: amplify(half, window.size)
    case Self.slices &- 1: layDown(grain)
    default: break
    }
  }

  /// Makes what was cut as loud as what transforms there and back would make of it.
  @_noLocks
  private func amplify(_ start: Int, _ end: Int) {
    let gain = Float(window.size)
    let grain = self.grain
    for index in start..<end {
      grain.real[index] *= gain
      grain.imaginary[index] *= gain
    }
  }

  /// Does one slice of the work on a frame; each takes about as long as any other.
  @_noLocks
  private mutating func work(_ slice: Int, tape: borrowing Tape) {
    let part = window.size / 32
    switch slice {
    case 0:
      newest = 1 &- newest
      phases.advance()
      window.cut(tape, at: cutPlace, to: grain)
    case 1: transform(from: grain, to: low, 0, 4)
    case 2: transform(from: grain, to: low, 4, 9)
    case 3: transform(from: grain, to: low, 9, 16)
    case 4:
      mirror()
      measure(0, 3 &* part)
    case 5: measure(3 &* part, 6 &* part)
    case 6: measure(6 &* part, 9 &* part)
    case 7: measure(9 &* part, 12 &* part)
    case 8: measure(12 &* part, 16 &* part &+ 4)
    case 9:
      if !isFresh { phases.spread(0, phases.bins) }
    case 10:
      if !isFresh {
        phases.decide(hop: step)
        phases.follow(0, phases.bins)
      }
      isFresh = false
    case 11: apply(0, 10 &* part)
    case 12:
      apply(10 &* part, 16 &* part)
      transform(from: grain.exchanged, to: result.exchanged, 0, 2)
    case 13: transform(from: grain.exchanged, to: result.exchanged, 2, 7)
    case 14: transform(from: grain.exchanged, to: result.exchanged, 7, 12)
    default:
      transform(from: grain.exchanged, to: result.exchanged, 12, 16)
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
    while bin <= window.size / 2 {
      let mirrored = Complex4(low, at: window.size &- bin &- 3)
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
      low: low, high: high, lowBefore: lowBefore, highBefore: highBefore, start, end, hop: step)
  }
}
