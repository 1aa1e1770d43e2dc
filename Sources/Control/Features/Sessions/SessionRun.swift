internal import DSP
internal import Engine
internal import Posix
internal import SoundFiles

/// Writes one session to disk: a thread that reads the ring filled by the audio thread.
final class SessionRun: Sendable {
  // The intervals at which the ring is polled and the files are synced, in milliseconds. A power failure
  // loses at most the sum of both.
  static let period = 100
  static let syncPeriod = 300
  static let freewheelingPeriod = 1
  // The longest wait for a full disk after the end, in milliseconds. Before the end, the ring limits it.
  static let longestDelay = 5000

  /// The progress and result of a session, shared with the control thread.
  struct Account {
    /// The folder, once it exists.
    var folder = ""
    /// The error that ended the session.
    var fault: Refusal?
    /// The error that currently blocks writing, while the ring still has room.
    var delay: Refusal?
    /// The seconds until the disk is full, or nil if there are enough.
    var secondsLeft: Int?
    /// Whether everything is written.
    var isDone = false
    /// The length of all files in frames, once they are finished.
    var frames = 0
  }

  let ring: SessionRing
  let account = Guarded(Account())
  /// The names of the markers, by their numbers.
  let marks = Guarded([Int: String]())

  private let home: String
  private let isFine: Bool
  private let engine: Engine
  private let wake: Signal

  init(_ ring: SessionRing, home: String, isFine: Bool, engine: Engine, wake: Signal) {
    self.ring = ring
    self.home = home
    self.isFine = isFine
    self.engine = engine
    self.wake = wake
  }

  /// Starts the thread.
  ///
  /// If that fails, the session ends with an error.
  func start() {
    do throws(SystemError) {
      try Thread.start("session") { [self] in
        do throws(Refusal) {
          try work()
        } catch {
          account.withLock { $0.fault = $0.fault ?? error }
        }
        account.withLock { $0.isDone = true }
      }
    } catch {
      account.withLock { ($0.fault, $0.isDone) = (Refusal(.io, "\(error)"), true) }
    }
  }

  /// Wakes the thread after the session was ended.
  func noteEnd() { wake.set() }

  // MARK: - Background thread

  private func work() throws(Refusal) {
    let date = SessionTracks.date(of: 0, in: ring)
    let folder = SessionFolder(path: SessionFolder.path(for: date, home: home))
    let tracks = try SessionTracks(folder, of: ring, from: 0, at: date, isFine: isFine)
    account.withLock { $0.folder = folder.path }
    do throws(Refusal) {
      try stream(into: tracks)
    } catch {
      // The files keep all frames written so far, and are closed as usual.
      account.withLock { $0.fault = $0.fault ?? error }
    }
    tracks.log.add(ring.takeEvents(), marks: marks.withLock { $0 })
    let frames = tracks.finish { fault in account.withLock { $0.fault = $0.fault ?? fault } }
    account.withLock {
      $0.frames = frames
      if frames == 0 { $0.folder = "" }
    }
  }

  /// Writes sound and events until the audio thread marks the end.
  private func stream(into tracks: SessionTracks) throws(Refusal) {
    let sync = try refusing("can't sync the session to disk: ") { () throws(SystemError) in
      try FileSync(thread: "session-disk", periodMilliseconds: Self.syncPeriod)
    }
    defer { sync.end() }
    var delayed = 0
    let watch = SpaceWatch(folder: tracks.folder.path, rate: ring.rate)
    while true {
      // Read before the ring, so that nothing is missed.
      let isLast = ring.hasEnded
      do throws(SoundFileError) {
        while try tracks.writeNext() {}
        tracks.log.add(ring.takeEvents(), marks: marks.withLock { $0 })
        try tracks.countCurrent()
        account.withLock { $0.delay = nil }
        if isLast { return }
      } catch {
        let fault = Refusal(.io, error.description)
        guard error.isTemporary, delayed < Self.longestDelay else { throw fault }
        account.withLock { $0.delay = fault }
        if isLast { delayed += Self.period }
      }
      try tracks.sync(sync)
      let left = watch.secondsLeft(after: ring.frames)
      account.withLock { $0.secondsLeft = left }
      wake.wait(milliseconds: engine.shared.isFreewheeling ? Self.freewheelingPeriod : Self.period)
    }
  }
}

/// Estimates when the disk will be full from the space that the session has used so far.
private struct SpaceWatch {
  // Before that, the fill rate is unknown.
  private static let leastSeconds = 10
  private static let enough = 300

  private let folder: String
  private let rate: Int
  private let freeAtStart: Int?

  init(folder: String, rate: Int) {
    self.folder = folder
    self.rate = rate
    freeAtStart = Files.space(at: folder)?.free
  }

  /// Returns the seconds until the disk is full, or nil if they are unknown or at least five minutes.
  func secondsLeft(after frames: Int) -> Int? {
    let seconds = frames / rate
    guard seconds >= Self.leastSeconds, let freeAtStart, let free = Files.space(at: folder)?.free,
      free < freeAtStart
    else { return nil }
    let left = free / max(1, (freeAtStart - free) / seconds)
    return left < Self.enough ? left : nil
  }
}
