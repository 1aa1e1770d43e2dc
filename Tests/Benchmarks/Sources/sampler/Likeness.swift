internal import Foundation

/// The similarity of two renders of the same note.
struct Likeness {
  /// Our level relative to the other at the start, in the middle and at the end, in dB; nil where
  /// both are silent.
  let levels: [Double?]
  /// The difference of the third-octave spectra at equal loudness, in dB.
  let colour: Double
  /// The difference in balance toward the right, in dB.
  let balance: Double

  // A sum of squares in dB: less than 100 dB below full scale.
  private static let silence = -60.0
  private static let spans = [0..<4800, 4800..<24_000, 24_000..<72_000]

  init(ours: (left: [Float], right: [Float]), other: (left: [Float], right: [Float])) {
    levels = Self.spans.map { span in
      let (mine, theirs) = (Self.level(ours, span), Self.level(other, span))
      return max(mine, theirs) < Self.silence ? nil : mine - theirs
    }
    let whole = 0..<72_000
    balance =
      Self.decibels(ours.right, whole) - Self.decibels(ours.left, whole)
      - Self.decibels(other.right, whole) + Self.decibels(other.left, whole)
    let (mine, theirs) = (Self.bands(ours), Self.bands(other))
    let loudest = theirs.max() ?? 0
    // Bands more than 50 dB below the loudest are inaudible.
    let heard = theirs.indices.filter { theirs[$0] > loudest - 50 }
    let differences = heard.map { mine[$0] - theirs[$0] }
    let mean = differences.reduce(0, +) / Double(differences.count)
    colour = sqrt(
      differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(differences.count))
  }

  private static func level(_ sound: (left: [Float], right: [Float]), _ span: Range<Int>) -> Double
  {
    10 * log10(power(sound.left, span) + power(sound.right, span))
  }

  private static func decibels(_ sound: [Float], _ span: Range<Int>) -> Double {
    10 * log10(power(sound, span))
  }

  private static func power(_ sound: [Float], _ span: Range<Int>) -> Double {
    sound[span].reduce(1e-12) { $0 + Double($1) * Double($1) }
  }

  /// The levels of the bands from 50 Hz to 16 kHz, in dB, through two-pole filters.
  private static func bands(_ sound: (left: [Float], right: [Float])) -> [Double] {
    (0..<26).map { band in
      let hertz = 50 * pow(2, Double(band) / 3)
      return 10 * log10(filtered(sound.left, hertz) + filtered(sound.right, hertz))
    }
  }

  private static func filtered(_ sound: [Float], _ hertz: Double) -> Double {
    let turn = 2 * Double.pi * hertz / 48_000
    let alpha = sin(turn) / (2 * 4.318)
    let (b, a1, a2) = (alpha / (1 + alpha), -2 * cos(turn) / (1 + alpha), (1 - alpha) / (1 + alpha))
    var (x1, x2, y1, y2, sum) = (0.0, 0.0, 0.0, 0.0, 1e-12)
    for sample in sound {
      let x = Double(sample)
      let y = b * (x - x2) - a1 * y1 - a2 * y2
      (x2, x1, y2, y1) = (x1, x, y1, y)
      sum += y * y
    }
    return sum
  }
}

/// Plays the same notes in both, and reports their similarity.
func compare(_ font: String) throws {
  let programs = [
    ("piano", 0, 0, [28, 45, 60, 76, 93]), ("violin", 0, 40, [55, 64, 76, 88]),
    ("acoustic guitar", 0, 25, [40, 52, 64, 76]), ("nylon guitar", 0, 24, [40, 52, 64, 76]),
    ("electric guitar", 0, 27, [40, 52, 64, 76]), ("overdriven guitar", 0, 29, [40, 52, 64]),
    ("drums", 128, 0, [36, 38, 42, 46, 49, 51]),
  ]
  heading(
    "ours - fluidsynth, dB, mean and worst",
    ["0-0.1 s", "-0.5 s", "-1.5 s", "worst", "colour", "pan"])
  var loudness: Double?
  for (name, bank, program, keys) in programs {
    let (ours, other) = (make(0), make(2))
    try ours.load(font, bank: bank, program: program)
    try other.load(font, bank: bank, program: program)
    var found: [Likeness] = []
    for key in keys {
      for velocity in [40, 80, 120] {
        ours.begin(key: key, velocity: velocity)
        other.begin(key: key, velocity: velocity)
        found.append(Likeness(ours: ours.playBoth(72_000), other: other.playBoth(72_000)))
        ours.silence()
        other.silence()
      }
    }
    func mean(_ values: [Double?]) -> Double {
      let heard = values.compactMap { $0 }
      return heard.reduce(0, +) / Double(max(1, heard.count))
    }
    // Their overall levels differ; the first program determines the offset.
    let offset = loudness ?? mean(found.map { $0.levels[1] })
    loudness = offset
    let levels = (0..<3).map { span in mean(found.map { $0.levels[span].map { $0 - offset } }) }
    let worst = found.flatMap { $0.levels.compactMap { $0.map { abs($0 - offset) } } }.max() ?? 0
    print(
      Measure.label("\(name), \(found.count) notes") + levels.map { Measure.text($0) }.joined()
        + Measure.text(worst) + Measure.text(found.map(\.colour).max()!)
        + Measure.text(found.map { abs($0.balance) }.max()!))
  }
  print(Measure.label("overall loudness") + Measure.text(loudness ?? 0))
}
