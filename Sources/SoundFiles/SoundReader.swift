internal import CSndfile
package import DSP
internal import Glibc
internal import Posix

/// A sound file reader: sequential, in blocks, as stereo at any sample rate.
///
/// Mono is duplicated to both channels. Of more than two channels, the first two are read: such
/// files are mostly multitrack recordings, for which no fixed downmix fits.
package struct SoundReader: ~Copyable {
  private static let blockFrames = 4096
  // 60 dB above full scale: larger samples are not audio, and their sums would not be finite.
  private static let mostMagnitude: Float = 1000
  // libsndfile reports an unknown length as the maximum integer or a value close to it.
  private static let unknown = Int64.max / 16

  /// The path of the file.
  package let path: String
  /// The output sample rate in Hz.
  package let rate: Int
  /// The file's own sample rate in Hz.
  package let fileRate: Int
  /// The number of channels in the file.
  package let channels: Int
  /// The length declared by the file, in frames at the output rate, or nil if it declares none.
  package let expectedFrames: Int?
  /// Whether its samples have a finer resolution than 24 bits.
  package let isFine: Bool
  /// The number of frames read so far, at the file's own rate.
  package private(set) var framesRead = 0

  private let handle: SoundHandle
  private let interleaved: Interleaved<Float>
  private let promised: Int
  private let startsCutOff: Bool
  private var converter: RateConverter?
  private let block: StereoBuffer
  private var pending = 0..<0
  private var isAtEnd = false

  /// Opens a file for reading at a sample rate in Hz, by default its own.
  ///
  /// `choose` receives the file's own rate.
  package init(
    _ path: String, rate choose: (_ fileRate: Int) -> Int = { $0 }
  ) throws(SoundFileError) {
    var info = SF_INFO()
    handle = try Self.open(path, &info)
    startsCutOff = Self.isCutOff(handle)
    self.path = path
    fileRate = Int(info.samplerate)
    channels = Int(info.channels)
    rate = choose(fileRate)
    promised = info.frames < Self.unknown ? Int(info.frames) : -1
    expectedFrames =
      promised < 0 ? nil : RateConverter.frames(promised, from: fileRate, to: rate)
    let samples = Int(info.format) & SF_FORMAT_SUBMASK
    isFine = [SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE, SF_FORMAT_PCM_32].contains(samples)
    converter = rate == fileRate ? nil : RateConverter(from: fileRate, to: rate)
    block = StereoBuffer(frames: Self.blockFrames)
    interleaved = Interleaved(count: Self.blockFrames * channels)
  }

  private static func open(
    _ path: String, _ info: inout SF_INFO
  ) throws(SoundFileError) -> SoundHandle {
    var status = stat()
    guard stat(path, &status) == 0, access(path, R_OK) == 0 else {
      throw SoundFileError(.missing, "can't read \(SystemError(path))")
    }
    // Excludes pipes: their length is unknown, and libsndfile seeks to the end.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SoundFileError(.notSound, "\(path) is not a regular file")
    }
    // The MP3 decoder prints the problems of a file. Those that matter are thrown.
    let opened = LibraryMessages.dropping { sf_open(path, Int32(SFM_READ), &info) }
    guard let pointer = opened else {
      throw SoundFileError(
        .notSound, "\(path) is not a readable sound file: \(SoundFileError.reason(nil))")
    }
    let handle = SoundHandle(pointer)
    guard info.channels > 0, info.samplerate > 0, info.samplerate <= 10_000_000 else {
      throw SoundFileError(.notSound, "\(path) is invalid: it has no rate or no channels")
    }
    return handle
  }

  /// Whether the file is shorter than it declares, as far as it was read.
  package var isCutOff: Bool { startsCutOff || (isAtEnd && framesRead < promised) }

  /// Whether the header shows that the file is truncated.
  ///
  /// In this case libsndfile corrects the length, and mentions it only in its log.
  private static func isCutOff(_ handle: borrowing SoundHandle) -> Bool {
    var log = [CChar](repeating: 0, count: 16_384)
    sf_command(handle.pointer, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
    return String(terminated: log).split(separator: "\n").contains { line in
      // A line such as "data : 1000 (should be 500)". The largest numbers are placeholders of
      // programs that wrote to a pipe and could not know the length.
      guard line.contains("(should be "),
        ["data", "SSND", "Data Size"].contains(where: line.drop { $0 == " " }.hasPrefix),
        let promised = line.split(separator: " ").lazy.compactMap({ Int($0) }).first
      else { return false }
      return promised < 0x7FFF_0000
    }
  }

  /// Reads the next frames and returns their number, which is less than `frames` only at the end.
  package mutating func read(
    into output: Stereo, frames: Int
  ) throws(SoundFileError) -> Int {
    var made = 0
    while made < frames {
      let place = output.advanced(by: made)
      if converter == nil {
        let count = try readFile(into: place, frames: frames - made)
        if count == 0 { break }
        made += count
        continue
      }
      if pending.isEmpty {
        pending = 0..<(try readFile(into: block.stereo, frames: Self.blockFrames))
      }
      if pending.isEmpty {
        let count = converter!.finish(into: place, room: frames - made)
        if count == 0 { break }
        made += count
      } else {
        let done = converter!.convert(
          block.stereo.advanced(by: pending.lowerBound), frames: pending.count, into: place,
          room: frames - made)
        pending = pending.lowerBound + done.taken..<pending.upperBound
        made += done.made
      }
    }
    return made
  }

  private static func bounded(_ sample: Float) -> Float {
    // Non-finite samples stay, and are counted during playback.
    guard abs(sample) > mostMagnitude, sample.isFinite else { return sample }
    return sample < 0 ? -mostMagnitude : mostMagnitude
  }

  /// Returns a string in the file's header by libsndfile's code, or nil.
  package func string(_ code: Int32) -> String? {
    sf_get_string(handle.pointer, code).map { String(cString: $0) }
  }

  /// Reads the rest in blocks, at most `most` frames.
  package mutating func readBlocks(
    atMost most: Int = .max, _ body: (Stereo, _ frames: Int) throws(SoundFileError) -> Void
  ) throws(SoundFileError) {
    let block = StereoBuffer(frames: Self.blockFrames)
    var left = most
    while left > 0 {
      let count = try read(into: block.stereo, frames: min(left, block.frames))
      if count == 0 { return }
      try body(block.stereo, count)
      left -= count
    }
  }

  /// Skips to a time in seconds, or to the end if that is earlier.
  ///
  /// Call it before the first read.
  package mutating func skip(seconds: Double) throws(SoundFileError) {
    precondition(framesRead == 0 && pending.isEmpty)
    var frames = Int(seconds * Double(fileRate))
    if promised >= 0 { frames = min(frames, promised) }
    guard frames > 0 else { return }
    let place = LibraryMessages.dropping {
      sf_seek(handle.pointer, sf_count_t(frames), Int32(SEEK_SET))
    }
    if place >= 0 {
      framesRead = Int(place)
      return
    }
    // Not all files are seekable.
    while framesRead < frames {
      let wanted = min(frames - framesRead, Self.blockFrames)
      if try readFile(into: block.stereo, frames: wanted) < wanted { return }
    }
  }

  /// Reads frames without rate conversion.
  ///
  /// Returns 0 only at the end.
  private mutating func readFile(
    into output: Stereo, frames: Int
  ) throws(SoundFileError) -> Int {
    guard !isAtEnd else { return 0 }
    let wanted = min(frames, Self.blockFrames)
    let count = LibraryMessages.dropping {
      Int(sf_readf_float(handle.pointer, interleaved.samples, sf_count_t(wanted)))
    }
    if count < wanted {
      isAtEnd = true
      guard sf_error(handle.pointer) == 0 else {
        throw SoundFileError(
          .notSound,
          "\(path) is damaged after \(seconds(framesRead + count)) s: "
            + SoundFileError.reason(handle.pointer))
      }
    }
    let right = channels > 1 ? 1 : 0
    for frame in 0..<count {
      output.left[frame] = Self.bounded(interleaved.samples[frame * channels])
      output.right[frame] = Self.bounded(interleaved.samples[frame * channels + right])
    }
    framesRead += count
    return count
  }

  private func seconds(_ frames: Int) -> Double {
    (Double(frames) / Double(fileRate) * 1000).rounded() / 1000
  }
}
