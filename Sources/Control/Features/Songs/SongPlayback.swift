internal import DSP
internal import Engine

/// The playback of songs: the one that is played with those that follow it, and the one that is to
/// come, each fed from the disk.
final class SongPlayback {
  // A disk that hangs holds a thread and its ring for each song that was asked for.
  private static let mostFeeds = 8
  // A position is told so often, in microseconds.
  private static let positionPeriod = 100_000.0
  private static let busyMilliseconds = 2
  private static let playingMilliseconds = 50

  /// A song that is about to be played.
  private struct Coming {
    let feed: SongFeed
    let song: Song
    /// The place in it, in seconds.
    let place: Double
    /// The request for it; nil where a song goes on by itself.
    let request: Request?
    /// The words that the answer says of it.
    let words: [String]
  }

  private let context: Context
  private let shelf: SongShelf

  private var coming: Coming?
  // On its way into the engine.
  private var beginning: Coming?
  private var playing: SongFeed?
  private var isHandingOver = false
  private var wantsStop = false
  // Their threads may still wait for a disk.
  private var ending: [SongFeed] = []
  /// The song that was played last.
  private(set) var last: Song?
  // Who is told what is wrong with a song.
  private var listener: Client?

  // Whether something is under way, or was since the last poll.
  private var isBusy = false
  private var told: SongStatus?
  private var nextPosition = 0.0

  init(_ context: Context, _ shelf: SongShelf) {
    self.context = context
    self.shelf = shelf
  }

  deinit { for feed in feeds { feed.cancel() } }

  private var feeds: [SongFeed] { [coming?.feed, beginning?.feed, playing].compactMap { $0 } }

  /// The song that is played, or about to be, or was played last.
  var present: Song? { coming?.song ?? beginning?.song ?? playing?.present?.song ?? last }

  /// Has what is played go on in another list.
  func goOn(in list: SongList) {
    // After a take comes nothing.
    for feed in feeds where !feed.isOfTake { feed.setSongs(list.songs) }
  }

  // MARK: - What is to be played

  /// Plays a song from a place in seconds on, and those behind it in a list; `words` are what the
  /// answer says of it, by default its artist and title.
  func start(
    _ song: Song, from place: Double = 0, in list: SongList?, saying words: [String]? = nil,
    for request: Request?
  ) throws(Refusal) {
    ending.removeAll(where: \.isDone)
    guard ending.count < Self.mostFeeds else {
      throw Refusal(.busy, "the disk has not answered for \(ending.count) songs; try again later")
    }
    let feed = try SongFeed(
      song, from: place, in: list?.songs ?? [song], folders: shelf.folders,
      rate: context.engine.shared.sampleRate)
    passOver()
    wantsStop = false
    isBusy = true
    coming = Coming(
      feed: feed, song: song, place: place, request: request, words: words ?? [song.text])
  }

  /// Stops what is played.
  func stop() throws(Refusal) {
    guard coming != nil || beginning != nil || playing.map({ !$0.ring.isOver }) ?? false,
      !wantsStop
    else { throw Refusal(.state, "no song is played") }
    passOver()
    wantsStop = beginning != nil || playing != nil
    advance()
  }

  /// Gives up what was about to be played.
  private func passOver() {
    guard let former = coming else { return }
    coming = nil
    end(former.feed)
    tellPassedOver(former)
  }

  private func tellPassedOver(_ former: Coming) {
    refuse(
      Refusal(.state, "\(quoted(former.song.text)) did not begin: something else was asked for"),
      former.request)
  }

  private func end(_ feed: SongFeed) {
    feed.cancel()
    ending.append(feed)
  }

  private func refuse(_ refusal: Refusal, _ request: Request?, else listener: Client? = nil) {
    context.answerer.refuse(
      refusal,
      to: Origin(path: request?.path ?? Songs.play, client: request?.client ?? listener))
  }

  // MARK: - What happens

  /// Follows the disk and the engine; returns in how many milliseconds to look again, nil for any
  /// time.
  func poll(_ now: Double) -> Int? {
    guard isBusy || shelf.isBusy else { return nil }
    ending.removeAll(where: \.isDone)
    shelf.deliver()
    followRate()
    advance()
    if let playing {
      if let present = playing.present { last = present.song }
      for fault in playing.takeFaults() { context.report(fault, of: Songs.play, to: listener) }
      if playing.ring.isOver, !isHandingOver, coming == nil { handOver(nil) }
    }
    announce(now)
    isBusy = coming != nil || playing != nil || isHandingOver || !ending.isEmpty
    if coming != nil || shelf.isBusy { return Self.busyMilliseconds }
    return playing != nil || !ending.isEmpty ? Self.playingMilliseconds : nil
  }

  /// Begins the next song or ends the present one, when the engine is free for it.
  private func advance() {
    guard !isHandingOver else { return }
    if wantsStop {
      handOver(nil)
      return
    }
    guard let next = coming else { return }
    switch next.feed.progress {
    case .opening: break
    case .ready:
      coming = nil
      handOver(next)
    case .failed(let refusal):
      coming = nil
      end(next.feed)
      refuse(refusal, next.request, else: listener)
      // What can't go on at another rate is over.
      if let playing, !isOfRate(playing) { handOver(nil) }
    }
  }

  private func isOfRate(_ feed: SongFeed) -> Bool {
    feed.ring.sampleRate == context.engine.shared.sampleRate
  }

  /// Begins anew, where it was, what was made for a server of another rate.
  private func followRate() {
    guard !isHandingOver, !wantsStop else { return }
    if let next = coming {
      guard !isOfRate(next.feed) else { return }
      coming = nil
      end(next.feed)
      restart(next)
    } else if let playing, !isOfRate(playing), !playing.ring.isOver, let part = playing.present {
      restart(part.song, from: playing.position(in: part))
    }
  }

  private func restart(_ former: Coming) {
    restart(former.song, from: former.place, saying: former.words, for: former.request)
  }

  private func restart(
    _ song: Song, from place: Double, saying words: [String]? = nil, for request: Request? = nil
  ) {
    do throws(Refusal) {
      try start(
        song, from: place, in: song.isTake ? nil : shelf.list, saying: words, for: request)
    } catch {
      refuse(error, request, else: listener)
      wantsStop = playing != nil
    }
  }

  /// Gives the engine another song, or none, and takes the former one back.
  private func handOver(_ next: Coming?) {
    let former = playing
    let command = PlannedCommand(action: .playSong(next?.feed.ring.pointer)) { [unowned self] in
      isHandingOver = false
      beginning = nil
      playing = next?.feed
      if let former { end(former) }
      guard let next else {
        wantsStop = false
        return
      }
      last = next.song
      if let client = next.request?.client { listener = client }
      next.request?.done(next.words)
    } whenRefused: { [unowned self] _ in
      // The server went over to another rate meanwhile.
      isHandingOver = false
      beginning = nil
      guard let next else { return }
      end(next.feed)
      if coming == nil, !wantsStop {
        restart(next)
      } else {
        tellPassedOver(next)
      }
    }
    do throws(Refusal) {
      try context.submit([command])
      isHandingOver = true
      beginning = next
    } catch {
      guard let next else { return }
      end(next.feed)
      refuse(error, next.request)
    }
  }

  // MARK: - What is told

  /// The status of what is played.
  var status: SongStatus {
    var status = SongStatus()
    var song = last
    if let playing, !playing.ring.isOver, let part = playing.present {
      song = part.song
      status.word = playing.ring.isWaitedFor ? "waiting" : "playing"
      status.position = playing.position(in: part)
      status.length = part.length
      status.waits = playing.ring.waits
    }
    if let song {
      status.title = song.title
      status.artist = song.artist
      status.number = shelf.list?.place(of: song).map { $0 + 1 } ?? 0
    }
    return status
  }

  private func announce(_ now: Double) {
    let status = status
    var still = status
    still.position = told?.position ?? status.position
    guard still != told || status.position != told?.position && now >= nextPosition else { return }
    nextPosition = now + Self.positionPeriod
    told = status
    context.changed(Songs.state)
  }
}
