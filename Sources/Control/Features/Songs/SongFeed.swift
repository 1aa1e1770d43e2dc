internal import DSP
internal import Posix
internal import SoundFiles

/// Reads a song, and those that follow it in the list, from disk into a ring, on a thread of its own.
final class SongFeed: Sendable {
  // Two seconds at the fastest rate.
  private static let secondsAhead = 8.0
  // More than the audio thread needs to start.
  private static let headStartSeconds = 0.6
  private static let blockFrames = 4096
  // The polling interval for room in the ring.
  private static let milliseconds = 50
  private static let leastRate = 1000
  // Stops after a series of unreadable files.
  private static let mostFailures = 8

  /// The part of the ring that holds a song.
  struct Part: Sendable {
    let song: Song
    /// The frame of the ring at which it starts.
    let start: Int
    /// The position in the song at that frame, in seconds.
    let offset: Double
    /// The declared length of the song, in seconds; 0 if unknown.
    let length: Double
  }

  /// An error in a song, and the frame of the ring at which it is heard.
  struct Fault: Sendable {
    let frame: Int
    let refusal: Refusal
  }

  /// The progress of the feed.
  enum Progress: Sendable {
    case opening, ready
    /// The first song could not be read.
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

  /// Whether the feed plays a single take or post.
  let isOfItem: Bool
  /// The ring that it fills.
  let ring: SongRing
  private let folders: SongFolders
  private let state: Guarded<State>
  private let nudge: Signal

  /// Starts reading a song at a position in seconds and a rate in Hz, then the songs that follow it in a
  /// list.
  init(
    _ song: Song, from place: Double = 0, in songs: [Song], folders: SongFolders, rate: Int
  ) throws(Refusal) {
    nudge = try refusing { () throws(SystemError) in try Signal() }
    ring = SongRing(seconds: Self.secondsAhead, sampleRate: rate)
    self.folders = folders
    isOfItem = song.isItem
    state = Guarded(State(songs: songs))
    try refusing { () throws(SystemError) in
      try Thread.start("song") { [self] in
        run(song, from: place)
        state.withLock { $0.isDone = true }
      }
    }
  }

  // MARK: - Control thread

  var progress: Progress { state.withLock { $0.progress } }

  /// Whether the thread has ended.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Ends the thread as soon as the disk allows.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    nudge.set()
  }

  /// Sets the list to continue with.
  func setSongs(_ songs: [Song]) { state.withLock { $0.songs = songs } }

  /// The part that is playing.
  var present: Part? {
    let frame = ring.framesRead
    return state.withLock { state in state.parts.last { $0.start <= frame } }
  }

  /// The position in the playing song, in seconds.
  func position(in part: Part) -> Double {
    let seconds = part.offset + Double(ring.framesRead - part.start) / Double(ring.sampleRate)
    return part.length > 0 ? min(seconds, part.length) : seconds
  }

  /// Returns and removes the errors heard by now.
  func takeFaults() -> [Refusal] {
    let frame = ring.framesRead
    return state.withLock { state in
      let due = state.faults.filter { $0.frame <= frame }
      if !due.isEmpty { state.faults.removeAll { $0.frame <= frame } }
      return due.map(\.refusal)
    }
  }

  // MARK: - Disk's thread

  private func run(_ first: Song, from place: Double) {
    var joiner = SongJoiner(ring)
    let block = StereoBuffer(frames: Self.blockFrames)
    var failures = 0
    var next: (song: Song, place: Double)? = (first, place)
    while let (song, place) = next, failures < Self.mostFailures {
      let start = joiner.frames
      do throws(Refusal) {
        guard try read(song, from: place, onto: &joiner, by: block.stereo) else { return }
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
    joiner.finish()
    state.withLock { $0.progress = .ready }
  }

  /// Whether nothing was read yet.
  private var isFirst: Bool { state.withLock { $0.faults.isEmpty && $0.parts.count <= 1 } }

  private func follower(of song: Song) -> Song? {
    state.withLock { state in
      guard let place = state.songs.firstIndex(where: { $0.path == song.path }) else { return nil }
      return place + 1 < state.songs.count ? state.songs[place + 1] : nil
    }
  }

  /// Reads a song to its end.
  ///
  /// Returns false if cancelled.
  private func read(
    _ song: Song, from place: Double, onto joiner: inout SongJoiner, by block: Stereo
  ) throws(Refusal) -> Bool {
    guard let resolved = try? Files.resolved(song.path) else {
      throw Refusal(.missing, "\(song.path) no longer exists")
    }
    guard song.isItem || folders.holds(resolved) else {
      throw Refusal(.denied, "\(song.path) is outside the music folders")
    }
    var reader = try refusing { () throws(SoundFileError) in
      try SoundReader(resolved) { [ring] _ in ring.sampleRate }
    }
    if state.withLock({ $0.isCancelled }) { return false }
    guard reader.fileRate >= Self.leastRate else {
      throw Refusal(.type, "\(song.path) is invalid: sample rate \(reader.fileRate) Hz")
    }
    if place > 0 {
      try refusing { () throws(SoundFileError) in try reader.skip(seconds: place) }
    }
    let length = Double(reader.expectedFrames ?? 0) / Double(ring.sampleRate)
    let part = Part(song: song, start: joiner.frames, offset: place, length: length)
    state.withLock { $0.parts.append(part) }
    joiner.beginSong()
    var count = Self.blockFrames
    while count == Self.blockFrames {
      guard waitForRoom(joiner.room(for: count)) else { return false }
      count = try refusing { () throws(SoundFileError) in
        try reader.read(into: block, frames: Self.blockFrames)
      }
      joiner.append(block, frames: count)
      tellReady(when: joiner.frames)
    }
    guard reader.framesRead > 0 else {
      throw Refusal(.type, "\(song.path) contains no audio")
    }
    guard !reader.isCutOff else {
      let seconds = Double(reader.framesRead) / Double(reader.fileRate)
      throw Refusal(
        .type,
        "\(song.path) is truncated after \(plain((seconds * 10).rounded() / 10)) s"
      )
    }
    return true
  }

  private func tellReady(when frames: Int) {
    guard Double(frames) >= Self.headStartSeconds * Double(ring.sampleRate) else { return }
    state.withLock { $0.progress = .ready }
  }

  /// Waits for room in the ring.
  ///
  /// Returns false if cancelled.
  private func waitForRoom(_ frames: Int) -> Bool {
    while true {
      if state.withLock({ $0.isCancelled }) { return false }
      if ring.room >= frames { return true }
      nudge.wait(milliseconds: Self.milliseconds)
    }
  }
}
