internal import DSP
internal import Engine
internal import Glibc
internal import Library
internal import Posix
internal import SoundFiles

/// Writes one capture to disk: a thread that reads the ring filled by the audio thread, and adds the file
/// to the library as a take.
final class CaptureRun: Sendable {
  // The polling interval of the ring, in milliseconds, and thus the most that is lost if the process is
  // killed. Shorter when freewheeling.
  private static let period = 100
  private static let syncPeriod = 500
  private static let freewheelingPeriod = 1
  // The longest wait for a full disk after the end, in milliseconds. Until then the ring limits it.
  private static let longestDelay = 5000
  // The retry interval while another process holds the library longer than the lock timeout.
  private static let lockedPeriod = 500

  /// The result of a capture.
  struct Outcome {
    /// The take, if it was added to the library.
    var take: Take?
    /// The error, if any.
    var fault: Refusal?
  }

  let ring: CaptureRing
  let id: String
  /// The location of the take, which may be known only after the start.
  let place: Guarded<Place?>
  /// The error that ended the capture, available as soon as it is known.
  let fault = Guarded<Refusal?>(nil)
  /// The error that keeps it from being written now, while the ring still has room.
  let delay = Guarded<Refusal?>(nil)
  /// The result, once everything is written.
  let outcome = Guarded<Outcome?>(nil)

  private let take: Take
  private let home: String
  private let engine: Engine
  private let wake: Signal

  /// Creates a capture.
  ///
  /// `take` holds the properties known at the start.
  init(_ ring: CaptureRing, _ take: Take, home: String, engine: Engine, wake: Signal) {
    self.ring = ring
    self.take = take
    id = take.id
    place = Guarded(take.place)
    self.home = home
    self.engine = engine
    self.wake = wake
  }

  /// Starts the thread.
  ///
  /// If that fails, the capture ends with an error.
  func start() {
    do throws(SystemError) {
      try Thread.start("capture") { [self] in
        var result = Outcome()
        do throws(Refusal) {
          result = try work()
        } catch {
          fault.withLock { $0 = error }
        }
        outcome.withLock { $0 = result }
      }
    } catch {
      fault.withLock { $0 = Refusal(.io, "\(error)") }
      outcome.withLock { $0 = Outcome() }
    }
  }

  /// Wakes the thread after the capture was ended.
  func noteEnd() { wake.set() }

  // MARK: - Background queue

  private func work() throws(Refusal) -> Outcome {
    // The audio is saved whatever the state of the database.
    let path = try refusing(as: .io) { () throws(LibraryFault) in
      try TakeLibrary.recordingPath(id, home: home)
    }
    var take = take
    try write(path, &take)
    guard take.frames > 0 else {
      Files.remove(path)
      return Outcome()
    }
    // A deleted file was reported before.
    while Files.exist(path) {
      do throws(LibraryFault) {
        // Reopened, since after hours the library may have changed.
        return Outcome(take: try TakeLibrary(home: home).add(take, from: path))
      } catch  where error.kind == .busy {
        // Another process holds the library, possibly for long.
        fault.withLock {
          $0 =
            $0
            ?? Refusal(
              .io,
              "\(error.message); the audio is in \(path), and is added when the library is free")
        }
        wake.wait(milliseconds: Self.lockedPeriod)
      } catch {
        return Outcome(
          fault: Refusal(
            .io, "\(error.message); the audio is in \(path), and is added at the next start"))
      }
    }
    return Outcome()
  }

  /// Writes all audio, and sets the final properties of `take`.
  private func write(_ path: String, _ take: inout Take) throws(Refusal) {
    let tags = take.tags
    var writer = try refusing(as: .io) { () throws(SoundFileError) in
      try WaveWriter(path, rate: ring.rate, isFine: ring.isFine, tags: tags)
    }
    var loudness = Loudness(rate: ring.rate)
    do throws(Refusal) {
      try stream(into: &writer, path, &loudness)
    } catch {
      // The audio written so far is kept, and the file is closed as usual.
      fault.withLock { $0 = error }
    }
    take.frames = writer.frames
    take.place = place.withLock { $0 }
    (take.peak, take.loudness) = (loudness.peak, loudness.integrated)
    do throws(SoundFileError) {
      try writer.finish(tags: take.tags)
    } catch {
      // On a full disk the file keeps its initial tags.
      fault.withLock { $0 = $0 ?? Refusal(.io, error.description) }
    }
  }

  /// Writes audio until the audio thread marks the end.
  private func stream(
    into writer: inout WaveWriter, _ path: String, _ loudness: inout Loudness
  ) throws(Refusal) {
    let text = "can't sync the capture to disk: "
    let file = try refusing(text) { () throws(SystemError) in
      try Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path)
    }
    let sync = try refusing(text) { () throws(SystemError) in
      try FileSync(thread: "capture-disk", periodMilliseconds: Self.syncPeriod)
    }
    defer { sync.end() }
    // Without its name the file is lost.
    let folder = Files.folder(of: path)
    let names = try refusing(text) { () throws(SystemError) in
      try Descriptor(open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY), orThrow: folder)
    }
    sync.request(names, path: folder)
    var (written, delayed) = (0, 0)
    while true {
      // Read before the ring, so that no audio is missed.
      let isLast = ring.hasEnded
      do throws(SoundFileError) {
        while try writeNext(into: &writer, &written, &loudness) { try writer.countCurrent() }
        delay.withLock { $0 = nil }
        if isLast { return }
      } catch {
        let fault = Refusal(.io, error.description)
        guard error.isTemporary, delayed < Self.longestDelay else { throw fault }
        delay.withLock { $0 = fault }
        if isLast { delayed += Self.period }
      }
      sync.request(file, path: path)
      _ = try refusing("can't write ") { () throws(SystemError) in try sync.nextSynced() }
      guard Files.exist(path) else {
        throw Refusal(.io, "\(path) was moved or deleted")
      }
      wake.wait(milliseconds: engine.shared.isFreewheeling ? Self.freewheelingPeriod : Self.period)
    }
  }

  /// Writes the next part of the ring.
  ///
  /// `written` is the number of its first frames that are in the file already, because the disk was full
  /// before the rest. Returns false if the ring is empty.
  private func writeNext(
    into writer: inout WaveWriter, _ written: inout Int, _ loudness: inout Loudness
  ) throws(SoundFileError) -> Bool {
    let isWritten = try ring.take { (sound, frames) throws(SoundFileError) in
      // Gain can make samples infinite.
      for side in [sound.left, sound.right] where !Magnitude(side, frames: frames).isFinite {
        _ = Magnitude.silenceNonFinite(side, frames: frames)
      }
      let (rest, before) = (sound.advanced(by: written), writer.frames)
      defer {
        let count = writer.frames - before
        loudness.add(rest, frames: count)
        written += count
      }
      try writer.append(rest, frames: frames - written)
    }
    written = 0
    return isWritten
  }
}
