internal import Engine
internal import Glibc
internal import Posix
internal import SoundFiles

/// Keeps the last minutes of all ports on disk: a thread that writes them in parts, and deletes the oldest.
final class SessionMinutes: Sendable {
  // How long `keep` waits for the disk, in seconds, before it uses the frames that are written.
  private static let patience = 5.0

  private struct State {
    var parts: [SessionPart] = []
    // While there are readers, no part is deleted.
    var readers = 0
    var fault: Refusal?
    var isOverrunTaken = false
    var isDone = false
  }

  let ring: SessionRing
  /// The names of the markers, by their numbers.
  let marks = Guarded([Int: String]())

  private let state = Guarded(State())
  private let length: LastMinutes.Length
  private let home: String
  private let isFine: Bool
  private let engine: Engine
  private let wake: Signal

  init(
    _ ring: SessionRing, _ length: LastMinutes.Length, home: String, isFine: Bool, engine: Engine,
    wake: Signal
  ) {
    self.ring = ring
    self.length = length
    self.home = home
    self.isFine = isFine
    self.engine = engine
    self.wake = wake
  }

  /// The error that ended the recording.
  var fault: Refusal? { state.withLock { $0.fault } }

  /// Whether the thread has ended.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Returns true once after the ring has overrun because the disk was too slow.
  func takeOverrun() -> Bool {
    guard ring.state == .overrun else { return false }
    return state.withLock { state in
      defer { state.isOverrunTaken = true }
      return state.fault == nil && !state.isOverrunTaken
    }
  }

  /// Wakes the thread after the end of the recording.
  func noteEnd() { wake.set() }

  /// Starts the thread.
  func start() {
    do throws(SystemError) {
      try Thread.start("session-last") { [self] in
        do throws(Refusal) {
          try work()
        } catch {
          state.change { $0.fault = error }
        }
        // Readers keep the parts until they are done.
        while state.withLock({ $0.readers > 0 }) { wake.wait(milliseconds: SessionRun.period) }
        for part in state.withLock({ $0.parts }) { part.folder.remove() }
        rmdir(SessionPart.all(home: home))
        state.change { $0.isDone = true }
      }
    } catch {
      state.withLock { ($0.fault, $0.isDone) = (Refusal(.io, "\(error)"), true) }
    }
  }

  private func work() throws(Refusal) {
    let partFrames = length.partSeconds * ring.rate
    let id = Int(HostTime.wall)
    var start = 0
    while true {
      let date = SessionTracks.date(of: start, in: ring)
      let folder = SessionFolder(path: SessionPart.path(id: id, start: start, home: home))
      let tracks = try SessionTracks(folder, of: ring, from: start, at: date, isFine: isFine)
      state.withLock { $0.parts.append(SessionPart(folder: folder, start: start, end: start)) }
      let isLast = try write(tracks, until: start + partFrames)
      if isLast { return }
      start += partFrames
      deleteOldest(before: start - length.seconds * ring.rate)
    }
  }

  /// Writes a part, and returns whether it is the last one.
  private func write(_ tracks: SessionTracks, until end: Int) throws(Refusal) -> Bool {
    while true {
      let isLast = ring.hasEnded
      try refusing(as: .io) { () throws(SoundFileError) in
        while try tracks.writeNext(until: end) {}
        tracks.log.add(ring.takeEvents(), marks: marks.withLock { $0 })
        try tracks.countCurrent()
      }
      state.change { $0.parts[$0.parts.count - 1].end = tracks.end }
      if tracks.end >= end { return false }
      if isLast { return true }
      guard Files.exist(tracks.folder.log) else {
        throw Refusal(.io, "\(tracks.folder.path) was moved or deleted")
      }
      wake.wait(
        milliseconds: engine.shared.isFreewheeling
          ? SessionRun.freewheelingPeriod : SessionRun.period)
    }
  }

  private func deleteOldest(before frame: Int) {
    let old = state.withLock { state -> [SessionPart] in
      if state.readers > 0 { return [] }
      let old = state.parts.prefix { $0.end <= frame }
      state.parts.removeFirst(old.count)
      return Array(old)
    }
    for part in old { part.folder.remove() }
  }

  // MARK: - Keeping

  /// Makes a session of the last minutes, and returns its folder.
  ///
  /// Call it from a thread other than the writer's.
  func keep() throws(Refusal) -> String {
    // The writer thread drains the ring at once, unless the disk is slow. The events before a frame are
    // written with it.
    let wanted = ring.frames + 1
    wake.set()
    let isThere = state.wait(seconds: Self.patience) { state -> Bool? in
      if state.fault != nil || state.isDone { return false }
      return state.parts.last.map { $0.end >= wanted } ?? false ? true : nil
    }
    guard isThere ?? true else {
      throw fault ?? Refusal(.state, "the last minutes are no longer kept")
    }
    let parts = state.withLock { state in
      state.readers += 1
      return state.parts
    }
    defer { state.withLock { $0.readers -= 1 } }
    guard let end = parts.last?.end, end > 0 else {
      throw Refusal(.state, "nothing has been recorded yet")
    }
    let first = max(parts[0].start, end - length.seconds * ring.rate)
    let date = SessionTracks.date(of: first, in: ring)
    let folder = SessionFolder(path: SessionFolder.path(for: date, home: home))
    do throws(Refusal) {
      try SessionPart.join(
        parts, from: first, to: end, into: folder, at: date, tracks: ring.tracks, rate: ring.rate,
        isFine: isFine)
    } catch {
      folder.remove()
      throw error
    }
    return folder.path
  }
}
