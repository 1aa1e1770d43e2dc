internal import CSndfile

/// A format to write sound in, chosen by the ending of a file's name.
///
/// Samples are kept as they are worth it. A format that can hold numbers of 24 bits does: they
/// carry 144 dB, hold all that files of 16 and 24 bits hold to the last bit, and play
/// everywhere. Where the sound came from finer samples, such as floating-point ones, a format that
/// has these keeps them, so that nothing is lost then, either.
package struct SoundFormat: Sendable {
  /// The kinds of samples.
  package enum Samples: Sendable {
    case integer24, float32, vorbis, opus, mp3

    var code: Int {
      switch self {
      case .integer24: SF_FORMAT_PCM_24
      case .float32: SF_FORMAT_FLOAT
      case .vorbis: SF_FORMAT_VORBIS
      case .opus: SF_FORMAT_OPUS
      case .mp3: SF_FORMAT_MPEG_LAYER_III
      }
    }

    var bytes: Int { self == .integer24 ? 3 : 4 }
  }

  /// The name of the format.
  package let name: String
  /// The endings that stand for it, without the dot.
  package let endings: [String]
  /// The ways to keep samples that it has, the usual one first.
  package let samples: [Samples]
  let container: Int
  // The only rates that it has; empty where it has all.
  private let rates: [Int]
  // Where the count of its bytes has only 32 bits.
  private let isShort: Bool

  private init(
    _ name: String, _ endings: [String], _ container: Int, _ samples: [Samples], rates: [Int] = [],
    isShort: Bool = false
  ) {
    self.name = name
    self.endings = endings
    self.container = container
    self.samples = samples
    self.rates = rates
    self.isShort = isShort
  }

  /// All that can be written.
  package static let all = [
    SoundFormat("WAV", ["wav"], SF_FORMAT_WAV, [.integer24, .float32], isShort: true),
    SoundFormat("FLAC", ["flac"], SF_FORMAT_FLAC, [.integer24]),
    SoundFormat("Ogg Vorbis", ["ogg", "oga"], SF_FORMAT_OGG, [.vorbis]),
    SoundFormat(
      "Opus", ["opus"], SF_FORMAT_OGG, [.opus], rates: [8000, 12_000, 16_000, 24_000, 48_000]),
    SoundFormat(
      "MP3", ["mp3"], SF_FORMAT_MPEG, [.mp3],
      rates: [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]),
    SoundFormat(
      "AIFF", ["aiff", "aif"], SF_FORMAT_AIFF, [.integer24, .float32], isShort: true),
    SoundFormat("AU", ["au", "snd"], SF_FORMAT_AU, [.integer24, .float32], isShort: true),
    SoundFormat("CAF", ["caf"], SF_FORMAT_CAF, [.integer24, .float32]),
    SoundFormat("W64", ["w64"], SF_FORMAT_W64, [.integer24, .float32]),
    SoundFormat("RF64", ["rf64"], SF_FORMAT_RF64, [.integer24, .float32]),
  ]

  /// The format that a file's ending stands for.
  package init(endingOf path: String) throws(SoundFileError) {
    let name = path.split(separator: "/").last ?? ""
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    guard let format = Self.all.first(where: { $0.endings.contains(ending) }) else {
      let known = Self.all.flatMap(\.endings).map { ".\($0)" }.joined(separator: " ")
      throw SoundFileError(.unknownEnding, "\(path) must end with one of \(known)")
    }
    self = format
  }

  /// The way to keep samples that tell, or don't tell, more than integers of 24 bits hold.
  package func samples(forFine isFine: Bool) -> Samples {
    isFine && samples.contains(.float32) ? .float32 : samples[0]
  }

  /// The rate that comes nearest to one, in Hz, without losing high notes where that can be.
  package func rate(for rate: Int) -> Int {
    if rates.isEmpty || rates.contains(rate) { return rate }
    return rates.first { $0 > rate } ?? rates[rates.count - 1]
  }

  /// Whether a sound of so many frames is longer than it can say.
  func isTooShort(forFrames frames: Int, samples: Samples) -> Bool {
    // What is left is for the header.
    isShort && frames > (Int(UInt32.max) - 65_536) / (2 * samples.bytes)
  }
}
