internal import DSP
internal import Glibc
internal import Library
internal import Posix
internal import SoundFiles

/// The validation of posted sounds, independent of their declared type.
enum SoundCheck {
  // The part that is decoded. A sound truncated later is acceptable.
  private static let framesToRead = 65_536
  // A header can declare any number of frames.
  private static let longest = 86_400.0

  /// Returns the kind and duration of a sound.
  ///
  /// Throws if the bytes are none.
  static func facts(_ bytes: [UInt8], folder: String) throws(BoardFault) -> Post.Sound {
    guard let kind = SoundKind(bytes) else {
      throw BoardFault(
        .noSound, "unknown format of audio; expected WAV, FLAC, OGG, MP3, M4A or AAC")
    }
    let seconds =
      switch kind {
      case .m4a: MovieHeader.seconds(of: bytes)
      case .aac: AACFrames.seconds(of: bytes)
      case .wav, .flac, .ogg, .mp3: try read(bytes, folder)
      }
    guard let seconds else {
      throw BoardFault(.noSound, "audio starts like \(kind.rawValue), but has no sound")
    }
    let isPlausible = seconds.isFinite && 0...longest ~= seconds
    return Post.Sound(seconds: isPlausible ? seconds : 0, bytes: bytes.count, kind: kind)
  }

  /// Returns the duration of a sound in seconds by decoding it, or nil if it is malformed.
  private static func read(_ bytes: [UInt8], _ folder: String) throws(BoardFault) -> Double? {
    let path = "\(folder)/\(Take.newID())"
    do throws(SystemError) {
      try Descriptor(creating: path).write(bytes, action: path)
    } catch {
      Files.remove(path)
      throw BoardFault(.store, "can't read the sound: \(error.reason)")
    }
    defer { Files.remove(path) }
    return try? seconds(path)
  }

  private static func seconds(_ path: String) throws(SoundFileError) -> Double? {
    var reader = try SoundReader(path)
    var frames = 0
    try reader.readBlocks(atMost: framesToRead) { frames += $1 }
    guard frames > 0 else { return nil }
    return Double(max(frames, reader.expectedFrames ?? 0)) / Double(reader.rate)
  }
}
