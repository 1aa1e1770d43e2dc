internal import DSP
internal import Engine
internal import Glibc
internal import Posix
internal import SoundFiles

/// The sound file of one track of a session.
final class SessionFile {
  let track: SessionTrack
  let path: String
  /// A descriptor of the file, for the thread that fsyncs it.
  let descriptor: Descriptor
  private var writer: WaveWriter?

  init(
    _ track: SessionTrack, in folder: SessionFolder, rate: Int, isFine: Bool, date: ZonedDate
  ) throws(SoundFileError) {
    self.track = track
    path = folder.file(of: track)
    var writer = try WaveWriter(
      path, rate: rate, isFine: isFine, isMono: track.isMono,
      place: WaveBroadcast(
        description: SessionFolder.name(of: track), date: String(date.text.prefix(10)),
        time: String(date.text.dropFirst(11).prefix(8)), frame: date.frameOfDay(rate: rate)))
    writer.isSparse = true
    self.writer = consume writer
    do throws(SystemError) {
      descriptor = try Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path)
    } catch {
      throw SoundFileError(.cannotWrite, "can't write \(error)")
    }
  }

  /// The number of frames in the file.
  var frames: Int { writer?.frames ?? 0 }

  /// Appends frames.
  ///
  /// If the disk is full, `frames` counts those that fit.
  func append(_ sound: Stereo, frames: Int) throws(SoundFileError) {
    try writer?.append(sound, frames: frames)
  }

  /// Appends frames of another file of the same format, from its frame `start` on.
  func append(_ path: String, from start: Int, frames: Int) throws(SoundFileError) {
    try writer?.append(path, from: start, frames: frames)
  }

  /// Updates the length in the header.
  func countCurrent() throws(SoundFileError) { try writer?.countCurrent() }

  /// Truncates the file to a number of frames.
  func cut(toFrames frames: Int) throws(SoundFileError) { try writer?.cut(toFrames: frames) }

  /// Finishes the file with markers and a tempo.
  func finish(_ log: SessionLog) throws(SoundFileError) {
    guard let writer = writer.take() else { return }
    try writer.finish(cues: log.cues, beat: log.beat, rate: log.rate)
  }
}

extension ZonedDate {
  /// The frame nearest to this time, counted from midnight.
  fileprivate func frameOfDay(rate: Int) -> Int {
    let local = microseconds + zoneMinutes * 60_000_000
    let day = 86_400_000_000
    let inDay = (local % day + day) % day
    return Int((Double(inDay) / 1e6 * Double(rate)).rounded())
  }
}
