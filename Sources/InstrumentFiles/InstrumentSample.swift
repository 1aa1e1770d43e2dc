internal import DSP
internal import Posix
internal import SoundFiles
internal import Tones

/// The sound that a region plays, and its location in a file.
package struct InstrumentSample: Hashable, Sendable {
  // 23 minutes at 48 kHz, 256 MB: longer than any real sample.
  static let mostFrames = 1 << 26

  /// The storage of a sample.
  package enum Storage: Hashable, Sendable {
    /// Little-endian 16-bit integers, from an offset in the file.
    case integers(place: Int)
    /// 24-bit integers: the upper 16 bits from one offset in the file, the lower 8 from another.
    case fineIntegers(place: Int, low: Int)
    /// An Ogg Vorbis stream inside the file.
    case vorbis(place: Int, bytes: Int)
    /// A separate sound file.
    case file
    /// No file: the channels of a recording, in memory.
    case memory([[Float]])
    /// No file: one synthesized channel, in memory.
    case synthesized([Float])
  }

  /// The channel of a stereo pair.
  package enum Side: Sendable {
    case none, left, right
  }

  package let name: String
  /// The path of the file that contains it.
  package let path: String
  package let storage: Storage
  /// The number of channels.
  ///
  /// At most two are read.
  package let channels: Int
  /// The length in frames.
  package let frames: Int
  /// The sample rate in Hz.
  package let rate: Int
  /// The channel of a stereo pair that it is.
  package var side = Side.none
  /// The index of the other channel's sample in the instrument, if that is used, too.
  package var partner: Int?

  func isOtherSide(of other: InstrumentSample) -> Bool {
    switch (side, other.side) {
    case (.left, .right), (.right, .left): true
    default: false
    }
  }

  /// Whether 16 bits are enough for its dynamic range.
  package var isCompact: Bool {
    switch storage {
    case .integers, .vorbis, .synthesized: true
    case .fineIntegers, .file, .memory: false
    }
  }

  /// Reads the sound.
  ///
  /// Returns one array per channel with all of its declared frames, or the first `wanted` ones.
  package func read(first wanted: Int? = nil) throws(InstrumentFault) -> [[Float]] {
    let frames = max(1, min(frames, wanted ?? frames))
    switch storage {
    case .integers(let place): return [try integers(at: place, low: nil, frames)]
    case .fineIntegers(let place, let low): return [try integers(at: place, low: low, frames)]
    case .vorbis(let place, let bytes):
      return try SampleFile(path, place: place, bytes: bytes).read(frames: frames)
    case .file: return try SampleFile(path).read(frames: frames)
    case .memory(let channels): return channels
    case .synthesized(let channel): return [channel]
    }
  }

  private func integers(
    at place: Int, low: Int?, _ frames: Int
  ) throws(InstrumentFault) -> [Float] {
    let name = name
    return try asInstrument { () throws(SoundFileError) in
      let file = try WaveFile(path, to: .read)
      let bytes = try file.read(2 * frames, at: place)
      let fine = if let low { try file.read(frames, at: low) } else { [UInt8]() }
      guard bytes.count == 2 * frames, low == nil || fine.count == frames else {
        throw SoundFileError(
          .notSound, "\(file.path) is truncated: the sample \(name) is incomplete")
      }
      return SoundShape.samples(bytes, low: fine, frames: frames)
    }
  }
}
