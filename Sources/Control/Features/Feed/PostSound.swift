internal import DSP
internal import Engine
internal import Library
internal import SoundFiles

/// The sound files of posts.
enum PostSound {
  /// Returns the length of the sound in a file in seconds, infinite if the file does not state it.
  static func seconds(_ path: String) throws(Refusal) -> Double {
    do throws(SoundFileError) {
      let reader = try SoundReader(path)
      // A sound without a length in its header is played as a song.
      guard let frames = reader.expectedFrames else { return .infinity }
      return Double(frames) / Double(reader.rate)
    } catch {
      throw Refusal(.type, "can't read the sound of this post")
    }
  }

  /// Reads the beginning of a file into the memory of a clip.
  static func readClip(_ path: String, into transfer: ClipTransfer) throws(Refusal) -> ClipPart {
    do throws(SoundFileError) {
      return try ClipPart(
        path, into: transfer.sound, room: transfer.capacity, seconds: transfer.seconds,
        rate: transfer.sampleRate)
    } catch {
      throw Refusal(.type, "can't read the sound of this post")
    }
  }

  /// Writes a clip to a file in the format of its ending.
  static func write(_ transfer: ClipTransfer, to path: String) throws(Refusal) {
    try refusing(as: .io) { () throws(SoundFileError) in
      var writer = try SoundWriter(
        path, rate: transfer.sampleRate, isFine: false, expectedFrames: transfer.length)
      try writer.write(transfer.sound, frames: transfer.length)
      try writer.finish()
    }
  }
}
