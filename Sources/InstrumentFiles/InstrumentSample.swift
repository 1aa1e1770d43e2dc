internal import DSP
internal import Listening
internal import Posix
internal import SoundFiles

/// The sound that a region plays, and where in which file it is.
package struct InstrumentSample: Hashable, Sendable {
  // 23 minutes at 48 kHz: no sample is so long, and 256 MB are enough for one.
  static let mostFrames = 1 << 26

  /// The storage of a sample.
  package enum Storage: Hashable, Sendable {
    /// Integers of 16 bits, the lowest byte first, from a place in the file on.
    case integers(place: Int)
    /// Such integers with eight bits more for each, from another place on.
    case fineIntegers(place: Int, low: Int)
    /// An Ogg Vorbis file inside the file.
    case vorbis(place: Int, bytes: Int)
    /// A sound file of its own.
    case file
    /// No file at all: the channels as they are.
    case memory([[Float]])
  }

  /// Which side of a pair it is.
  package enum Side: Sendable {
    case none, left, right
  }

  /// The name.
  package let name: String
  /// The file that it is in.
  package let path: String
  /// The storage of a sample.
  package let storage: Storage
  /// The number of channels, of which two at most are read.
  package let channels: Int
  /// The length in frames.
  package let frames: Int
  /// Its rate in Hz.
  package let rate: Int
  /// Which side of a pair it is.
  package var side = Side.none
  /// The instrument's sample that is the other side, where that is used, too.
  package var partner: Int?

  func isOtherSide(of other: InstrumentSample) -> Bool {
    switch (side, other.side) {
    case (.left, .right), (.right, .left): true
    default: false
    }
  }

  /// Whether 16 bits are all that its sound has to say, or is worth.
  package var isCompact: Bool {
    switch storage {
    case .integers, .vorbis: true
    case .fineIntegers, .file, .memory: false
    }
  }

  /// Reads its sound: one array for each channel of all frames that were promised, or of the first
  /// so many of them.
  package func read(first wanted: Int? = nil) throws(InstrumentFault) -> [[Float]] {
    let frames = max(1, min(frames, wanted ?? frames))
    switch storage {
    case .integers(let place): return [try integers(at: place, low: nil, frames)]
    case .fineIntegers(let place, let low): return [try integers(at: place, low: low, frames)]
    case .vorbis(let place, let bytes):
      return try SampleFile(path, place: place, bytes: bytes).read(frames: frames)
    case .file: return try SampleFile(path).read(frames: frames)
    case .memory(let channels): return channels
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
          .notSound, "\(file.path) is cut off: the sample \(name) is not all there")
      }
      return SoundShape.samples(bytes, low: fine, frames: frames)
    }
  }
}
