internal import Engine
internal import Glibc
internal import Posix
internal import SoundFiles

/// Completes sessions after a crash or power failure, and keeps the last minutes before it.
enum SessionRecovery {
  /// The sessions and parts found at startup.
  struct Finding: Sendable {
    fileprivate var names: [String]
    fileprivate var parts: [Int: [SessionPart]]
    var isEmpty: Bool { names.isEmpty && parts.isEmpty }
  }

  /// All sessions in a data directory, and the parts of the last minutes.
  static func find(home: String) -> Finding {
    Finding(
      names: Files.names(in: SessionFolder.all(home: home)).filter { !$0.hasPrefix(".") }.sorted(),
      parts: SessionPart.found(home: home))
  }

  /// Repairs all incomplete sessions of a finding, and returns a message for each.
  static func complete(_ finding: Finding, home: String) -> [String] {
    let all = SessionFolder.all(home: home)
    var lines = finding.names.compactMap { complete(SessionFolder(path: "\(all)/\($0)")) }
    for (id, parts) in finding.parts.sorted(by: { $0.key < $1.key }) {
      if let line = keep(parts, of: id, home: home) { lines.append(line) }
    }
    rmdir(SessionPart.all(home: home))
    return lines
  }

  private static func complete(_ folder: SessionFolder) -> String? {
    guard let text = Files.read(folder.log), let log = SessionLog(text), log.frames == nil else {
      return nil
    }
    let paths = sounds(in: folder)
    // Another node is recording it.
    if paths.contains(where: isLocked) { return nil }
    var faults: [String] = []
    let frames = end(paths, &faults)
    let present = log.first(frames)
    do throws(SoundFileError) {
      for path in paths { try WaveRepair.finish(path, cues: present.cues, beat: present.beat) }
    } catch {
      faults.append(error.description)
    }
    do throws(SystemError) {
      try folder.complete(present)
      // A truncated line must not merge with the end line.
      try Files.write(
        text + (text.hasSuffix("\n") ? "" : "\n") + SessionLog.end(frames: frames) + "\n",
        to: folder.log)
    } catch {
      faults.append("can't write \(error)")
    }
    let seconds = plainSeconds(frames, rate: log.rate)
    return
      (["the session \(folder.name) was interrupted; \(seconds) s of it were recovered"] + faults)
      .joined(separator: "; ")
  }

  /// Makes a session of the parts of an interrupted ring, and removes them.
  private static func keep(_ parts: [SessionPart], of id: Int, home: String) -> String? {
    var parts = parts
    if parts.contains(where: { sounds(in: $0.folder).contains(where: isLocked) }) { return nil }
    defer { for part in parts { part.folder.remove() } }
    var faults: [String] = []
    for index in parts.indices {
      parts[index].end = parts[index].start + end(sounds(in: parts[index].folder), &faults)
    }
    // The last part may still be empty.
    let whole = parts.filter { $0.end > $0.start }
    guard let first = whole.first, let end = whole.last?.end,
      let log = SessionLog(Files.read(first.folder.log) ?? ""),
      let sound = sounds(in: first.folder).first, let layout = try? WaveLayout(sound)
    else { return nil }
    let date = ZonedDate(
      microseconds: id + Int(Double(first.start) / Double(log.rate) * 1e6))
    let folder = SessionFolder(path: SessionFolder.path(for: date, home: home))
    let tracks = SessionTrack.all(loops: Parameter.mostLoops).filter {
      Files.exist(first.folder.file(of: $0))
    }
    do throws(Refusal) {
      try SessionPart.join(
        whole, from: first.start, to: end, into: folder, at: date, tracks: tracks, rate: log.rate,
        isFine: layout.isFloat)
    } catch {
      folder.remove()
      return "the last minutes before the interruption can't be kept: \(error.message)"
    }
    let seconds = plainSeconds(end - first.start, rate: log.rate)
    return "the last \(seconds) s before the interruption were saved as the session \(folder.name)"
  }

  private static func sounds(in folder: SessionFolder) -> [String] {
    Files.names(in: folder.path).filter { $0.hasSuffix(".wav") }.sorted().map {
      folder.path + "/" + $0
    }
  }

  /// Truncates all files to the frames that all of them have, and returns their number.
  private static func end(_ paths: [String], _ faults: inout [String]) -> Int {
    var lengths: [String: Int] = [:]
    for path in paths {
      do throws(SoundFileError) {
        lengths[path] = try WaveRepair.repair(path)
      } catch {
        faults.append(error.description)
      }
    }
    let frames = lengths.values.min() ?? 0
    do throws(SoundFileError) {
      for path in lengths.keys { try WaveRepair.cut(path, toFrames: frames) }
    } catch {
      faults.append(error.description)
    }
    return frames
  }

  private static func plainSeconds(_ frames: Int, rate: Int) -> Double {
    (Double(frames) / Double(rate) * 10).rounded() / 10
  }

  private static func isLocked(_ path: String) -> Bool {
    guard let file = try? WaveFile(path, to: .change) else { return false }
    return !file.lock()
  }
}
