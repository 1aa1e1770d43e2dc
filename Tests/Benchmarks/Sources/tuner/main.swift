// Measures the accuracy and the cost of pitch detectors.
internal import Foundation

let rate = 48_000.0
let frames = Int(0.4 * rate)

/// A steady tone with harmonics of halving amplitudes, and noise at a level below it.
func tone(_ hertz: Double, harmonics: Int, noise decibels: Double) -> [Float] {
  var state: UInt64 = 88_172_645_463_325_252
  func noise() -> Double {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Double(state >> 11) / Double(1 << 52) - 1
  }
  // Uniform noise between -1 and 1 has an RMS level of 1/√3, a sine one of 1/√2.
  let strength = 0.3 * pow(10, decibels / 20) * 1.5.squareRoot()
  return (0..<frames).map { frame in
    var sum = 0.0
    for number in 1...harmonics where Double(number) * hertz < rate / 2 {
      let phase = 2 * Double.pi * hertz * Double(number) * Double(frame) / rate
      sum += pow(0.5, Double(number - 1)) * sin(phase + Double(number))
    }
    return Float(0.3 * sum + strength * noise())
  }
}

/// Tones from 30 Hz to 4 kHz, at non-integer frequencies.
let tones = (0...48).map { 30.03 * pow(4000 / 30.03, Double($0) / 48) }
let finders: [any Finder] =
  [Own(rate: rate)]
  + ["yinfft", "yinfast", "mcomb"].map { Aubio($0, window: 4096, rate: rate) }

func worst(_ finder: any Finder, harmonics: Int, noise: Double) -> String {
  var worst = 0.0
  var missed = 0
  for hertz in tones {
    let sound = tone(hertz, harmonics: harmonics, noise: noise)
    guard let found = finder.frequency(atEndOf: sound) else {
      missed += 1
      continue
    }
    let cents = abs(1200 * log2(found / hertz))
    // A different note is a miss.
    if cents < 50 { worst = max(worst, cents) } else { missed += 1 }
  }
  let text = String(format: "%.6f", worst)
  return missed == 0 ? text : "\(text) -\(missed)"
}

func microseconds(_ finder: any Finder) -> Double {
  let sound = tone(220.7, harmonics: 8, noise: -60)
  var times: [Double] = []
  for _ in 0..<200 {
    let before = DispatchTime.now().uptimeNanoseconds
    _ = finder.frequency(atEndOf: sound)
    times.append(Double(DispatchTime.now().uptimeNanoseconds - before) / 1000)
  }
  return times.sorted()[times.count / 2]
}

func row(_ cells: [String]) {
  print(
    cells.enumerated().map { index, text in
      let blanks = String(repeating: " ", count: max(0, (index == 0 ? 16 : 18) - text.count))
      return index == 0 ? text + blanks : blanks + text
    }.joined())
}

row(["", "sine", "8 harmonics", "noise -30 dB", "µs, median", "% at 12/s"])
for finder in finders {
  let cost = microseconds(finder)
  row([
    finder.name, worst(finder, harmonics: 1, noise: -200),
    worst(finder, harmonics: 8, noise: -200), worst(finder, harmonics: 8, noise: -30),
    String(format: "%.0f", cost), String(format: "%.2f", cost * 12 / 1e4),
  ])
}
print("largest error in cents over \(tones.count) tones from 30 Hz to 4 kHz; -N: N were missed")
