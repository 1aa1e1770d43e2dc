import DSP
import Foundation
import TestSupport
import Testing

@Suite struct VoiceWarpTests {
  /// The settings of a warp at an output frame.
  private struct Wish {
    var pitch: Float = 1
    var formant: Float = 1
    var rate = 1.0
    /// The target of a leap, if any.
    var leap: Int?
  }

  /// Shared by all tests, because the tables take a while to build.
  private final class Readers: Sendable { let bank = SincBank() }
  private static let readers = Readers()

  private static let rate = 48_000.0
  private static let delay = 960

  /// Whether the tape is complete from the start or grows with the position.
  private enum Supply { case atOnce, asItGoes }

  private func warped(
    _ left: [Float], _ right: [Float]? = nil, frames: Int? = nil, block: Int = 32,
    sampleRate: Double = rate, supply: Supply = .atOnce, _ wish: (Int) -> Wish
  ) -> (left: [Float], right: [Float]) {
    var tape = Tape(
      seconds: Double(left.count) / sampleRate + 0.5, reach: 512, sampleRate: sampleRate)
    var warp = VoiceWarp(sampleRate: sampleRate)
    warp.start(at: 0)
    let frames = frames ?? left.count
    var (inLeft, inRight) = (left, right ?? left)
    var outLeft = [Float](repeating: 9, count: frames)
    var outRight = outLeft
    withStereo(&inLeft, &inRight) { input in
      func write(upTo end: Int) {
        let head = Int(tape.head)
        let count = min(end, left.count) - head
        if count <= 0 { return }
        tape.write(input.advanced(by: head), frames: count)
      }
      withStereo(&outLeft, &outRight) { out in
        if supply == .atOnce { write(upTo: left.count) }
        var place: Int64 = 0
        var done = 0
        while done < frames {
          // Settings may change every 32 frames, where steps end.
          let count = min(block, 32 - done % 32, frames - done)
          let wish = wish(done)
          if let leap = wish.leap { place = Int64(leap) << 32 }
          if supply == .asItGoes { write(upTo: Int(place >> 32) + 1) }
          let step = WarpStep(
            place: place, rate: Int64(wish.rate * 4_294_967_296), pitch: wish.pitch,
            formant: wish.formant, isLeap: wish.leap != nil)
          let sound = out.advanced(by: done)
          warp.process(tape, step, bank: Self.readers.bank, to: sound, frames: count)
          place = step.place(ofFrame: count)
          done += count
        }
      }
    }
    return (outLeft, outRight)
  }

  /// The mean period of a steady tone in frames, from its autocorrelation.
  private func period(_ sound: ArraySlice<Float>, near expected: Double) -> Double {
    let sound = Array(sound)
    // Several periods make the interpolated maximum more precise.
    let periods = max(1, min(6, Int(Double(sound.count) / expected / 3)))
    let middle = expected * Double(periods)
    let lags = Int(middle * 0.96)...Int(middle * 1.04)
    let count = sound.count - lags.upperBound - 1
    func product(_ lag: Int) -> Double {
      var (sum, own, other) = (0.0, 0.0, 0.0)
      for index in stride(from: 0, to: count, by: 3) {
        let (a, b) = (Double(sound[index]), Double(sound[index + lag]))
        sum += a * b
        own += a * a
        other += b * b
      }
      return sum / (own * other).squareRoot()
    }
    let likeness = lags.map(product)
    let best = likeness.indices.dropFirst().dropLast().max { likeness[$0] < likeness[$1] }!
    let (a, b, c) = (likeness[best - 1], likeness[best], likeness[best + 1])
    return (Double(lags.lowerBound + best) + 0.5 * (a - c) / (a - 2 * b + c)) / Double(periods)
  }

  private func cents(_ ratio: Double) -> Double { 1200 * log2(ratio) }

  private func level(_ sound: some Collection<Float>) -> Double {
    10 * log10(sound.reduce(0) { $0 + Double($1) * Double($1) } / Double(sound.count))
  }

  /// The level of a partial, in dB.
  private func partial(_ sound: ArraySlice<Float>, _ hertz: Double) -> Double {
    var (real, imaginary, weights) = (0.0, 0.0, 0.0)
    let step = 2 * Double.pi * hertz / Self.rate
    for (index, sample) in sound.enumerated() {
      let weight = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(sound.count))
      real += weight * Double(sample) * cos(step * Double(index))
      imaginary += weight * Double(sample) * sin(step * Double(index))
      weights += weight
    }
    return 10 * log10((real * real + imaginary * imaginary) / (weights * weights))
  }

  /// The RMS deviation in dB, in bands of 450 Hz up to 3.5 kHz, from the vowel's envelope shifted
  /// by `formant`.
  private func envelopeError(of sound: ArraySlice<Float>, pitch: Double, formant: Double) -> Double
  {
    // Single partials deviate, because a two-period grain smooths the spectrum.
    let partials = (2..<Int(3500 * min(1, formant) / pitch)).map { number in
      let hertz = pitch * Double(number)
      return (hertz, pow(10, partial(sound, hertz) / 10), pow(10, envelope(hertz / formant) / 10))
    }
    let differences = stride(from: 400.0, to: partials.last!.0 - 200, by: 150).map { middle in
      let band = partials.filter { abs($0.0 - middle) < 225 }
      return 10 * log10(band.reduce(0) { $0 + $1.1 } / band.reduce(0) { $0 + $1.2 })
    }
    let mean = differences.reduce(0, +) / Double(differences.count)
    let power = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (power / Double(differences.count)).squareRoot()
  }

  /// The level of a vowel's partial at a frequency in dB, up to a constant.
  private func envelope(_ hertz: Double) -> Double {
    // The product of the vowel's filters.
    var decibels = 0.0
    for (formant, width) in [(0.0, 150.0), (0.0, 900.0)] + Vowel.open {
      let radius = exp(-Double.pi * width / Self.rate)
      let (first, second) = (2 * radius * cos(2 * .pi * formant / Self.rate), -radius * radius)
      let angle = 2 * Double.pi * hertz / Self.rate
      let real = 1 - first * cos(angle) - second * cos(2 * angle)
      let imaginary = first * sin(angle) + second * sin(2 * angle)
      decibels -= 10 * log10(real * real + imaginary * imaginary)
    }
    // The DC filter is transparent for all partials but the lowest.
    return decibels
  }

  /// A bandlimited saw with a period of whole frames.
  private func saw(_ hertz: Int, frames: Int) -> [Float] {
    let length = Int(Self.rate) / hertz
    let period = (0..<length).map { frame in
      (1..<(12_000 / hertz)).reduce(Float(0)) { sum, number in
        sum
          + Float(
            0.4 / Double(number) * sin(2 * .pi * Double(number * frame % length) / Double(length)))
      }
    }
    return (0..<frames).map { period[$0 % length] }
  }

  /// The power of a pitch's partials up to 1.5 kHz, excluding those shared with another pitch.
  private func power(
    of pitch: Double, besides other: Double? = nil, in sound: ArraySlice<Float>
  ) -> Double {
    (1...Int(1500 / pitch)).reduce(0) { sum, number in
      let hertz = pitch * Double(number)
      // Closer than this, the window of `partial` can't separate them.
      if let other, abs(hertz - other * max(1, (hertz / other).rounded())) < 25 { return sum }
      return sum + pow(10, partial(sound, hertz) / 10)
    }
  }

  /// How much a saw's new pitch exceeds its old one in dB, excluding shared partials.
  private func lead(of new: Double, over old: Double, in sound: ArraySlice<Float>) -> Double {
    let rest = power(of: old, besides: new, in: sound)
    if rest == 0 {
      // All partials of the old pitch belong to the new one too, so those in between must be there.
      return power(of: new, besides: old, in: sound) > power(of: old, in: sound) / 4 ? 100 : 0
    }
    let own = power(of: new, besides: old, in: sound)
    // An octave above there are no partials of its own.
    return 10 * log10((own > 0 ? own : power(of: new, in: sound)) / rest)
  }

  private func speech(_ frames: Int) -> [Float] {
    // A gliding vowel, noise, a pause, and another vowel.
    let first = Vowel(seconds: 0.25) { 120 + 100 * $0 }.samples
    let noise = Tone.noise(amplitude: 0.1, frames: 4800)
    let second = Vowel(seconds: 0.25, formants: Vowel.closed) { 200 - 150 * $0 }.samples
    let all = first + noise + Tone.constant(0, frames: 2000) + second
    return (0..<frames).map { all[$0 % all.count] }
  }

  // MARK: - The lowest partials

  @Test(arguments: [Float(-7), -4, 4, 7])
  func `a strong fundamental keeps its level at another pitch`(_ semitones: Float) {
    let pitch = pow(2, semitones / 12)
    let frames = 60_000
    let tones = zip(
      Tone.sine(250, amplitude: 0.3, frames: frames),
      Tone.sine(500, amplitude: 0.03, frames: frames))
    let sound = tones.map { $0 + $1 }
    let wish = Wish(pitch: pitch)
    let moved = warped(sound) { _ in wish }.left[20_000..<52_000]
    let change = partial(moved, 250 * Double(pitch)) - partial(sound[20_000..<52_000], 250)
    // Leakage from other partials into the estimate: less than a decibel.
    #expect(abs(change) < 0.5)
    // Between the partials the level falls by 20 dB, and a lower grain rate lowers everything.
    let second = partial(moved, 500 * Double(pitch)) - partial(moved, 250 * Double(pitch))
    let expected = -20 * (2 * Double(pitch) - 1) + 10 * log10(Double(pitch))
    if pitch < 1 {
      #expect(abs(second - expected) < 1, "\(second) dB")
    } else {
      // There is nothing to interpolate.
      #expect(second < -24, "\(second) dB")
    }
  }

  @Test(arguments: [Float(-7), 7])
  func `a voice shifted there and back keeps its level`(_ semitones: Float) {
    let sound = Vowel(seconds: 1.5, formants: Vowel.closed) { _ in 220 }.samples
    let pitch = pow(2, semitones / 12)
    let there = warped(sound) { _ in Wish(pitch: pitch) }.left
    let back = warped(there) { _ in Wish(pitch: 1 / pitch) }.left
    let change = level(back[20_000..<60_000]) - level(sound[20_000..<60_000])
    #expect(abs(change) < 1, "\(change) dB")
  }

  @Test func `each channel gets its own share of the lowest partials`() {
    let sound = Tone.sine(300, amplitude: 0.3, frames: 48_000)
    let (left, right) = warped(sound, sound.map { -0.25 * $0 }) { _ in Wish(pitch: 1.5) }
    for frame in 20_000..<40_000 { #expect(abs(right[frame] + 0.25 * left[frame]) < 1e-5) }
    // The whole tone is in phase: no residue remains.
    #expect(Measure.residue(left[20_000..<40_000], hertz: 450, sampleRate: Self.rate) < -50)
  }

  @Test func `a tone above most voices is shifted completely`() {
    let sound = Tone.sine(1312, amplitude: 0.3, frames: 48_000)
    let moved = warped(sound) { _ in Wish(pitch: 2 / 3) }.left[20_000..<40_000]
    #expect(partial(moved, 1312 * 2 / 3) > partial(moved, 1312) + 30)
  }

  // MARK: - Time

  @Test func `an unshifted voice is the delayed input`() {
    let input = speech(38_000)
    let output = warped(input) { _ in Wish() }.left
    // The slopes add up to one, apart from rounding.
    let error = zip(output[Self.delay...], input).map(-)
    #expect(VoiceWarp(sampleRate: Self.rate).delay(pitch: 2) == Self.delay)
    #expect(level(error) < level(input) - 100)
  }

  @Test(arguments: [Float(0.5), 1.5], [Float(0.7), 2])
  func `a click comes out once, unchanged, after the latency`(
    pitch: Float, formant: Float
  ) {
    var input = Tone.constant(0, frames: 5000)
    input[3001] = 0.9
    let output = warped(input) { _ in Wish(pitch: pitch, formant: formant) }.left
    #expect(abs(output[3001 + Self.delay] - 0.9) < 1e-6)
    #expect(output.indices.allSatisfy { $0 == 3001 + Self.delay || output[$0] == 0 })
  }

  @Test func `back at pitch 1, the latency is exact again within a second`() {
    let input = Vowel(seconds: 0.8) { _ in 250 }.samples
    let output = warped(input) { Wish(pitch: $0 < 4800 ? 1.3 : 1) }.left
    let due = input[(34_000 - Self.delay)...]
    #expect(level(zip(output[34_000...], due).map(-)) < level(input) - 100)
  }

  @Test(arguments: [0.8, 1.25, 2, 3, 4])
  func `time stretching keeps the pitch`(rate: Double) {
    let input = Vowel(seconds: 0.4 * max(1, rate)) { _ in 150 }.samples
    let output = warped(input, frames: 18_000) { _ in Wish(rate: rate) }.left
    #expect(abs(cents(320 / period(output.suffix(5000), near: 320))) < 2)
    #expect(abs(level(output.suffix(5000)) - level(input)) < 1)
  }

  @Test(arguments: [1.5, 4])
  func `back at rate 1, the latency is exact again`(rate: Double) {
    let wish = { (frame: Int) in Wish(rate: frame >= 4800 && frame < 9600 ? rate : 1) }
    // The final lead of the position over the frame.
    let ahead = Int(4800 * (rate - 1))
    func due(_ frames: Range<Int>) -> Range<Int> {
      (frames.lowerBound + ahead - Self.delay)..<(frames.upperBound + ahead - Self.delay)
    }
    // Unvoiced sound is back within 50 ms, bit-exact apart from the slopes.
    let noise = Tone.noise(frames: 48_000)
    let output = warped(noise, frames: 14_400, wish).left
    #expect(zip(output[12_000...], noise[due(12_000..<14_400)]).allSatisfy { abs($0 - $1) < 1e-6 })
    // A voice that rises by 100 Hz per second reveals its source position. It may be half a period
    // off, which is 4 cents, and rises by 60 cents within a window. The lag at rate 4 would be 37
    // cents.
    let rising = Vowel(seconds: 1) { 100 + 100 * $0 }.samples
    let risen = warped(rising, frames: 14_400, wish).left[12_000...]
    let expected = Self.rate / (100 + 100 * Double(due(13_200..<13_201).lowerBound) / Self.rate)
    #expect(abs(cents(period(risen, near: expected) / expected)) < 15)
    // The rest is corrected inaudibly within a second.
    let steady = Vowel(seconds: 1.5) { _ in 250 }.samples
    let exact = warped(steady, frames: 50_000, wish).left[48_000...]
    #expect(level(zip(exact, steady[due(48_000..<50_000)]).map(-)) < level(steady) - 100)
  }

  // MARK: - Pitch and formants

  @Test(arguments: [Float(0.5), 0.749, 1.3485, 4], [98.0, 220])
  func `the pitch is shifted by its ratio`(ratio: Float, hertz: Double) {
    let input = Vowel(seconds: 0.22) { _ in hertz }.samples
    let output = warped(input) { _ in Wish(pitch: ratio) }.left
    let expected = Self.rate / hertz / Double(ratio)
    // Marks are placed with subsample precision, and their errors don't accumulate.
    #expect(abs(cents(period(output.suffix(6000), near: expected) / expected)) < 3)
  }

  @Test(arguments: [0.5, 1.25, 1.5, 2, 3, 4], [Float(-12), -5, 5, 7, 12])
  func `the pitch is shifted at every rate`(rate: Double, semitones: Float) {
    let wish = Wish(pitch: exp2(semitones / 12), rate: rate)
    for hertz in [100, 150, 250] {
      let input = saw(hertz, frames: Int(14_400 * rate) + 4)
      let output = warped(input, frames: 14_400) { _ in wish }.left
      #expect(output.allSatisfy { $0.isFinite })
      // A fifth of a second, after 0.1 s in which the pitch is found.
      let old = Double(hertz)
      let lead = lead(of: old * Double(wish.pitch), over: old, in: output[4800...])
      #expect(lead > 20, "\(hertz) Hz: \(lead) dB")
    }
  }

  @Test(arguments: [2 as Float, 4], [Float(-5), 7])
  func `the pitch is shifted while catching up with a live tape`(
    rate: Float, semitones: Float
  ) {
    var host = WarpHost()
    host.warp.setEngine(.voice)
    host.warp.setPitch(semitones: semitones)
    host.warp.setRate(rate)
    host.warp.settle()
    let output = host.render(saw(150, frames: 120_000), block: 64).left
    // In half a second it goes back by one second once or twice; so short a gap is faint.
    let lead = lead(of: 150 * exp2(Double(semitones) / 12), over: 150, in: output[96_000...])
    #expect(lead > 20, "\(lead) dB")
  }

  @Test(arguments: [8000.0, 44_100, 96_000])
  func `the pitch is shifted at other sample rates`(sampleRate: Double) {
    let input = Vowel(seconds: 0.2, sampleRate: sampleRate) { _ in 150 }.samples
    let output = warped(input, sampleRate: sampleRate) { _ in Wish(pitch: 1.25) }.left
    let expected = sampleRate / 150 / 1.25
    let last = output.suffix(Int(sampleRate / 10))
    #expect(abs(cents(period(last, near: expected) / expected)) < 5)
  }

  @Test(arguments: [Float(0.749), 1.3485])
  func `formants stay in place when the pitch is shifted`(ratio: Float) {
    let input = Vowel(seconds: 0.28) { _ in 110 }.samples
    let output = warped(input) { _ in Wish(pitch: ratio) }.left
    let error = envelopeError(of: output.suffix(7200), pitch: 110 * Double(ratio), formant: 1)
    let moved = envelopeError(
      of: output.suffix(7200), pitch: 110 * Double(ratio), formant: Double(ratio))
    #expect(moved > 2 * error, "\(moved) dB")
    // The smoothing by the two-period window.
    #expect(error < 4.2, "\(error) dB")
  }

  @Test(arguments: [Float(0.8), 1.25])
  func `formants are shifted by their ratio and the pitch stays`(formant: Float) {
    let input = Vowel(seconds: 0.28) { _ in 110 }.samples
    let output = warped(input) { _ in Wish(formant: formant) }.left
    let sound = output.suffix(7200)
    let period = period(sound, near: Self.rate / 110)
    #expect(abs(cents(period / Self.rate * 110)) < 3)
    let error = envelopeError(of: sound, pitch: 110, formant: Double(formant))
    let unmoved = envelopeError(of: sound, pitch: 110, formant: 1)
    // The smoothing by the two-period window.
    #expect(error < 4.2, "\(error) dB")
    #expect(unmoved > 2 * error, "\(unmoved) dB")
  }

  @Test func `the voice is shifted once the warp has warmed up`() {
    let input = Vowel(seconds: 0.5) { _ in 130 }.samples
    // Starts in the middle of a voice, as after a change of engine.
    let start = 9600
    var tape = Tape(seconds: 1, reach: 512, sampleRate: Self.rate)
    var warp = VoiceWarp(sampleRate: Self.rate)
    var sound = input
    var output = [Float](repeating: 0, count: 4800)
    sound.withUnsafeMutableBufferPointer {
      tape.write(Stereo($0.baseAddress!, $0.baseAddress!), frames: $0.count)
    }
    var other = output
    warp.start(at: Int64(start) << 32)
    inBlocks(of: 32, &output, &other) {
      let step = WarpStep(
        place: Int64(start + $0.start) << 32, rate: WarpStep.unity, pitch: 1.5)
      warp.process(tape, step, bank: Self.readers.bank, to: $0.sound, frames: $0.frames)
    }
    // It has output from the first frame on: the unshifted voice.
    #expect(
      zip(output, input[(start - Self.delay)...]).prefix(64).allSatisfy { abs($0 - $1) < 1e-6 })
    let expected = Self.rate / 130 / 1.5
    let warm = output[warp.warmUp..<(warp.warmUp + 2400)]
    #expect(abs(cents(period(warm, near: expected) / expected)) < 20)
  }

  // MARK: - Unvoiced input

  @Test(arguments: [Float(0.6), 1.5])
  func `noise passes unchanged`(pitch: Float) {
    let input = Tone.noise(frames: 12_000)
    let output = warped(input) { _ in Wish(pitch: pitch, formant: 1.4) }.left
    #expect(zip(output[Self.delay...], input).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test(arguments: [0.25, 1.25])
  func `stretched noise keeps its level and stays tonefree`(rate: Double) {
    let input = Tone.noise(frames: 48_000)
    let output = Array(warped(input, frames: 11_600) { _ in Wish(rate: rate) }.left[2000...])
    #expect(abs(level(output) - level(input)) < 1)
    // A buzz would correlate with itself throughout; at a quarter of the speed, some of it has to.
    let power = output.reduce(0) { $0 + $1 * $1 }
    for lag in stride(from: 96, to: 1440, by: 37) {
      let product = zip(output, output[lag...]).reduce(0) { $0 + $1.0 * $1.1 }
      #expect(abs(product) < 0.2 * power)
    }
  }

  @Test func `silence stays silent, and a constant stays constant`() {
    let wish = Wish(pitch: 1.4, formant: 0.8)
    #expect(warped(Tone.constant(0, frames: 9600)) { _ in wish }.left.allSatisfy { $0 == 0 })
    let constant = warped(Tone.constant(0.5, frames: 9600)) { _ in wish }.left
    #expect(constant[6000...].allSatisfy { abs($0 - 0.5) < 1e-6 })
  }

  // MARK: - Changes

  @Test func `a sweep over four octaves doesn't click`() {
    let input = Vowel(seconds: 0.5) { _ in 170 }.samples
    let output = warped(input) { Wish(pitch: Float(pow(2, Double($0) / 6000 - 2))) }.left
    // Grains have smooth windows: no corner is sharper than the voice's own, but two may coincide.
    #expect(Measure.roughness(output[4800...]) < 2 * Measure.roughness(input))
  }

  @Test(arguments: [1.25, 2, 4], [Float(0.75), 1, 1.5])
  func `a rate gliding through 1 causes no click or gap`(rate: Double, pitch: Float) {
    let hertz = 150.0
    // Up in 3 ms, down again, and below 1.
    func octaves(_ frame: Int) -> Double {
      func way(_ begin: Int) -> Double { max(0, min(1, Double(frame - begin) / 144)) }
      return log2(rate) * (way(9600) - way(14_400) + way(19_200) - 2 * way(20_160))
    }
    let input = Tone.sine(hertz, frames: 48_000)
    let output = warped(input, frames: 26_400) {
      Wish(pitch: pitch, rate: exp2(octaves($0)))
    }.left
    let steady = Measure.roughness(output[4800..<9600])
    // Whole periods are skipped or repeated.
    #expect(Measure.roughness(output[4800...]) < 1.2 * steady)
    let span = Int(2 * Self.rate / hertz / Double(min(1, pitch)))
    let levels = stride(from: 4800, to: 25_000, by: 100).map { level(output[$0..<($0 + span)]) }
    #expect(levels.max()! - levels.min()! < 1.5)
  }

  @Test(arguments: [Float(0.7), 1, 1.4])
  func `a leap continues at the same phase of the waveform`(pitch: Float) {
    let input = Vowel(seconds: 0.5) { _ in 150 }.samples
    let output = warped(input, frames: 14_400) {
      $0 == 9600 ? Wish(pitch: pitch, leap: 5345) : Wish(pitch: pitch)
    }.left
    #expect(
      Measure.roughness(output[9000..<14_000]) < 1.1 * Measure.roughness(output[4800..<9000]))
    let span = Int(2 * Self.rate / 150 / Double(pitch))
    let levels = stride(from: 6000, to: 13_000, by: 100).map { level(output[$0..<($0 + span)]) }
    #expect(levels.max()! - levels.min()! < 0.6)
  }

  @Test(arguments: [1, 7])
  func `the result doesn't depend on the block size`(block: Int) {
    let input = speech(24_000)
    for wish in [
      Wish(pitch: 1.3), Wish(pitch: 0.7, formant: 1.2, rate: 1.5), Wish(pitch: 1.2, rate: 3),
    ] {
      // From rate 1 and back: the lag grows and shrinks again.
      let wishes = { (frame: Int) in
        frame < 640 || frame >= 5120 ? Wish(pitch: wish.pitch, formant: wish.formant) : wish
      }
      let whole = warped(input, frames: 9600, wishes)
      let cut = warped(input, frames: 9600, block: block, wishes)
      #expect(Measure.firstDifference(whole.left, cut.left) == nil)
      #expect(Measure.firstDifference(whole.right, cut.right) == nil)
    }
  }

  @Test func `never reads past the position, whatever the settings`() {
    let input = speech(48_000)
    var state: UInt64 = 1
    let wishes = (0..<60).map { _ in
      func octaves() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 40) / Double(1 << 22) - 2
      }
      return Wish(
        pitch: Float(pow(2, octaves())), formant: Float(pow(2, octaves())), rate: pow(2, octaves()))
    }
    // Missing tape would read as silence.
    let wish = { (frame: Int) in wishes[frame / 160] }
    let all = warped(input, frames: 9600, block: 1, wish)
    let late = warped(input, frames: 9600, block: 1, supply: .asItGoes, wish)
    #expect(all == late)
    #expect(all.left.allSatisfy { abs($0) < 4 })
  }

  @Test func `both channels are shifted alike`() {
    let input = speech(12_000)
    let wish = Wish(pitch: 1.3, formant: 0.9)
    // The channels are in antiphase: their sum is almost nothing.
    let output = warped(input, input.map { -0.5 * $0 }) { _ in wish }
    #expect(zip(output.left, output.right).allSatisfy { $1 == -0.5 * $0 })
    #expect(level(output.left[4800...]) > level(input) - 3)
  }

  @Test func `recovers from non-finite input`() {
    var input = Vowel(seconds: 0.4) { _ in 120 }.samples
    input[4000] = .nan
    input[4100] = .infinity
    input[4200] = -3e38
    let output = warped(input) { _ in Wish(pitch: 1.2) }.left
    let expected = Self.rate / 120 / 1.2
    #expect(output[9000...].allSatisfy { $0.isFinite })
    #expect(abs(cents(period(output.suffix(6000), near: expected) / expected)) < 3)
  }

  @Test func `a restart resets all state`() {
    var tape = Tape(seconds: 1, reach: 512, sampleRate: Self.rate)
    var sound = speech(40_000)
    sound.withUnsafeMutableBufferPointer {
      tape.write(Stereo($0.baseAddress!, $0.baseAddress!), frames: $0.count)
    }
    func render(_ warp: inout VoiceWarp, from start: Int) -> [Float] {
      var output = [Float](repeating: 0, count: 4800)
      var other = output
      warp.start(at: Int64(start) << 32)
      inBlocks(of: 32, &output, &other) {
        let step = WarpStep(
          place: Int64(start + $0.start) << 32, rate: WarpStep.unity, pitch: 1.5)
        warp.process(tape, step, bank: Self.readers.bank, to: $0.sound, frames: $0.frames)
      }
      return output
    }
    var used = VoiceWarp(sampleRate: Self.rate)
    _ = render(&used, from: 20_000)
    var fresh = VoiceWarp(sampleRate: Self.rate)
    #expect(render(&used, from: 5000) == render(&fresh, from: 5000))
  }
}
