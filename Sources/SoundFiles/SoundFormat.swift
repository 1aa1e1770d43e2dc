internal import CSndfile

/// An output format, selected by file extension.
///
/// Formats with 24-bit integers use them: 144 dB of dynamic range, lossless for 16-bit and 24-bit
/// sources, and playable everywhere. If the source has a finer resolution, such as floating point,
/// a format with float samples uses those, so that nothing is lost.
package struct SoundFormat: Sendable {
  /// The sample encoding.
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

  package let name: String
  /// The file extensions, without the dot.
  package let endings: [String]
  /// The supported sample encodings, the default first.
  package let samples: [Samples]
  let container: Int
  // The supported sample rates in Hz, or empty for any.
  private let rates: [Int]
  // Whether its byte count has only 32 bits.
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

  /// All output formats.
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

  /// Selects the format by the extension of a path.
  package init(endingOf path: String) throws(SoundFileError) {
    let name = path.split(separator: "/").last ?? ""
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    guard let format = Self.all.first(where: { $0.endings.contains(ending) }) else {
      let known = Self.all.flatMap(\.endings).map { ".\($0)" }.joined(separator: " ")
      throw SoundFileError(
        .unknownEnding, "\(path) has an unknown extension; expected one of \(known)")
    }
    self = format
  }

  /// Returns the encoding for samples with or without a finer resolution than 24 bits.
  package func samples(forFine isFine: Bool) -> Samples {
    isFine && samples.contains(.float32) ? .float32 : samples[0]
  }

  /// Returns the closest supported sample rate in Hz, not below `rate` if possible.
  package func rate(for rate: Int) -> Int {
    if rates.isEmpty || rates.contains(rate) { return rate }
    return rates.first { $0 > rate } ?? rates[rates.count - 1]
  }

  /// Whether a number of frames exceeds the maximum file length.
  func isTooShort(forFrames frames: Int, samples: Samples) -> Bool {
    // The reserve is for the header.
    isShort && frames > (Int(UInt32.max) - 65_536) / (2 * samples.bytes)
  }
}
