internal import DSP
internal import Engine
internal import Glibc
internal import Posix
internal import SoundFiles

/// The files of a session that is being written: a sound file for each track, and the log.
final class SessionTracks {
  let folder: SessionFolder
  let log: SessionLogFile
  let files: [SessionFile]
  // The folder, which is synced, too: without their directory entries the files would be lost.
  private let names: Descriptor
  private let ring: SessionRing
  // The frame of the ring at which the files begin.
  private let start: Int
  // The end of the ring's frames that all files have. If the disk filled up, some have more.
  private(set) var end: Int

  /// Creates the folder and the files, for audio from the ring's frame `start` on.
  init(
    _ folder: SessionFolder, of ring: SessionRing, from start: Int, at date: ZonedDate, isFine: Bool
  ) throws(Refusal) {
    self.folder = folder
    self.ring = ring
    self.start = start
    end = start
    (log, names) = try refusing(as: .io) { () throws(SystemError) in
      try Files.makeFolder(folder.path)
      return (
        try SessionLogFile(folder.log, rate: ring.rate, date: date),
        try Descriptor(
          open(folder.path, O_RDONLY | O_CLOEXEC | O_DIRECTORY), orThrow: folder.path)
      )
    }
    var files: [SessionFile] = []
    for track in ring.tracks {
      files.append(
        try refusing(as: .io) { () throws(SoundFileError) in
          try SessionFile(track, in: folder, rate: ring.rate, isFine: isFine, date: date)
        })
    }
    self.files = files
  }

  /// The time of a frame of a ring.
  static func date(of frame: Int, in ring: SessionRing) -> ZonedDate {
    let wall = HostTime.wall - (HostTime.steady - ring.start)
    return ZonedDate(microseconds: Int(wall + Double(frame) / Double(ring.rate) * 1e6))
  }

  /// The length of the shortest file in frames.
  var frames: Int { files.map(\.frames).min() ?? 0 }

  /// Writes the next part of the ring, up to the frame `last`.
  ///
  /// Returns false if the ring is empty, or the files have reached that frame.
  func writeNext(until last: Int = .max) throws(SoundFileError) -> Bool {
    if end >= last { return false }
    return try ring.take(atMost: last - end) { (sounds, frames) throws(SoundFileError) in
      for (file, sound) in zip(files, sounds) {
        // Gain can make samples infinite.
        for side in [sound.left, sound.right] where !Magnitude(side, frames: frames).isFinite {
          _ = Magnitude.silenceNonFinite(side, frames: frames)
        }
        let done = file.frames - (end - start)
        if done < frames { try file.append(sound.advanced(by: done), frames: frames - done) }
      }
      end += frames
    }
  }

  /// Updates the lengths in the headers, and writes the pending lines of the log.
  func countCurrent() throws(SoundFileError) {
    for file in files { try file.countCurrent() }
    try log.write()
  }

  /// Requests an fsync of everything written.
  func sync(_ sync: FileSync) throws(Refusal) {
    sync.request(names, path: folder.path)
    for file in files { sync.request(file.descriptor, path: file.path) }
    sync.request(log.descriptor, path: log.path)
    _ = try refusing("can't write ") { () throws(SystemError) in try sync.nextSynced() }
    guard Files.exist(log.path) else {
      throw Refusal(.io, "\(folder.path) was moved or deleted")
    }
  }

  /// Ends all files on the same frame, adds those for other programs, and returns the length in frames.
  ///
  /// An empty session is removed. `tell` receives the first error.
  func finish(telling tell: (Refusal) -> Void) -> Int {
    let frames = frames
    guard frames > 0 else {
      remove()
      return 0
    }
    var isTold = false
    func attempt(_ body: () throws(Refusal) -> Void) {
      do throws(Refusal) {
        try body()
      } catch {
        if !isTold { tell(error) }
        isTold = true
      }
    }
    attempt { () throws(Refusal) in try write(log) }
    let events = SessionLog(Files.read(folder.log) ?? "") ?? SessionLog(rate: ring.rate)
    let present = events.first(frames)
    for file in files {
      attempt { () throws(Refusal) in
        try refusing(as: .io) { () throws(SoundFileError) in
          try file.cut(toFrames: frames)
          try file.finish(present)
        }
      }
    }
    attempt { () throws(Refusal) in
      try refusing(as: .io) { () throws(SystemError) in try folder.complete(present) }
      // The end line marks the session as complete, so it comes last.
      log.add(line: SessionLog.end(frames: frames))
      try write(log)
      try refusing(as: .io) { () throws(SystemError) in
        try Files.keep(log.descriptor, path: log.path)
        try Files.keep(folder: folder.path)
      }
    }
    return frames
  }

  private func write(_ log: SessionLogFile) throws(Refusal) {
    try refusing(as: .io) { () throws(SoundFileError) in try log.write() }
  }

  /// Removes everything.
  func remove() { folder.remove() }
}
