internal import CSndfile
package import DSP
internal import Glibc

/// A sound file that is read from its beginning to its end, in blocks, as stereo at any rate.
///
/// One channel is heard on both sides. Of more than two the first two are taken: files with
/// that many mostly are tracks side by side, which no mix of ours would suit.
package struct SoundReader: ~Copyable {
  private static let blockFrames = 4096
  // libsndfile's count where it knows none is the greatest number, or near it.
  private static let unknown = Int64.max / 16

  /// The file.
  package let path: String
  /// The rate at which it is read, in Hz.
  package let rate: Int
  /// The rate that the file has, in Hz.
  package let fileRate: Int
  /// The number of channels of the file.
  package let channels: Int
  /// The number of frames that the file promises, at the rate at which it is read; nil where it
  /// does not say.
  package let expectedFrames: Int?
  /// Whether its samples tell more than integers of 24 bits hold.
  package let isFine: Bool
  /// The number of the file's own frames read so far.
  package private(set) var framesRead = 0

  private let handle: SoundHandle
  private let interleaved: Interleaved<Float>
  private let promised: Int
  private let startsCutOff: Bool
  private var converter: RateConverter?
  private let block: StereoBuffer
  private var pending = 0..<0
  private var isAtEnd = false

  /// Opens a file to be read at a rate in Hz, by default its own.
  ///
  /// The rate is chosen when the file's own is known.
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
      throw SoundFileError(.missing, "can't read \(path): \(String(cString: strerror(errno)))")
    }
    // Of a pipe nothing is known before its end, and libsndfile looks there.
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw SoundFileError(.notSound, "\(path) is no file that could hold sound")
    }
    guard let pointer = sf_open(path, Int32(SFM_READ), &info) else {
      throw SoundFileError(
        .notSound, "\(path) is no sound file that can be read: \(SoundFileError.reason(nil))")
    }
    let handle = SoundHandle(pointer)
    guard info.channels > 0, info.samplerate > 0, info.samplerate <= 10_000_000 else {
      throw SoundFileError(.notSound, "\(path) is broken: it has no rate or no channels")
    }
    return handle
  }

  /// Whether the file promises more than is there, as far as it was read.
  package var isCutOff: Bool { startsCutOff || (isAtEnd && framesRead < promised) }

  /// Whether the header alone tells that the file was cut off.
  ///
  /// libsndfile then counts what is there, and tells of it in its log only.
  private static func isCutOff(_ handle: borrowing SoundHandle) -> Bool {
    var log = [CChar](repeating: 0, count: 16_384)
    sf_command(handle.pointer, Int32(SFC_GET_LOG_INFO), &log, Int32(log.count))
    let text = String(
      decoding: log.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    return text.split(separator: "\n").contains { line in
      // Such as "data : 1000 (should be 500)". The greatest numbers are those of whoever wrote
      // into a pipe, and could not know.
      guard line.contains("(should be "),
        ["data", "SSND", "Data Size"].contains(where: line.drop { $0 == " " }.hasPrefix),
        let promised = line.split(separator: " ").lazy.compactMap({ Int($0) }).first
      else { return false }
      return promised < 0x7FFF_0000
    }
  }

  /// Reads the next frames, and returns how many: fewer than wanted only at the end.
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

  /// Goes to a time in seconds before anything was read, or to the end where that comes first.
  package mutating func skip(seconds: Double) throws(SoundFileError) {
    precondition(framesRead == 0 && pending.isEmpty)
    var frames = Int(seconds * Double(fileRate))
    if promised >= 0 { frames = min(frames, promised) }
    guard frames > 0 else { return }
    let place = sf_seek(handle.pointer, sf_count_t(frames), Int32(SEEK_SET))
    if place >= 0 {
      framesRead = Int(place)
      return
    }
    // There are files in which one can't go anywhere but on.
    while framesRead < frames {
      let wanted = min(frames - framesRead, Self.blockFrames)
      if try readFile(into: block.stereo, frames: wanted) < wanted { return }
    }
  }

  /// Reads frames as they are in the file; 0 only at the end.
  private mutating func readFile(
    into output: Stereo, frames: Int
  ) throws(SoundFileError) -> Int {
    guard !isAtEnd else { return 0 }
    let wanted = min(frames, Self.blockFrames)
    let count = Int(sf_readf_float(handle.pointer, interleaved.samples, sf_count_t(wanted)))
    if count < wanted {
      isAtEnd = true
      guard sf_error(handle.pointer) == 0 else {
        throw SoundFileError(
          .notSound,
          "\(path) is broken after \(seconds(framesRead + count)) s: "
            + SoundFileError.reason(handle.pointer))
      }
    }
    let right = channels > 1 ? 1 : 0
    for frame in 0..<count {
      output.left[frame] = interleaved.samples[frame * channels]
      output.right[frame] = interleaved.samples[frame * channels + right]
    }
    framesRead += count
    return count
  }

  private func seconds(_ frames: Int) -> Double {
    (Double(frames) / Double(fileRate) * 1000).rounded() / 1000
  }
}
