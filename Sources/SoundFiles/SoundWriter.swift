internal import CSndfile
package import DSP
internal import Glibc
internal import Posix

/// A stereo sound file writer.
///
/// The file extension selects the format.
///
/// The file replaces an existing one atomically when it is finished. Otherwise nothing of it
/// remains.
package struct SoundWriter: ~Copyable {
  private static let blockFrames = 4096

  /// The format of the file.
  package let format: SoundFormat
  /// The sample encoding.
  package let samples: SoundFormat.Samples
  /// The sample rate of the file in Hz.
  package let fileRate: Int

  private let path: String
  private let replacement: Replacement
  package let handle: SoundHandle
  private let numbers: Interleaved<Int32>
  private let floats: Interleaved<Float>
  private var converter: RateConverter?
  private let block: StereoBuffer

  /// Begins a file for sound with a sample rate in Hz.
  ///
  /// If the format does not support the rate, the sound is converted. `isFine` states whether the
  /// samples have a finer resolution than 24 bits. If `expectedFrames` is known, sound that exceeds
  /// the format's limit is rejected at the start.
  package init(
    _ path: String, rate: Int, isFine: Bool, expectedFrames: Int? = nil
  ) throws(SoundFileError) {
    let format = try SoundFormat(endingOf: path)
    let samples = format.samples(forFine: isFine)
    let fileRate = format.rate(for: rate)
    let frames = RateConverter.frames(expectedFrames ?? 0, from: rate, to: fileRate)
    let container = try Self.container(for: path, format, samples, frames: frames)
    let replacement = try system(try Replacement(of: path), or: Self.fault)
    let handle = try Self.open(
      replacement.descriptor, path, rate: fileRate, code: container | samples.code)
    self.path = path
    self.format = format
    self.samples = samples
    self.fileRate = fileRate
    self.replacement = replacement
    self.handle = handle
    numbers = Interleaved(count: 2 * Self.blockFrames)
    floats = Interleaved(count: 2 * Self.blockFrames)
    block = StereoBuffer(frames: Self.blockFrames)
    converter = fileRate == rate ? nil : RateConverter(from: rate, to: fileRate)
    configure()
  }

  private static func container(
    for path: String, _ format: SoundFormat, _ samples: SoundFormat.Samples, frames: Int
  ) throws(SoundFileError) -> Int {
    guard format.isTooShort(forFrames: frames, samples: samples) else { return format.container }
    guard format.container == SF_FORMAT_WAV else {
      throw SoundFileError(
        .cannotWrite,
        "\(path) would exceed the limit of 4 GB of \(format.name); use .wav or .caf")
    }
    // The same format with 64-bit lengths, which WAV readers support.
    return SF_FORMAT_RF64
  }

  private static func fault(_ error: SystemError) -> SoundFileError {
    SoundFileError(.cannotWrite, "can't write \(error)")
  }

  private static func open(
    _ descriptor: Descriptor, _ path: String, rate: Int, code: Int
  ) throws(SoundFileError) -> SoundHandle {
    var info = SF_INFO()
    info.samplerate = Int32(rate)
    info.channels = 2
    info.format = Int32(code)
    guard let pointer = sf_open_fd(descriptor.number, Int32(SFM_WRITE), &info, 0) else {
      throw SoundFileError(.cannotWrite, "can't write \(path): \(SoundFileError.reason(nil))")
    }
    return SoundHandle(pointer)
  }

  private func configure() {
    let file = handle.pointer
    // The PEAK chunk contains the time of day, but the same sound must yield the same file. (RF64
    // files still get it from libsndfile, and Ogg streams contain a random serial number.)
    sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    var level: Double
    switch samples {
    case .integer24, .float32: return
    case .vorbis:
      // Quality 6: 192 kb/s, transparent for nearly all listeners.
      level = 0.4
    case .opus:
      // 160 kb/s, transparent for nearly all listeners.
      level = 0.704
    case .mp3:
      // V2: 190 kb/s, transparent for nearly all listeners.
      var mode = Int32(SF_BITRATE_MODE_VARIABLE)
      sf_command(file, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size))
      level = 0.2
    }
    sf_command(file, Int32(SFC_SET_COMPRESSION_LEVEL), &level, Int32(MemoryLayout<Double>.size))
  }

  /// Writes the next frames.
  package mutating func write(_ sound: Stereo, frames: Int) throws(SoundFileError) {
    guard converter != nil else {
      try writeFile(sound, frames: frames)
      return
    }
    var taken = 0
    while taken < frames {
      let done = converter!.convert(
        sound.advanced(by: taken), frames: frames - taken, into: block.stereo, room: block.frames)
      taken += done.taken
      try writeFile(block.stereo, frames: done.made)
    }
  }

  /// Flushes the remaining frames, and moves the file to its path.
  package consuming func finish() throws(SoundFileError) {
    while converter != nil {
      let count = converter!.finish(into: block.stereo, room: block.frames)
      if count == 0 { break }
      try writeFile(block.stereo, frames: count)
    }
    let path = path
    errno = 0
    guard handle.close() == 0, errno != ENOSPC, errno != EFBIG, errno != EDQUOT else {
      throw Self.fault(path)
    }
    do throws(SystemError) { try replacement.complete() } catch { throw Self.fault(error) }
  }

  private static func fault(_ path: String) -> SoundFileError {
    let reason = errno != 0 ? String(cString: strerror(errno)) : "the file can't grow"
    return SoundFileError(.cannotWrite, "can't write \(path): \(reason)")
  }

  private func writeFile(_ sound: Stereo, frames: Int) throws(SoundFileError) {
    var done = 0
    while done < frames {
      let count = min(frames - done, Self.blockFrames)
      let part = sound.advanced(by: done)
      errno = 0
      let written = samples == .integer24 ? writeNumbers(part, count) : writeFloats(part, count)
      guard Int(written) == count, sf_error(handle.pointer) == 0 else { throw Self.fault(path) }
      done += count
    }
  }

  /// Writes integers rounded here: libsndfile's float conversion would alter the lowest bit of
  /// integer sources.
  private func writeNumbers(_ sound: Stereo, _ frames: Int) -> sf_count_t {
    for frame in 0..<frames {
      numbers.samples[2 * frame] = Self.number(sound.left[frame])
      numbers.samples[2 * frame + 1] = Self.number(sound.right[frame])
    }
    return sf_writef_int(handle.pointer, numbers.samples, sf_count_t(frames))
  }

  private static func number(_ sample: Float) -> Int32 {
    // 24 bits, left-justified in 32.
    let scaled = (sample * 8_388_608).rounded(.toNearestOrEven)
    return Int32(max(-8_388_608, min(8_388_607, scaled))) << 8
  }

  private func writeFloats(_ sound: Stereo, _ frames: Int) -> sf_count_t {
    for frame in 0..<frames {
      floats.samples[2 * frame] = sound.left[frame]
      floats.samples[2 * frame + 1] = sound.right[frame]
    }
    return sf_writef_float(handle.pointer, floats.samples, sf_count_t(frames))
  }
}
