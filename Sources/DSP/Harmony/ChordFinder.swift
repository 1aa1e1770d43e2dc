internal import CRealtime

/// Detects the chord of a polyphonic signal: a set of three or four pitch classes.
///
/// The signal is decimated to about 6 kHz. Every 10 ms, the spectrum of the last 170 ms is summed by pitch class, with a
/// window that favors the newest sound, and compared with templates of chords whose notes have harmonics.
package struct ChordFinder: ~Copyable, @unchecked Sendable {
  private static var size: Int { @_noLocks get { 1024 } }
  private static var decimatedRate: Double { 6000 }
  private static var stepSeconds: Double { 0.01 }
  // The maximum of the window is this far from its newest end, as a share of its length.
  private static var newest: Double { 0.3 }
  // The range of partials, in Hz.
  private static var lowest: Double { 75 }
  private static var highest: Double { 2000 }
  // Sound below -60 dBFS has no chord.
  private static var leastPower: Float { @_noLocks get { 1e-6 } }
  // A new chord must fit best this many times in a row, and better by this much.
  private static var patience: Int { @_noLocks get { 2 } }
  private static var preference: Float { @_noLocks get { 0.003 } }
  // Chords that fit worse are noise. The softest note of a chord has at least this share of the loudest: single notes and
  // fifths have harmonics, but are no chords.
  private static var leastFit: Float { @_noLocks get { 0.6 } }
  private static var leastShare: Float { @_noLocks get { 0.35 } }
  // While a chord is strummed, the power of two steps rises by this factor. There is no result until this many steps
  // after a rise: the first strings alone are another chord.
  private static var rise: Float { @_noLocks get { 1.413 } }
  private static var stepsAfterRise: Int { @_noLocks get { 3 } }

  /// The chord; nil until one was found.
  package private(set) var chord: Chord?

  private let factor: Int
  private let taps: Int
  private let framesAStep: Int
  private var framesToStep: Int
  private let fft: RealFFT
  private let buffers = Buffers()
  private let filter: UnsafeMutablePointer<Float>
  // Undecimated samples, the last `taps` of them first.
  private let raw: UnsafeMutablePointer<Float>
  private var rawCount: Int
  private static var rawRoom: Int { @_noLocks get { 512 } }
  // The last decimated samples.
  private let ring: UnsafeMutablePointer<Float>
  private var head = 0
  private let window: UnsafeMutablePointer<Float>
  private let windowed: UnsafeMutablePointer<Float>
  private let spectrum: Planar
  private let firstBin: Int
  private let endBin: Int
  private let hertzPerBin: Float
  private let chroma: UnsafeMutablePointer<Float>
  // Twelve weights per shape of chord, for the root C, of length 1.
  private let shapes: UnsafeMutablePointer<Float>
  // The same weights for a single note C, and their product with those of the note at each interval.
  private let note: UnsafeMutablePointer<Float>
  private let kinship: UnsafeMutablePointer<Float>
  private var lastPower: Float = 0
  private var stepsToWait = 0
  private var candidate: Chord?
  private var times = 0

  /// Creates a finder with empty history.
  package init(sampleRate: Double) {
    factor = max(1, Int((sampleRate / Self.decimatedRate).rounded()))
    let rate = sampleRate / Double(factor)
    taps = 16 * factor
    framesAStep = factor * Int((rate * Self.stepSeconds).rounded())
    framesToStep = framesAStep
    fft = RealFFT(size: Self.size)
    filter = buffers.floats(taps)
    raw = buffers.floats(taps + Self.rawRoom)
    rawCount = taps
    ring = buffers.floats(Self.size)
    window = buffers.floats(Self.size)
    windowed = buffers.floats(Self.size)
    spectrum = Planar(buffers.floats(Self.size / 2 + 8), buffers.floats(Self.size / 2 + 8))
    chroma = buffers.floats(12)
    shapes = buffers.floats(12 * ChordShape.allCases.count)
    note = buffers.floats(12)
    kinship = buffers.floats(12)
    hertzPerBin = Float(rate / Double(Self.size))
    firstBin = Int(Self.lowest / rate * Double(Self.size))
    endBin = Int(Self.highest / rate * Double(Self.size))
    LowPassTaps.write(to: filter, count: taps, cutoff: 2300 / sampleRate)
    for index in 0..<Self.size {
      let age = 1 - (Double(index) + 0.5) / Double(Self.size)
      let share = age < Self.newest ? age / Self.newest : (1 - age) / (1 - Self.newest)
      window[index] = Float(0.5 - 0.5 * rt_cos(Double.pi * share))
    }
    for shape in ChordShape.allCases { shape.write(to: shapes + 12 * Int(shape.rawValue)) }
    ChordShape.write([0], to: note)
    for interval in 0..<12 {
      for index in 0..<12 { kinship[interval] += note[index] * note[(index + interval) % 12] }
    }
  }

  /// Resets the history and the chord.
  @_noLocks
  package mutating func reset() {
    rt_zero(ring, Self.size)
    rt_zero(raw, taps)
    rawCount = taps
    chord = nil
    candidate = nil
  }

  /// Analyzes the next frames.
  @_noLocks
  package mutating func process(_ samples: UnsafePointer<Float>, frames: Int) {
    var done = 0
    while done < frames {
      let room = taps &+ Self.rawRoom &- rawCount
      let count = min(frames &- done, min(framesToStep, room))
      rt_copy(raw + rawCount, samples + done, count)
      rawCount &+= count
      done &+= count
      framesToStep &-= count
      decimate()
      if framesToStep == 0 {
        framesToStep = framesAStep
        find()
      }
    }
  }

  @_noLocks
  private mutating func decimate() {
    var first = 0
    while first &+ taps &+ factor <= rawCount {
      first &+= factor
      ring[head] = rt_product(raw + first, filter, taps)
      head = (head &+ 1) & (Self.size &- 1)
    }
    if first == 0 { return }
    let rest = rawCount &- first
    for index in 0..<rest { raw[index] = raw[first &+ index] }
    rawCount = rest
  }

  /// Chooses the chord of the last sound.
  @_noLocks
  private mutating func find() {
    waitForStrum()
    guard stepsToWait == 0 && analyze() else {
      times = 0
      return
    }
    var best = Chord(root: 0, shape: .major)
    var most: Float = -1
    var present: Float = 0
    for shape in 0..<ChordShape.count {
      for root in 0..<12 {
        let fit = fit(shapes + 12 &* shape, root: root)
        let found = Chord(root: UInt8(root), shape: ChordShape(number: UInt8(shape)))
        if let chord, chord == found { present = fit }
        if fit > most {
          most = fit
          best = found
        }
      }
    }
    guard most > Self.leastFit && most > present + Self.preference && hasAllNotes(best) else {
      times = 0
      return
    }
    if let candidate, candidate == best { times &+= 1 } else { times = 1 }
    candidate = best
    if times >= Self.patience {
      chord = best
      times = 0
    }
  }

  /// Notes whether another string was struck in the last step.
  @_noLocks
  private mutating func waitForStrum() {
    var power: Float = 1e-12
    let count = 2 &* framesAStep / factor
    for index in 1...count {
      let sample = ring[(head &- index) & (Self.size &- 1)]
      power += sample * sample
    }
    if stepsToWait > 0 { stepsToWait &-= 1 }
    if power > Self.rise * lastPower { stepsToWait = Self.stepsAfterRise }
    lastPower = power
  }

  /// Whether each note of a chord is played, rather than a harmonic of the others.
  ///
  /// Fits the amplitudes of the notes to the pitch classes by multiplicative updates, after Daniel Lee and Sebastian
  /// Seung, "Algorithms for Non-negative Matrix Factorization" (2001).
  @_noLocks
  private func hasAllNotes(_ chord: Chord) -> Bool {
    let notes = chord.notes
    var classes = SIMD4<Int>()
    var count = 0
    for index in 0..<12 where notes &>> UInt16(index) & 1 == 1 && count < 4 {
      classes[count] = index
      count &+= 1
    }
    var found = SIMD4<Float>()
    var wanted = SIMD4<Float>()
    for one in 0..<count {
      wanted[one] = fit(note, root: classes[one])
      found[one] = max(wanted[one], 1e-6)
    }
    for _ in 0..<30 {
      let former = found
      for one in 0..<count {
        var sum: Float = 1e-9
        for other in 0..<count {
          sum += former[other] * kinship[abs(classes[one] &- classes[other])]
        }
        found[one] = former[one] * wanted[one] / sum
      }
    }
    var (least, most) = (found[0], found[0])
    for one in 1..<count {
      least = min(least, found[one])
      most = max(most, found[one])
    }
    return least >= Self.leastShare * most
  }

  /// Computes the pitch classes of the last sound.
  ///
  /// Returns false if it is too soft.
  @_noLocks
  private func analyze() -> Bool {
    var power: Float = 0
    for index in 0..<Self.size {
      let sample = ring[(head &+ index) & (Self.size &- 1)]
      windowed[index] = window[index] * sample
      power += windowed[index] * windowed[index]
    }
    // False for NaN.
    guard power > Self.leastPower * Float(Self.size) && power < 1e30 else { return false }
    fft.forward(windowed, to: spectrum)
    rt_zero(chroma, 12)
    var last = magnitude(firstBin &- 1)
    var own = magnitude(firstBin)
    for bin in firstBin..<endBin {
      let next = magnitude(bin &+ 1)
      if own > last && own >= next { add(bin, last, own, next) }
      last = own
      own = next
    }
    var sum: Float = 0
    for index in 0..<12 { sum += chroma[index] * chroma[index] }
    if sum <= 0 { return false }
    let scale = 1 / rt_square_root(sum)
    for index in 0..<12 { chroma[index] *= scale }
    return true
  }

  @_noLocks
  private func magnitude(_ bin: Int) -> Float {
    rt_square_root(
      spectrum.real[bin] * spectrum.real[bin] + spectrum.imaginary[bin] * spectrum.imaginary[bin])
  }

  /// Adds a partial to its pitch class, shared with the neighbor that it lies toward.
  @_noLocks
  private func add(_ bin: Int, _ last: Float, _ own: Float, _ next: Float) {
    let offset = 0.5 * (next - last) / (2 * own - last - next)
    let hertz = (Float(bin) + offset) * hertzPerBin
    let key = Semitones.note(hertz: hertz)
    let lower = Int(key)
    let share = key - Float(lower)
    // The square root: soft partials count, too.
    let weight = rt_square_root(own)
    // Only partials close to a note are clear.
    chroma[lower % 12] += weight * max(0, 1 - 2 * share)
    chroma[(lower &+ 1) % 12] += weight * max(0, 2 * share - 1)
  }

  /// The product of weights, moved to a root, with the pitch classes.
  @_noLocks
  private func fit(_ weights: UnsafePointer<Float>, root: Int) -> Float {
    var sum: Float = 0
    for index in 0..<12 {
      let note = root &+ index
      sum += weights[index] * chroma[note >= 12 ? note &- 12 : note]
    }
    return sum
  }
}

/// A chord: the pitch class of its root, and its shape.
package struct Chord: BitwiseCopyable, Equatable, Sendable {
  /// The pitch class of the root, from 0 for C.
  package let root: UInt8
  /// The shape.
  package let shape: ChordShape

  /// Creates a chord.
  @_noLocks
  package init(root: UInt8, shape: ChordShape) {
    self.root = root
    self.shape = shape
  }

  /// Creates a chord from its bits.
  @_noLocks
  package init(bits: UInt16) {
    root = UInt8(truncatingIfNeeded: bits & 0xFF)
    shape = ChordShape(number: UInt8(truncatingIfNeeded: bits &>> 8))
  }

  /// Root and shape in two bytes.
  package var bits: UInt16 { @_noLocks get { UInt16(shape.number) &<< 8 | UInt16(root) } }

  /// The pitch classes, as bits from C.
  package var notes: UInt16 {
    @_noLocks get {
      let turned = UInt32(shape.steps) &<< UInt32(root)
      return UInt16(truncatingIfNeeded: (turned | turned &>> 12) & 0xFFF)
    }
  }

  @_noLocks
  package static func == (one: Chord, other: Chord) -> Bool { one.bits == other.bits }
}

/// The intervals of a chord above its root.
package enum ChordShape: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case major, minor, diminished, augmented, fourth
  case seventh, majorSeventh, minorSeventh, halfDiminished, diminishedSeventh

  static var count: Int { @_noLocks get { 10 } }

  /// Returns the shape with a number below `count`.
  @_noLocks
  init(number: UInt8) {
    // The real-time check rejects the initializer from a raw value, and its getter.
    self = unsafeBitCast(min(number, 9), to: ChordShape.self)
  }

  var number: UInt8 { @_noLocks get { unsafeBitCast(self, to: UInt8.self) } }

  /// The intervals in semitones, as bits.
  var steps: UInt16 {
    @_noLocks get {
      switch self {
      case .major: 0b0000_1001_0001
      case .minor: 0b0000_1000_1001
      case .diminished: 0b0000_0100_1001
      case .augmented: 0b0001_0001_0001
      case .fourth: 0b0000_1010_0001
      case .seventh: 0b0100_1001_0001
      case .majorSeventh: 0b1000_1001_0001
      case .minorSeventh: 0b0100_1000_1001
      case .halfDiminished: 0b0100_0100_1001
      case .diminishedSeventh: 0b0010_0100_1001
      }
    }
  }

  /// The suffix of the name of a chord.
  package var suffix: String {
    switch self {
    case .major: ""
    case .minor: "m"
    case .diminished: "dim"
    case .augmented: "aug"
    case .fourth: "sus4"
    case .seventh: "7"
    case .majorSeventh: "maj7"
    case .minorSeventh: "m7"
    case .halfDiminished: "m7b5"
    case .diminishedSeventh: "dim7"
    }
  }

  /// Writes the weights of the twelve pitch classes of a chord on C, of length 1.
  fileprivate func write(to weights: UnsafeMutablePointer<Float>) {
    Self.write((0..<12).filter { steps >> UInt16($0) & 1 == 1 }, to: weights)
  }

  /// Writes the weights of the twelve pitch classes of notes, of length 1.
  fileprivate static func write(_ notes: [Int], to weights: UnsafeMutablePointer<Float>) {
    // Square roots of the amplitudes of the first seven harmonics, as found by trial: with more of the fifth and less of
    // the seventh, triads become sevenths.
    let harmonics: [(interval: Int, weight: Float)] = [
      (0, 1), (0, 0.7), (7, 0.4), (0, 0.35), (4, 0.2), (7, 0.15), (10, 0.1),
    ]
    for note in notes {
      for harmonic in harmonics { weights[(note + harmonic.interval) % 12] += harmonic.weight }
    }
    var sum: Float = 0
    for note in 0..<12 { sum += weights[note] * weights[note] }
    for note in 0..<12 { weights[note] /= sum.squareRoot() }
  }
}
