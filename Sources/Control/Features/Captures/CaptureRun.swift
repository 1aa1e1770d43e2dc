internal import DSP
internal import Engine
internal import Glibc
internal import Library
internal import Posix
internal import SoundFiles

/// One capture on its way to the disk: a thread that takes what the audio thread leaves in a
/// ring, and makes a take of it.
final class CaptureRun: Sendable {
  // How often the ring is looked at, in milliseconds, which is what a program that is killed loses;
  // more often where frames run free of the clock.
  private static let period = 100
  private static let syncPeriod = 500
  private static let freewheelingPeriod = 1
  // How long to leave a library alone that another process has had for longer than is waited for.
  private static let lockedPeriod = 500

  /// The outcome of a capture.
  struct Outcome {
    /// The take, if it is one now.
    var take: Take?
    /// Why it is none.
    var fault: Refusal?
  }

  let ring: CaptureRing
  let id: String
  /// The fault that ends it by itself, told as soon as it is known.
  let fault = Guarded<Refusal?>(nil)
  /// The outcome, when all is done.
  let outcome = Guarded<Outcome?>(nil)

  private let take: Take
  private let home: String
  private let engine: Engine
  private let wake: Signal

  /// A capture that has begun, of which `take` says all that is known.
  init(_ ring: CaptureRing, _ take: Take, home: String, engine: Engine, wake: Signal) {
    self.ring = ring
    self.take = take
    id = take.id
    self.home = home
    self.engine = engine
    self.wake = wake
  }

  /// Starts the thread; without one the capture ends with a fault.
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

  /// Says that the capture was ended, so that the thread need not find out by itself.
  func noteEnd() { wake.set() }

  // MARK: - On the thread

  private func work() throws(Refusal) -> Outcome {
    let path: String
    do throws(LibraryFault) {
      // Whatever has become of the database, the sound is kept.
      path = try TakeLibrary.recordingPath(take.id, home: home)
    } catch {
      throw Refusal(.io, error.message)
    }
    var take = take
    try write(path, &take)
    guard take.frames > 0 else {
      Files.remove(path)
      return Outcome()
    }
    // What has vanished was told.
    while Files.exist(path) {
      do throws(LibraryFault) {
        // Anew: hours may have passed, and the library another one.
        return Outcome(take: try TakeLibrary(home: home).add(take, from: path))
      } catch  where error.kind == .busy {
        // Another process has the library, perhaps for long: this thread has the time to wait for it.
        fault.withLock {
          $0 =
            $0
            ?? Refusal(
              .io, "\(error.message); the sound is in \(path), and is a take when that is free")
        }
        wake.wait(milliseconds: Self.lockedPeriod)
      } catch {
        return Outcome(
          fault: Refusal(
            .io, "\(error.message); the sound is in \(path), and is a take from the next start on"))
      }
    }
    return Outcome()
  }

  /// Writes all of it, and into `take` what there is to be known of it then.
  private func write(_ path: String, _ take: inout Take) throws(Refusal) {
    let tags = take.tags
    var writer = try Self.asRefusal { () throws(SoundFileError) in
      try WaveWriter(path, rate: ring.rate, isFine: ring.isFine, tags: tags)
    }
    var loudness = Loudness(rate: ring.rate)
    do throws(Refusal) {
      try stream(into: &writer, path, &loudness)
    } catch {
      // What was written before stays, and is ended as any other.
      fault.withLock { $0 = error }
    }
    take.frames = writer.frames
    (take.peak, take.loudness) = (loudness.peak, loudness.integrated)
    do throws(SoundFileError) {
      try writer.finish(tags: take.tags)
    } catch {
      // It is whole with the tags that it began with, where a full disk has no room for more.
      fault.withLock { $0 = $0 ?? Refusal(.io, error.description) }
    }
  }

  /// Writes what comes until the audio thread says that it was the last.
  private func stream(
    into writer: inout WaveWriter, _ path: String, _ loudness: inout Loudness
  ) throws(Refusal) {
    let file: Descriptor
    let sync: FileSync
    do throws(SystemError) {
      file = try Descriptor(open(path, O_RDONLY | O_CLOEXEC), orThrow: path)
      sync = try FileSync(thread: "capture-disk", periodMilliseconds: Self.syncPeriod)
    } catch {
      throw Refusal(.io, "can't keep the capture safe: \(error)")
    }
    defer { sync.end() }
    while true {
      // Before the sound is looked at: what has ended has no more.
      let isLast = ring.hasEnded
      try Self.asRefusal { () throws(SoundFileError) in
        while try take(into: &writer, &loudness) { try writer.countCurrent() }
      }
      if isLast { return }
      do throws(SystemError) {
        sync.request(file, path: path)
        _ = try sync.nextSynced()
      } catch {
        throw Refusal(.io, "can't write \(error)")
      }
      guard Files.exist(path) else {
        throw Refusal(.io, "\(path) is gone: somebody has moved or deleted it")
      }
      wake.wait(
        milliseconds: engine.shared.isFreewheeling ? Self.freewheelingPeriod : Self.period)
    }
  }

  /// Writes the next stretch; false where there is none.
  private func take(
    into writer: inout WaveWriter, _ loudness: inout Loudness
  ) throws(SoundFileError) -> Bool {
    try ring.take { (sound, frames) throws(SoundFileError) in
      // A gain can lift what came in over all bounds.
      for side in [sound.left, sound.right] where !Magnitude(side, frames: frames).isFinite {
        _ = Magnitude.silenceNonFinite(side, frames: frames)
      }
      try writer.append(sound, frames: frames)
      loudness.add(sound, frames: frames)
    }
  }

  private static func asRefusal<Result: ~Copyable>(
    _ body: () throws(SoundFileError) -> Result
  ) throws(Refusal) -> Result {
    do throws(SoundFileError) { return try body() } catch {
      throw Refusal(.io, error.description)
    }
  }
}
