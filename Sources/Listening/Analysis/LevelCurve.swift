internal import CRealtime

/// The level envelope of a sound, in steps of a few milliseconds.
struct LevelCurve {
  private static let secondsApart = 0.0025
  // The level of silence, in dB.
  private static let silence: Float = -120

  // The smoothed level of each step in dB, and its power.
  private let decibels: [Float]
  private let powers: [Float]
  private let seconds: Double

  init(_ sound: [Float], rate: Double) {
    let step = max(1, Int((Self.secondsApart * rate).rounded()))
    seconds = Double(step) / rate
    var powers: [Float] = []
    for first in stride(from: 0, to: sound.count, by: step) {
      var sum: Float = 0
      let last = min(sound.count, first + step)
      for frame in first..<last { sum += sound[frame] * sound[frame] }
      powers.append(sum / Float(last - first))
    }
    self.powers = powers
    decibels = powers.indices.map { index in
      Self.decibels(powers[max(0, index - 1)...min(powers.count - 1, index + 1)])
    }
  }

  private static func decibels(_ powers: ArraySlice<Float>) -> Float {
    let power = powers.reduce(0, +) / Float(max(1, powers.count))
    return power > 1e-12 && power.isFinite ? 4.342945 * rt_log(power) : silence
  }

  private func index(_ time: Double) -> Int {
    max(0, min(decibels.count - 1, Int(time / seconds)))
  }

  /// Returns the mean level around a time in dB, over the period of a low note.
  func mean(around time: Double) -> Float {
    guard !powers.isEmpty else { return Self.silence }
    return Self.decibels(powers[index(time - 0.01)...index(time + 0.01)])
  }

  /// Returns the onset around a time: where the level rises halfway from its minimum before, or to
  /// 20 dB below its maximum after, whichever is higher.
  func rise(near time: Double, from: Double, to: Double) -> Double {
    guard !decibels.isEmpty else { return time }
    let (first, last) = (index(from), index(to))
    let loud = decibels[index(time)...index(time + 0.06)].max() ?? Self.silence
    let quiet = decibels[first...index(time)].min() ?? Self.silence
    let threshold = max(loud - 20, (loud + quiet) / 2)
    // Searches backward, because earlier sounds that decayed again aren't the onset.
    var place = last
    while place > first, decibels[place] >= threshold || place > index(time) { place -= 1 }
    while place < last, decibels[place] < threshold { place += 1 }
    return Double(place) * seconds
  }

  /// Returns the end of a sound, `to` at the latest: where the level has dropped 30 dB below its
  /// maximum.
  func fall(from: Double, to: Double) -> Double {
    guard !decibels.isEmpty else { return to }
    let (first, last) = (index(from), index(to))
    guard first < last else { return to }
    let loud = decibels[first...last].max() ?? Self.silence
    var place = last
    while place > first, decibels[place] < loud - 30 { place -= 1 }
    return min(to, Double(place + 1) * seconds)
  }
}
