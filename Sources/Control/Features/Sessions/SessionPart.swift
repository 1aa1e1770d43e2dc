internal import Engine
internal import Posix
internal import SoundFiles

/// A part of the last minutes: a folder with the frames of a ring from `start` on.
struct SessionPart: Sendable {
  var folder: SessionFolder
  var start: Int
  /// The end of the frames that all its files have.
  var end: Int

  /// The folder of all parts in a data directory, which is not a session's.
  static func all(home: String) -> String { SessionFolder.all(home: home) + "/.last" }

  /// The path of a part of the ring with the number `id`.
  static func path(id: Int, start: Int, home: String) -> String {
    "\(all(home: home))/\(id)-\(start)"
  }

  /// The parts in a data directory, by the number of their ring.
  static func found(home: String) -> [Int: [SessionPart]] {
    var found: [Int: [SessionPart]] = [:]
    for name in Files.names(in: all(home: home)) {
      let numbers = name.split(separator: "-").compactMap { Int($0) }
      guard numbers.count == 2 else { continue }
      let folder = SessionFolder(path: all(home: home) + "/" + name)
      found[numbers[0], default: []].append(
        SessionPart(folder: folder, start: numbers[1], end: numbers[1]))
    }
    return found.mapValues { $0.sorted { $0.start < $1.start } }
  }

  /// Makes a session of the frames from `first` to `end`.
  static func join(
    _ parts: [SessionPart], from first: Int, to end: Int, into folder: SessionFolder,
    at date: ZonedDate, tracks: [SessionTrack], rate: Int, isFine: Bool
  ) throws(Refusal) {
    var log = SessionLog(rate: rate)
    for part in parts {
      // The log of the next part can have the last events of this one: all count the frames of the ring.
      guard let events = SessionLog(Files.read(part.folder.log) ?? "") else { continue }
      log.add(events, from: first)
    }
    log = log.first(end - first)
    try refusing(as: .io) { () throws(SystemError) in
      try Files.makeFolder(folder.path)
      try Files.write(log.text(date: date), to: folder.log)
    }
    for track in tracks {
      try refusing(as: .io) { () throws(SoundFileError) in
        let file = try SessionFile(track, in: folder, rate: rate, isFine: isFine, date: date)
        for part in parts where part.end > first {
          let from = max(0, first - part.start)
          try file.append(
            part.folder.file(of: track), from: from,
            frames: min(part.end, end) - part.start - from)
        }
        try file.finish(log)
      }
    }
    try refusing(as: .io) { () throws(SystemError) in
      try folder.complete(log)
      try Files.write(
        log.text(date: date) + SessionLog.end(frames: end - first) + "\n", to: folder.log)
      try Files.keep(folder: folder.path)
    }
  }
}
