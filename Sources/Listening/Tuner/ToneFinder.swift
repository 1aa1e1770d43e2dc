internal import CRealtime

/// Measures the frequency of the tone at the end of a sound: to a hundredth of a cent if it is
/// steady for a third of a second, and less precisely soon after its onset.
///
/// The period from autocorrelation locates the harmonics. Their phases are then measured in frames
/// of a whole number of periods, with a window that is zero at the other harmonics. The phase
/// advance between frames gives the frequency.
package final class ToneFinder {
  /// The length of sound analyzed, in seconds.
  package static let seconds = 0.36

  // Frequencies outside this range, in Hz, aren't reported.
  private static let range = 25.0...4500.0
  // The required correlation after one period, and that of a moving tone. Noise reaches half of the
  // former.
  private static let leastClarity: Float = 0.8
  private static let leastClarityOfMoving: Float = 0.97
  // A peak this low, -60 dBFS, is no played tone.
  private static let quietest: Float = 1e-3
  // The largest deviation from the autocorrelation result, as a ratio: 50 cents, which covers a
  // voice with vibrato. At that deviation the eighth harmonic's phase is off by a quarter of a
  // cycle.
  private static let farthest = 0.0293
  // A tone that stays steady for fewer frames is moving.
  private static let framesOfSteady = 4
  // The number of frames, one period apart, that give the current frequency.
  private static let framesAtFirst = 4
  // The largest deviation of the mean over all frames from that result: 10 cents.
  private static let near = 0.0058
  // The tone has been steady for as long as the fundamental's phases lie on a line within this many
  // radians, and no frame's level was below this share of the next one's.
  private static let straightness = 0.03
  private static let leastRise = 0.97
  // The onset is where the level stays below this share of the peak for one period.
  private static let onset: Float = 0.3

  private let rate: Double
  /// The number of frames analyzed.
  package let frames: Int
  private let periodicity: Periodicity
  private var smooth: [Float]
  private let harmonics: HarmonicPhases

  /// Creates a finder for a sample rate in Hz.
  package init(rate: Double) {
    self.rate = rate
    frames = Int(Self.seconds * rate)
    periodicity = Periodicity(rate: rate, seconds: 0.07, preference: 0.96)
    smooth = [Float](repeating: 0, count: periodicity.window)
    harmonics = HarmonicPhases(rate: rate)
  }

  /// Returns the frequency of the tone at the end of a sound in Hz, or nil if there is no steady
  /// one.
  package func frequency(atEndOf sound: [Float]) -> Double? {
    guard sound.count >= frames else { return nil }
    guard let (coarse, clarity) = coarse(sound) else { return nil }
    harmonics.place(at: coarse, isFirst: true)
    let first = refined(coarse, sound, most: Self.framesAtFirst, within: Self.farthest)
    guard let first = first?.frequency else { return nil }
    // This places the window's zeros precisely, and resolves the phase ambiguity between frames
    // that are further apart.
    harmonics.place(at: first, isFirst: false)
    let second = refined(first, sound, most: .max, within: Self.near)
    // A moving tone is reported at its current frequency; the end of a tone that is followed by
    // another isn't.
    if second?.isSteady != true, clarity < Self.leastClarityOfMoving { return nil }
    let found = second?.frequency ?? first
    return Self.range ~= found ? found : nil
  }

  /// Returns the frequency from autocorrelation of the content below 6 kHz.
  private func coarse(_ sound: [Float]) -> (frequency: Double, clarity: Float)? {
    let count = smooth.count
    let start = sound.count - count
    var peak: Float = 0
    for index in 0..<count { peak = max(peak, abs(sound[start + index])) }
    guard peak > Self.quietest, peak.isFinite else { return nil }
    // Two cascaded moving averages. High harmonics whose period isn't a whole number of samples
    // would make two periods correlate better than one.
    let width = max(1, Int((rate / 12_000).rounded()))
    for index in 0..<count { smooth[index] = sound[start + index] }
    for _ in 0..<2 {
      for index in 0..<count {
        var sum: Float = 0
        for near in index..<min(count, index + width) { sum += smooth[near] }
        smooth[index] = sum / Float(width)
      }
    }
    let finding = periodicity.find(in: smooth, around: count / 2)
    guard finding.clarity >= Self.leastClarity, finding.period > 0 else { return nil }
    return (rate / finding.period, finding.clarity)
  }

  /// Refines an approximate frequency by the phases of its harmonics, over as many frames as the
  /// tone has been steady.
  ///
  /// Returns nil if the result deviates by more than the share `within`.
  private func refined(
    _ frequency: Double, _ sound: [Float], most: Int, within share: Double
  ) -> (frequency: Double, isSteady: Bool)? {
    let begin = onset(of: frequency, in: sound)
    let omega = 2 * Double.pi * frequency / rate
    let hop = Double(harmonics.hop)
    var latest = harmonics.measure(sound, back: 0)
    let loudest = latest.powers.max() ?? 0
    guard loudest > 0 else { return nil }
    // Harmonics 30 dB weaker may be noise.
    let weights = latest.powers.map { $0 < 1e-3 * loudest ? 0 : $0 }
    let whole = weights.reduce(0, +)
    // The phase lead of the fundamental over the assumed frequency, frame by frame into the past.
    var lead = 0.0
    var line = PhaseLine()
    var isStraight = true
    line.add(lead)
    while line.count < most, harmonics.start(in: sound, back: line.count) >= begin {
      let before = harmonics.measure(sound, back: line.count)
      // A rising tone still counts as steady.
      guard before.amplitude >= Self.leastRise * latest.amplitude else { break }
      var step = 0.0
      for index in weights.indices where weights[index] > 0 {
        let number = Double(index + 1)
        let turn = latest.phases[index] - before.phases[index] - number * omega * hop
        step += weights[index] * turn.remainder(dividingBy: 2 * .pi) / number
      }
      lead -= step / whole
      let bound = line.count > 1 ? Self.straightness : share * omega * hop
      isStraight = abs(lead - line.next) < bound
      guard isStraight else { break }
      line.add(lead)
      latest = before
    }
    guard line.count > 1 else { return nil }
    // The line runs into the past.
    let found = (omega - line.slope / hop) * rate / (2 * .pi)
    return (found, isStraight || line.count >= Self.framesOfSteady)
  }

  /// Returns the onset of the tone at the end of a sound.
  private func onset(of frequency: Double, in sound: [Float]) -> Int {
    let period = Int((rate / frequency).rounded(.up))
    var loud: Float = 0
    for index in max(0, sound.count - 2 * period)..<sound.count {
      loud = max(loud, abs(sound[index]))
    }
    let threshold = Self.onset * loud
    var first = sound.count
    var index = sound.count - 1
    while index >= 0 && first - index <= period {
      if abs(sound[index]) >= threshold { first = index }
      index -= 1
    }
    // At the start of the sound, the tone may have started earlier.
    return index < 0 ? 0 : first
  }
}
