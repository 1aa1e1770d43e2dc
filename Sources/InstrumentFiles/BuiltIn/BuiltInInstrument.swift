internal import DSP
internal import Tones

/// The built-in instruments, which need no files: synthesized from sines and noise on demand.
///
/// The output is identical at every start and on every machine.
package enum BuiltInInstrument: String, CaseIterable, Sendable {
  case piano
  case violin
  case acousticGuitar = "acoustic guitar"
  case electricGuitar = "electric guitar"
  case bell
  case organ
  case drums

  package var name: String { rawValue }

  /// A one-line description.
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

  /// Synthesizes the instrument, which takes about 0.1 s.
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

/// A builder for a built-in instrument.
struct BuiltInKit {
  /// The sample rate of all its sounds, in Hz.
  static let rate = 48_000.0
  // The level of the loudest part of each sound. It leaves headroom for the peaks of the sharpest.
  private static let level: Float = 0.12
  // Matches the loudness of common soundfonts, in dB: FluidR3's mono guitars lie at -13 dB, its
  // stereo pairs at -16.
  private static let gain = 4.0
  private static let highestPeak: Float = 0.9

  private let name: String
  private var regions: [Region] = []
  private var samples: [InstrumentSample] = []

  init(name: String) { self.name = name }

  var instrument: Instrument { Instrument(name: name, regions: regions, samples: samples) }

  static func hertz(key: Int) -> Double { SoundUnits.hertz(cents: 100 * Double(key)) }

  /// Normalizes a sound to the common loudness, measured over `frames`.
  static func level(_ sound: inout [Float], by frames: Range<Int>) {
    let level = SoundShape.level(sound, frames)
    guard level > 0 else { return }
    let factor = min(Self.level / level, highestPeak / SoundShape.peak(sound))
    SoundShape.scale(&sound, by: factor)
  }

  /// Adds a sound and its region.
  ///
  /// `words` sets further SFZ opcodes of the region.
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
        preconditionFailure("\(opcode)=\(value) is not an opcode")
      }
    }
    var region = opcodes.region(
      sample: samples.count, frames: sound.count, loop: loop, nameKey: nil)
    region.gain += Self.gain
    regions.append(region)
    samples.append(
      InstrumentSample(
        name: "\(name) \(key)", path: "", storage: .synthesized(sound), channels: 1,
        frames: sound.count, rate: Int(Self.rate)))
  }
}
