internal import CRealtime

/// The spectrum of the latest input, and the tonal peaks in it.
///
/// An FFT of 43 ms with a Hann window and 75 % overlap. Left and right are the real and imaginary
/// parts of one complex transform. The power of both in a bin is the mean power of the bin and its
/// mirror.
struct HowlSpectrum: ~Copyable {
  /// A tonal peak.
  struct Peak: BitwiseCopyable {
    var bin: Int32 = 0
    /// The interpolated frequency, in bins.
    var place: Float = 0
    /// The level of both channels together, in dB relative to a full-scale sine on one.
    var level: Float = 0
    var power: Float = 0
  }

  /// The number of peaks stored; the strongest ones are kept.
  static var mostPeaks: Int { @_noLocks get { 16 } }

  /// The window length and hop size, in frames.
  let size: Int
  let hop: Int
  /// The bin width, in Hz.
  let binHertz: Float

  private let fft: ComplexFFT
  private let buffers = Buffers()
  private let memory: UnsafeMutablePointer<Float>
  private let part: Int
  private let firstBin: Int
  private let lastBin: Int
  private var written = 0
  private var end = 0
  /// The peaks of the last window, strongest first.
  let peaks: UnsafeMutablePointer<Peak>
  private(set) var peakCount = 0
  private var isClear = true

  // Power limits: -60 dB of full scale, and a level above which input is no sound.
  private static let least: Float = 1e-6
  private static var most: Float { @_noLocks get { 1e12 } }
  // How far a peak must exceed its neighbors: 6 dB two bins away, which the window's main lobe
  // alone gives, and 12 dB beyond it. With 3 dB there, howls close together are found sooner, but
  // so are the tones of organs and voices in a room.
  private static var nearShare: Float { @_noLocks get { 0.25 } }
  private static var farShare: Float { @_noLocks get { 0.063 } }

  init(sampleRate: Double) {
    size = .powerOfTwo(atLeast: max(256, Int((sampleRate / 33).rounded(.up))))
    hop = size / 4
    binHertz = Float(sampleRate) / Float(size)
    fft = ComplexFFT(size: size)
    // Offsets of a power of two would map all parts to the same few cache sets.
    part = size + 48
    let count = 12 * part
    memory = buffers.floats(count)
    peaks = buffers.filled(with: Peak(), count: Self.mostPeaks)
    // From 70 Hz to 16 kHz or as far as the sample rate allows.
    firstBin = max(3, Int((70 / binHertz).rounded(.up)))
    lastBin = min(size / 2 - 8, Int(16_000 / binHertz))
    let window = memory + 10 * part
    for frame in 0..<size {
      // Scaled so that a full-scale sine on one channel has power 1.
      window[frame] =
        Float((1 - rt_cos(2 * Double.pi * Double(frame) / Double(size))) * 2 / Double(size))
    }
  }

  // Ring buffers of two windows each.
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

  /// Clears the input and all peaks.
  @_noLocks
  mutating func clear() {
    if isClear { return }
    Blocks.clear(left, frames: 2 &* size)
    Blocks.clear(right, frames: 2 &* size)
    Blocks.clear(powers, frames: size / 2)
    peakCount = 0
    isClear = true
  }

  /// Appends input.
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

  /// Applies the window to the first or second half of the frame.
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

  /// Runs one quarter of the transform.
  @_noLocks
  func transform(quarter: Int) {
    for slice in (fft.passCount &* quarter)..<(fft.passCount &* (quarter &+ 1)) {
      let pass = slice / 4
      fft.pass(
        pass, from: pass == 0 ? grain : fft.place(pass &- 1, to: result, scratch: scratch),
        to: fft.place(pass, to: result, scratch: scratch), slice: slice % 4, of: 4)
    }
  }

  /// Computes the power of one half of the bins.
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

  /// Finds the peaks of one half of the bins.
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
    // Below the first bin there is nothing to compare with.
    return above < far && (bin <= 4 || below < far)
  }

  /// Inserts a peak into the list, sorted by power.
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

  /// Interpolates frequency and level of the peaks.
  @_noLocks
  func placePeaks() {
    for index in 0..<peakCount {
      let bin = Int(peaks[index].bin)
      let before = level(bin &- 1)
      let here = level(bin)
      let behind = level(bin &+ 1)
      // Parabolic interpolation of the log spectrum.
      let curve = before - 2 * here + behind
      let offset = curve < 0 ? 0.5 * (before - behind) / curve : 0
      peaks[index].place = Float(bin) + offset
      peaks[index].level = here - 0.25 * (before - behind) * offset
    }
  }

  /// Returns the level of a bin, in dB.
  @_noLocks
  func level(_ bin: Int) -> Float { 4.342_944_8 * rt_log(powers[bin] + 1e-20) }

  /// Whether a bin is stronger in the right channel.
  @_noLocks
  func isRight(_ bin: Int) -> Bool {
    let (left, right) = sides(bin)
    return right.real * right.real + right.imaginary * right.imaginary
      > left.real * left.real + left.imaginary * left.imaginary
  }

  /// Returns the phase of one channel in a bin, in radians.
  @_noLocks
  func phase(_ bin: Int, isRight: Bool) -> Float {
    let (left, right) = sides(bin)
    let side = isRight ? right : left
    return Float(rt_angle(Double(side.imaginary), Double(side.real)))
  }

  /// Returns the spectra of both channels in a bin, scaled by 2.
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
