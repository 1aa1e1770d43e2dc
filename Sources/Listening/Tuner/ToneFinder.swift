internal import CRealtime

/// Finds the frequency of the tone with which a sound ends: to a hundredth of a cent where the tone is
/// steady for a third of a second, and soon after it began to less.
///
/// The period, found by likeness, tells where the harmonics are. Their phases are then measured in
/// frames that are each a whole number of periods long, under a window that has zeros where the other
/// harmonics are: how fast they go on from frame to frame is the frequency.
package final class ToneFinder {
  /// The length of the sound that it looks at, in seconds.
  package static let seconds = 0.36

  // What is found outside is not told.
  private static let range = 25.0...4500.0
  // How like itself a sound must be after a period, and where it moves. Noise comes to half of that.
  private static let leastClarity: Float = 0.8
  private static let leastClarityOfMoving: Float = 0.97
  // A peak as low as that, -60 dBFS, is no tone that somebody plays.
  private static let quietest: Float = 1e-3
  // Further from the likeness's own finding, as a ratio, it is none of it: 50 cents, which a voice with
  // vibrato can be away from its mean. The eighth harmonic's phase is then a quarter of a turn away.
  private static let farthest = 0.0293
  // A tone that does not go on like that for so many frames moves.
  private static let framesOfSteady = 4
  // So many frames, a period apart, tell where the tone is at the moment.
  private static let framesAtFirst = 4
  // And from that finding, 10 cents, the mean of all frames.
  private static let near = 0.0058
  // The tone has been steady for as long as the fundamental's phases lie on a line, to so much of a
  // radian, and no frame was quieter than the one after it by more than this share.
  private static let straightness = 0.03
  private static let leastRise = 0.97
  // It began where for a period nothing comes to this share of its peak.
  private static let onset: Float = 0.3

  private let rate: Double
  /// How many frames it looks at.
  package let frames: Int
  private let periodicity: Periodicity
  private var smooth: [Float]
  private let harmonics: HarmonicPhases

  /// A finder for sounds of a rate in Hz.
  package init(rate: Double) {
    self.rate = rate
    frames = Int(Self.seconds * rate)
    periodicity = Periodicity(rate: rate, seconds: 0.07, preference: 0.96)
    smooth = [Float](repeating: 0, count: periodicity.window)
    harmonics = HarmonicPhases(rate: rate)
  }

  /// The frequency of the tone at the end of a sound, in Hz; nil where there is no steady one.
  package func frequency(atEndOf sound: [Float]) -> Double? {
    guard sound.count >= frames else { return nil }
    guard let (coarse, clarity) = coarse(sound) else { return nil }
    harmonics.place(at: coarse, isFirst: true)
    let first = refined(coarse, sound, most: Self.framesAtFirst, within: Self.farthest)
    guard let first = first?.frequency else { return nil }
    // That places the zeros of the window well, and leaves no doubt of whole turns between frames that
    // are further apart.
    harmonics.place(at: first, isFirst: false)
    let second = refined(first, sound, most: .max, within: Self.near)
    // A tone that moves is told as it is at the moment, and the end of one that another follows not.
    if second?.isSteady != true, clarity < Self.leastClarityOfMoving { return nil }
    let found = second?.frequency ?? first
    return Self.range ~= found ? found : nil
  }

  /// The frequency by the likeness of the sound to itself, of which only what is below 6 kHz counts.
  private func coarse(_ sound: [Float]) -> (frequency: Double, clarity: Float)? {
    let count = smooth.count
    let start = sound.count - count
    var peak: Float = 0
    for index in 0..<count { peak = max(peak, abs(sound[start + index])) }
    guard peak > Self.quietest, peak.isFinite else { return nil }
    // Two running means, one behind the other: harmonics between whose samples a period ends would
    // make two periods look more alike than one.
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

  /// A better frequency than one that is nearly right, by the phases of its harmonics in as many
  /// frames as the tone has been steady; nil where it is further away than a share of it.
  private func refined(
    _ frequency: Double, _ sound: [Float], most: Int, within share: Double
  ) -> (frequency: Double, isSteady: Bool)? {
    let begin = onset(of: frequency, in: sound)
    let omega = 2 * Double.pi * frequency / rate
    let hop = Double(harmonics.hop)
    var latest = harmonics.measure(sound, back: 0)
    let loudest = latest.powers.max() ?? 0
    guard loudest > 0 else { return nil }
    // What is weaker than that, by 30 dB, is noise as likely as not.
    let weights = latest.powers.map { $0 < 1e-3 * loudest ? 0 : $0 }
    let whole = weights.reduce(0, +)
    // By how much the phase of the fundamental is ahead of what the frequency makes it, frame by frame
    // into the past.
    var lead = 0.0
    var line = PhaseLine()
    var isStraight = true
    line.add(lead)
    while line.count < most, harmonics.start(in: sound, back: line.count) >= begin {
      let before = harmonics.measure(sound, back: line.count)
      // One that still rises is steady all the same.
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
    // The line goes into the past.
    let found = (omega - line.slope / hop) * rate / (2 * .pi)
    return (found, isStraight || line.count >= Self.framesOfSteady)
  }

  /// Where the tone of a frequency at the end of a sound begins.
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
    // Where the sound itself ends, it may have begun before.
    return index < 0 ? 0 : first
  }
}
