internal import DSP
internal import Listening

/// The instruments that are there without any file: made of sines and noise when they are needed.
///
/// They are the same at every start, and on every machine.
package enum BuiltInInstrument: String, CaseIterable, Sendable {
  case piano
  case violin
  case acousticGuitar = "acoustic guitar"
  case electricGuitar = "electric guitar"
  case bell
  case organ
  case drums

  /// What it is called.
  package var name: String { rawValue }

  /// One line that says what it is.
  package var help: String {
    switch self {
    case .piano: "Strings that are struck"
    case .violin: "A string that is bowed"
    case .acousticGuitar: "Strings that are plucked"
    case .electricGuitar: "Strings that are plucked, and driven"
    case .bell: "A bell"
    case .organ: "An organ with drawbars"
    case .drums: "A drum kit: a drum or a cymbal a key"
    }
  }

  /// Makes it, which takes a tenth of a second or so.
  package func make() -> Instrument {
    var kit = BuiltInKit(name: name)
    switch self {
    case .piano: kit.addStrings(.piano)
    case .acousticGuitar: kit.addStrings(.acousticGuitar)
    case .electricGuitar: kit.addStrings(.electricGuitar)
    case .bell: kit.addStrings(.bell)
    case .violin: kit.addSustained(.violin)
    case .organ: kit.addSustained(.organ)
    case .drums: kit.addDrums()
    }
    return kit.instrument
  }
}

/// A built-in instrument that is being put together.
struct BuiltInKit {
  /// The rate of all its sounds in Hz.
  static let rate = 48_000.0
  // Of the loudest part of each sound: so that the sharpest have room for their peaks.
  private static let level: Float = 0.12
  // As loud as common soundfonts are, in dB: FluidR3's mono guitars lie at -13 dB, its pairs at -16.
  private static let gain = 4.0
  private static let highestPeak: Float = 0.9

  private let name: String
  private var regions: [Region] = []
  private var samples: [InstrumentSample] = []

  init(name: String) { self.name = name }

  var instrument: Instrument { Instrument(name: name, regions: regions, samples: samples) }

  /// The frequency of a key in Hz.
  static func hertz(key: Int) -> Double { SoundUnits.hertz(cents: 100 * Double(key)) }

  /// Makes a sound as loud as all others are; `frames` is the part of it that counts.
  static func level(_ sound: inout [Float], by frames: Range<Int>) {
    let level = SoundShape.level(sound, frames)
    guard level > 0 else { return }
    let factor = min(Self.level / level, highestPeak / SoundShape.peak(sound))
    SoundShape.scale(&sound, by: factor)
  }

  /// Adds a sound with its region: what else is to be said of that is said in the words of SFZ.
  mutating func add(
    _ sound: [Float], key: Int, for keys: ClosedRange<Int>, loop: Range<Int>? = nil,
    _ words: [(String, String)]
  ) {
    var opcodes = SFZOpcodes()
    let all =
      [
        ("pitch_keycenter", "\(key)"), ("lokey", "\(keys.lowerBound)"),
        ("hikey", "\(keys.upperBound)"),
      ] + words
    for (opcode, value) in all {
      guard case .known = opcodes.set(opcode, value) else {
        preconditionFailure("\(opcode)=\(value) is no opcode")
      }
    }
    var region = opcodes.region(
      sample: samples.count, frames: sound.count, loop: loop, nameKey: nil)
    region.gain += Self.gain
    regions.append(region)
    samples.append(
      InstrumentSample(
        name: "\(name) \(key)", path: "", storage: .memory([sound]), channels: 1,
        frames: sound.count, rate: Int(Self.rate)))
  }
}
