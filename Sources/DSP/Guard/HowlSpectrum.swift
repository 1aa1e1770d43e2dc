internal import CRealtime

/// The spectrum of what came in last, and the tones that stand out of it.
///
/// A transform of 43 ms under a Hann window, four of them over each other. Both sides are the parts
/// of one complex signal: the power of both in a bin is that of the bin and of its mirror.
struct HowlSpectrum: ~Copyable {
  /// A tone that stands out.
  struct Peak: BitwiseCopyable {
    var bin: Int32 = 0
    /// The place between bins.
    var place: Float = 0
    /// The level of both sides together, in dB of a full sine on one.
    var level: Float = 0
    var power: Float = 0
  }

  /// The most tones that are kept, the strongest ones.
  static var mostPeaks: Int { @_noLocks get { 16 } }

  /// The frames of a window, and from one to the next.
  let size: Int
  let hop: Int
  /// The width of a bin, in Hz.
  let binHertz: Float

  private let fft: ComplexFFT
  private let memory: UnsafeMutablePointer<Float>
  private let part: Int
  private let firstBin: Int
  private let lastBin: Int
  private var written = 0
  private var end = 0
  /// The tones of the last window, the strongest first.
  let peaks: UnsafeMutablePointer<Peak>
  private(set) var peakCount = 0
  private var isClear = true

  // In powers: -60 dB of full scale; and above this it is no sound.
  private static let least: Float = 1e-6
  private static var most: Float { @_noLocks get { 1e12 } }
  // By how much a tone stands above what is beside it: 6 dB two bins away, where the window has
  // fallen by as much itself, and 12 dB where it has ended. With 3 dB there, howls side by side are
  // found sooner, but so are tones of organs and voices in a room.
  private static var nearShare: Float { @_noLocks get { 0.25 } }
  private static var farShare: Float { @_noLocks get { 0.063 } }

  init(sampleRate: Double) {
    var size = 256
    while Double(size) < sampleRate / 33 { size *= 2 }
    self.size = size
    hop = size / 4
    binHertz = Float(sampleRate) / Float(size)
    fft = ComplexFFT(size: size)
    // Not a power of two apart: all parts would fall on the same few lines of the cache.
    part = size + 48
    let count = 12 * part
    memory = .allocate(capacity: count)
    memory.initialize(repeating: 0, count: count)
    peaks = .allocate(capacity: Self.mostPeaks)
    peaks.initialize(repeating: Peak(), count: Self.mostPeaks)
    // From 70 Hz to 16 kHz, as far as there is.
    firstBin = max(3, Int((70 / binHertz).rounded(.up)))
    lastBin = min(size / 2 - 8, Int(16_000 / binHertz))
    let window = memory + 10 * part
    for frame in 0..<size {
      // A full sine on one side has power 1.
      window[frame] =
        Float((1 - rt_cos(2 * Double.pi * Double(frame) / Double(size))) * 2 / Double(size))
    }
  }

  deinit {
    memory.deallocate()
    peaks.deallocate()
  }

  // A ring of two windows each.
  private var left: UnsafeMutablePointer<Float> { @_noLocks get { memory } }
  private var right: UnsafeMutablePointer<Float> { @_noLocks get { memory + 2 &* part } }
  private var grain: Planar { @_noLocks get { planar(4) } }
  private var scratch: Planar { @_noLocks get { planar(6) } }
  private var result: Planar { @_noLocks get { planar(8) } }
  private var window: UnsafeMutablePointer<Float> { @_noLocks get { memory + 10 &* part } }
  private var powers: UnsafeMutablePointer<Float> { @_noLocks get { memory + 11 &* part } }

  @_noLocks
  private func planar(_ index: Int) -> Planar {
    Planar(memory + index &* part, memory + (index &+ 1) &* part)
  }

  /// Forgets the sound, and all that was found.
  @_noLocks
  mutating func clear() {
    if isClear { return }
    Blocks.clear(left, frames: 2 &* size)
    Blocks.clear(right, frames: 2 &* size)
    Blocks.clear(powers, frames: size / 2)
    peakCount = 0
    isClear = true
  }

  /// Takes frames in.
  @_noLocks
  mutating func write(_ sound: Stereo, frames: Int) {
    isClear = false
    let mask = 2 &* size &- 1
    var done = 0
    while done < frames {
      let place = written & mask
      let run = min(frames &- done, 2 &* size &- place)
      Blocks.copy(sound.left + done, to: left + place, frames: run)
      Blocks.copy(sound.right + done, to: right + place, frames: run)
      written &+= run
      done &+= run
    }
  }

  // MARK: - The slices of the work

  /// Cuts the first or the second half of the window.
  @_noLocks
  mutating func cut(half: Int) {
    if half == 0 { end = written }
    let mask = 2 &* size &- 1
    let from = half &* (size / 2)
    let start = (end &- size &+ from) & mask
    let (grain, window) = (self.grain, self.window)
    var done = 0
    while done < size / 2 {
      let place = (start &+ done) & mask
      let run = min(size / 2 &- done, 2 &* size &- place)
      let at = from &+ done
      Blocks.scale(left + place, by: window + at, to: grain.real + at, frames: run)
      Blocks.scale(right + place, by: window + at, to: grain.imaginary + at, frames: run)
      done &+= run
    }
  }

  /// Transforms what was cut: one of four parts of that work.
  @_noLocks
  func transform(quarter: Int) {
    for slice in (fft.passCount &* quarter)..<(fft.passCount &* (quarter &+ 1)) {
      let pass = slice / 4
      fft.pass(
        pass, from: pass == 0 ? grain : fft.place(pass &- 1, to: result, scratch: scratch),
        to: fft.place(pass, to: result, scratch: scratch), slice: slice % 4, of: 4)
    }
  }

  /// Finds the powers of the bins of one half.
  @_noLocks
  func measure(half: Int) {
    let (real, imaginary) = (result.real, result.imaginary)
    let powers = self.powers
    let count = size / 4
    for bin in (half &* count)..<(half &* count &+ count) where bin > 0 {
      let mirror = size &- bin
      let here = real[bin] * real[bin] + imaginary[bin] * imaginary[bin]
      let there = real[mirror] * real[mirror] + imaginary[mirror] * imaginary[mirror]
      powers[bin] = 0.5 * (here + there)
    }
  }

  /// Finds the tones of one half.
  @_noLocks
  mutating func findPeaks(half: Int) {
    if half == 0 { peakCount = 0 }
    let middle = (firstBin &+ lastBin) / 2
    let powers = UnsafePointer(self.powers)
    for bin in (half == 0 ? firstBin : middle)..<(half == 0 ? middle : lastBin) {
      let power = powers[bin]
      guard power > Self.least && power < Self.most else { continue }
      guard power > powers[bin &- 1] && power >= powers[bin &+ 1] else { continue }
      let near = Self.nearShare * power
      guard near > powers[bin &- 2] && near > powers[bin &+ 2] else { continue }
      if isAlone(bin, power) { keep(bin, power) }
    }
  }

  @_noLocks
  private func isAlone(_ bin: Int, _ power: Float) -> Bool {
    let far = Self.farShare * power
    var (below, above) = (power, power)
    for away in 3...6 {
      above = min(above, powers[bin &+ away])
      if bin > away { below = min(below, powers[bin &- away]) }
    }
    // Below the first bin there is nothing to be above.
    return above < far && (bin <= 4 || below < far)
  }

  /// Keeps a tone among the others, in the order of their strength.
  @_noLocks
  private mutating func keep(_ bin: Int, _ power: Float) {
    var place = min(peakCount, Self.mostPeaks &- 1)
    if peakCount == Self.mostPeaks && peaks[place].power >= power { return }
    while place > 0 && peaks[place &- 1].power < power {
      peaks[place] = peaks[place &- 1]
      place &-= 1
    }
    peaks[place].bin = Int32(truncatingIfNeeded: bin)
    peaks[place].power = power
    peakCount = min(peakCount &+ 1, Self.mostPeaks)
  }

  /// Finds where between the bins the tones are, and how strong.
  @_noLocks
  func placePeaks() {
    for index in 0..<peakCount {
      let bin = Int(peaks[index].bin)
      let before = level(bin &- 1)
      let here = level(bin)
      let behind = level(bin &+ 1)
      // A parabola through logarithms.
      let curve = before - 2 * here + behind
      let offset = curve < 0 ? 0.5 * (before - behind) / curve : 0
      peaks[index].place = Float(bin) + offset
      peaks[index].level = here - 0.25 * (before - behind) * offset
    }
  }

  /// The level in a bin, in dB.
  @_noLocks
  func level(_ bin: Int) -> Float { 4.342_944_8 * rt_log(powers[bin] + 1e-20) }

  /// Whether a tone in a bin is stronger on the right side.
  @_noLocks
  func isRight(_ bin: Int) -> Bool {
    let (left, right) = sides(bin)
    return right.real * right.real + right.imaginary * right.imaginary
      > left.real * left.real + left.imaginary * left.imaginary
  }

  /// The phase of one side in a bin, in radians.
  @_noLocks
  func phase(_ bin: Int, isRight: Bool) -> Float {
    let (left, right) = sides(bin)
    let side = isRight ? right : left
    return Float(rt_angle(Double(side.imaginary), Double(side.real)))
  }

  /// Both sides of a bin, each twice as large.
  @_noLocks
  private func sides(
    _ bin: Int
  ) -> (left: (real: Float, imaginary: Float), right: (real: Float, imaginary: Float)) {
    let mirror = size &- bin
    let (real, imaginary) = (result.real, result.imaginary)
    return (
      (real[bin] + real[mirror], imaginary[bin] - imaginary[mirror]),
      (imaginary[bin] + imaginary[mirror], real[mirror] - real[bin])
    )
  }
}
