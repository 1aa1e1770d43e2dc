package import DSP
internal import Posix
package import SoundFiles

/// A clip read from a take.
package struct ClipRead: Sendable {
  package let take: Take
  /// The sound that was read.
  package let part: ClipPart
}

/// A clip read from a sound file.
package struct ClipPart: Sendable {
  /// The length of the clip, in frames.
  package let length: Int
  /// The number of frames after the end of the clip, for the crossfade.
  package let framesBehind: Int
  /// The beat of the clip, or nil if its file has none.
  package var beat: WaveBeat?
}

extension TakeLibrary {
  /// Adds a clip in memory as a take, without any processing, with the frames after its end and its
  /// beat.
  @discardableResult
  package func addClip(
    _ take: Take, _ sound: Stereo, length: Int, framesBehind: Int, beat: WaveBeat? = nil
  ) throws(LibraryFault) -> Take {
    var take = take
    take.frames = length
    var loudness = Loudness(rate: take.rate)
    loudness.add(sound, frames: length)
    (take.peak, take.loudness) = (loudness.peak, loudness.integrated)
    try check(take)
    let path = recordingPath(take.id)
    let tags = take.tags(
      loop: LoopTail.bytes(sound.advanced(by: length), frames: framesBehind), beat: beat)
    do throws(LibraryFault) {
      try asLibrary { () throws(SoundFileError) in
        var writer = try WaveWriter(path, rate: take.rate, isFine: true, tags: take.tags)
        try writer.append(sound, frames: length)
        try writer.finish(tags: tags)
      }
      return try add(take, from: path)
    } catch {
      Files.remove(path)
      throw error
    }
  }

  /// Reads the beginning of a take, up to `seconds`, and the frames that follow it, converted to
  /// `rate` in Hz.
  ///
  /// The buffer must hold that and another 0.02 s.
  package func readClip(
    _ id: String, into sound: Stereo, room: Int, seconds: Double, rate: Int
  ) throws(LibraryFault) -> ClipRead {
    let take = try take(id)
    let path = path(take)
    let part = try asLibrary { () throws(SoundFileError) in
      try ClipPart(path, into: sound, room: room, seconds: seconds, rate: rate)
    }
    return ClipRead(take: take, part: part)
  }
}

extension ClipPart {
  // Above the rates of all sound cards. Ten seconds at this rate are held in memory.
  private static var greatestRate: Int { 768_000 }
  // Longer than any crossfade of the engine past the end of a clip.
  private static var secondsBehind: Double { 0.02 }

  /// Reads the beginning of a sound file, up to `seconds`, and the frames that follow it, converted
  /// to `rate` in Hz.
  ///
  /// The buffer must hold that and another 0.02 s.
  package init(
    _ path: String, into sound: Stereo, room: Int, seconds: Double, rate: Int
  ) throws(SoundFileError) {
    var reader = try SoundReader(path)
    guard reader.rate <= Self.greatestRate else {
      throw SoundFileError(
        .notSound,
        "\(path) has a rate of \(reader.rate) Hz; the limit for a clip is \(Self.greatestRate) Hz")
    }
    let most = Int((seconds * Double(reader.rate)).rounded(.up))
    let mostBehind = Int(Self.secondsBehind * Double(reader.rate))
    let raw = StereoBuffer(frames: most + mostBehind)
    let count = try reader.read(into: raw.stereo, frames: raw.frames)
    guard count > 0 else { throw SoundFileError(.notSound, "\(path) contains no sound") }
    let length = min(count, most)
    // For a shorter clip, the file's loop tail holds the frames after its end.
    var behind = count - length
    var beat: WaveBeat?
    if behind == 0, let tags = try? WaveTags.read(path) {
      behind = LoopTail.read(
        tags.loop, into: raw.stereo.advanced(by: length), room: raw.frames - length)
      beat = tags.beat
      beat?.round *= Double(rate) / Double(max(1, tags.beatRate))
    }
    let known = length + behind
    guard reader.rate != rate else {
      let whole = min(known, room)
      sound.left.update(from: raw.stereo.left, count: whole)
      sound.right.update(from: raw.stereo.right, count: whole)
      self.init(length: min(length, whole), framesBehind: max(0, whole - length), beat: beat)
      return
    }
    var converter = RateConverter(from: reader.rate, to: rate)
    var (taken, made) = (0, 0)
    while taken < known, made < room {
      let done = converter.convert(
        raw.stereo.advanced(by: taken), frames: known - taken,
        into: sound.advanced(by: made), room: room - made)
      taken += done.taken
      made += done.made
    }
    while made < room {
      let more = converter.finish(into: sound.advanced(by: made), room: room - made)
      if more == 0 { break }
      made += more
    }
    let newLength = min(RateConverter.frames(length, from: reader.rate, to: rate), made)
    self.init(length: newLength, framesBehind: made - newLength, beat: beat)
  }
}
