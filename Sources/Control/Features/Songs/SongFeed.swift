internal import DSP
internal import Posix
internal import SoundFiles

/// Brings a song from the disk onto a ring, and those that follow it in the list behind it, on a
/// thread of its own.
final class SongFeed: Sendable {
  // Two seconds at the fastest rate.
  private static let secondsAhead = 8.0
  // More than the audio thread wants before it begins.
  private static let headStartSeconds = 0.6
  private static let blockFrames = 4096
  // How often to look for room.
  private static let milliseconds = 50
  private static let leastRate = 1000
  // A folder of broken files shall not be told one after the other for long.
  private static let mostFailures = 8

  /// A song's place on the ring.
  struct Part: Sendable {
    let song: Song
    /// The ring's frame with which it begins.
    let start: Int
    /// How much of the song lies before that, in seconds.
    let offset: Double
    /// How long the song says it is, in seconds; 0 where it doesn't.
    let length: Double
  }

  /// A fault of a song, and the ring's frame at which that is heard.
  struct Fault: Sendable {
    let frame: Int
    let refusal: Refusal
  }

  /// The progress of the feed.
  enum Progress: Sendable {
    case opening, ready
    /// Nothing of the first song could be read.
    case failed(Refusal)
  }

  private struct State {
    var songs: [Song]
    var progress = Progress.opening
    var parts: [Part] = []
    var faults: [Fault] = []
    var isCancelled = false
    var isDone = false
  }

  /// Whether it brings a take, and nothing after it.
  let isOfTake: Bool
  /// The ring that it fills.
  let ring: SongRing
  private let folders: SongFolders
  private let state: Guarded<State>
  private let nudge: Signal

  /// Begins to bring a song from a place in seconds on, at a rate in Hz, and what follows it in a
  /// list.
  init(
    _ song: Song, from place: Double = 0, in songs: [Song], folders: SongFolders, rate: Int
  ) throws(Refusal) {
    do throws(SystemError) {
      nudge = try Signal()
    } catch {
      throw Refusal(.io, "\(error)")
    }
    ring = SongRing(seconds: Self.secondsAhead, sampleRate: rate)
    self.folders = folders
    isOfTake = song.isTake
    state = Guarded(State(songs: songs))
    do throws(SystemError) {
      try Thread.start("song") { [self] in
        run(song, from: place)
        state.withLock { $0.isDone = true }
      }
    } catch {
      throw Refusal(.io, "\(error)")
    }
  }

  // MARK: - The control thread

  var progress: Progress { state.withLock { $0.progress } }

  /// Whether its thread has come to its end.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Ends its thread, as soon as the disk lets it.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    nudge.set()
  }

  /// Takes another list to go on in.
  func setSongs(_ songs: [Song]) { state.withLock { $0.songs = songs } }

  /// The part that is heard where the audio thread has come to.
  var present: Part? {
    let frame = ring.framesRead
    return state.withLock { state in state.parts.last { $0.start <= frame } }
  }

  /// The position in the present song, in seconds.
  func position(in part: Part) -> Double {
    let seconds = part.offset + Double(ring.framesRead - part.start) / Double(ring.sampleRate)
    return part.length > 0 ? min(seconds, part.length) : seconds
  }

  /// Takes what was found to be wrong with what is heard by now.
  func takeFaults() -> [Refusal] {
    let frame = ring.framesRead
    return state.withLock { state in
      let due = state.faults.filter { $0.frame <= frame }
      if !due.isEmpty { state.faults.removeAll { $0.frame <= frame } }
      return due.map(\.refusal)
    }
  }

  // MARK: - The disk's thread

  private func run(_ first: Song, from place: Double) {
    var joiner = SongJoiner(ring)
    let block = StereoBuffer(frames: Self.blockFrames)
    var failures = 0
    var next: (song: Song, place: Double)? = (first, place)
    while let (song, place) = next, failures < Self.mostFailures {
      let start = joiner.frames
      do throws(Refusal) {
        guard try bring(song, from: place, onto: &joiner, by: block.stereo) else { return }
        failures = 0
      } catch {
        if start == 0 && joiner.frames == 0 && isFirst {
          state.withLock { $0.progress = .failed(error) }
          return
        }
        let fault = Fault(frame: joiner.frames, refusal: error)
        state.withLock { $0.faults.append(fault) }
        failures = joiner.frames == start ? failures + 1 : 0
      }
      next = follower(of: song).map { ($0, 0) }
    }
    joiner.end()
    state.withLock { $0.progress = .ready }
  }

  /// Whether nothing was brought yet.
  private var isFirst: Bool { state.withLock { $0.faults.isEmpty && $0.parts.count <= 1 } }

  private func follower(of song: Song) -> Song? {
    state.withLock { state in
      guard let place = state.songs.firstIndex(where: { $0.path == song.path }) else { return nil }
      return place + 1 < state.songs.count ? state.songs[place + 1] : nil
    }
  }

  /// Brings one song to its end; false where it was told to stop.
  private func bring(
    _ song: Song, from place: Double, onto joiner: inout SongJoiner, by block: Stereo
  ) throws(Refusal) -> Bool {
    guard let resolved = try? Files.resolved(song.path) else {
      throw Refusal(.missing, "\(song.path) is not there any more")
    }
    guard song.isTake || folders.holds(resolved) else {
      throw Refusal(.denied, "\(song.path) leads out of the folders that songs can come from")
    }
    var reader = try Self.reading { () throws(SoundFileError) in
      try SoundReader(resolved) { [ring] _ in ring.sampleRate }
    }
    if state.withLock({ $0.isCancelled }) { return false }
    guard reader.fileRate >= Self.leastRate else {
      throw Refusal(.type, "\(song.path) is broken: it has a rate of \(reader.fileRate) Hz")
    }
    if place > 0 {
      try Self.reading { () throws(SoundFileError) in try reader.skip(seconds: place) }
    }
    let length = Double(reader.expectedFrames ?? 0) / Double(ring.sampleRate)
    let part = Part(song: song, start: joiner.frames, offset: place, length: length)
    state.withLock { $0.parts.append(part) }
    joiner.beginSong()
    var count = Self.blockFrames
    while count == Self.blockFrames {
      guard waitForRoom(joiner.room(for: count)) else { return false }
      count = try Self.reading { () throws(SoundFileError) in
        try reader.read(into: block, frames: Self.blockFrames)
      }
      joiner.append(block, frames: count)
      tellReady(when: joiner.frames)
    }
    guard reader.framesRead > 0 else {
      throw Refusal(.type, "\(song.path) holds no sound")
    }
    guard !reader.isCutOff else {
      let seconds = Double(reader.framesRead) / Double(reader.fileRate)
      throw Refusal(
        .type,
        "\(song.path) is cut off: it promises more than its \(plain((seconds * 10).rounded() / 10)) s"
      )
    }
    return true
  }

  private static func reading<Value: ~Copyable>(
    _ body: () throws(SoundFileError) -> Value
  ) throws(Refusal) -> Value {
    do throws(SoundFileError) {
      return try body()
    } catch {
      throw Refusal(error.kind == .missing ? .missing : .type, error.description)
    }
  }

  private func tellReady(when frames: Int) {
    guard Double(frames) >= Self.headStartSeconds * Double(ring.sampleRate) else { return }
    state.withLock { $0.progress = .ready }
  }

  /// Waits until the ring has room; false where it was told to stop.
  private func waitForRoom(_ frames: Int) -> Bool {
    while true {
      if state.withLock({ $0.isCancelled }) { return false }
      if ring.room >= frames { return true }
      nudge.wait(milliseconds: Self.milliseconds)
    }
  }
}
