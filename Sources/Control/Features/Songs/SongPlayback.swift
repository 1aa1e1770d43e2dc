internal import DSP
internal import Engine

/// Playback of songs: the playing one and those that follow it, and the next one while it is being opened.
final class SongPlayback {
  // A hung disk occupies a thread and a ring for each requested song.
  private static let mostFeeds = 8
  // The interval of position updates, in microseconds.
  private static let positionPeriod = 100_000.0
  private static let busyMilliseconds = 2
  private static let playingMilliseconds = 50

  /// A song to be played.
  private struct Coming {
    let feed: SongFeed
    let song: Song
    /// The start position, in seconds.
    let place: Double
    /// The request; nil if playback continues by itself.
    let request: Request?
    /// The words of the reply.
    let words: [String]
  }

  /// A song that was opened ahead, and is closed unless it is played.
  final class Opened {
    let song: Song
    fileprivate let feed: SongFeed
    fileprivate var isTaken = false

    fileprivate init(_ song: Song, _ feed: SongFeed) { (self.song, self.feed) = (song, feed) }

    deinit { if !isTaken { feed.cancel() } }
  }

  /// A song that is being opened ahead.
  private struct Opening {
    let opened: Opened
    let ending: (Result<Opened, Refusal>) -> Void
  }

  private let context: Context
  private let shelf: SongShelf
  private var opening: [Opening] = []

  private var coming: Coming?
  // On its way to the engine.
  private var beginning: Coming?
  private var playing: SongFeed?
  /// Whether another song, or none, is on its way to the engine.
  private(set) var isHandingOver = false
  private var wantsStop = false
  // Whether a scene's song is on its way to the engine.
  private var isSceneComing = false
  // Cancelled feeds whose threads may still wait for a disk.
  private var ending: [SongFeed] = []
  /// The song played last.
  private(set) var last: Song?
  // The client that receives errors in songs.
  private var listener: Client?

  // Whether work is in progress, or was at the last poll.
  private var isBusy = false
  private var told: SongStatus?
  private var nextPosition = 0.0

  init(_ context: Context, _ shelf: SongShelf) {
    self.context = context
    self.shelf = shelf
  }

  deinit { for feed in feeds { feed.cancel() } }

  private var feeds: [SongFeed] {
    [coming?.feed, beginning?.feed, playing].compactMap { $0 } + opening.map(\.opened.feed)
  }

  /// The song that is playing, about to play, or played last.
  var present: Song? { coming?.song ?? beginning?.song ?? playing?.present?.song ?? last }

  /// Continues playback in another list.
  func continuePlaying(in list: SongList) {
    // The number of the song may have changed.
    isBusy = true
    // A take or post is played alone.
    for feed in feeds where !feed.isOfItem { feed.setSongs(list.songs) }
  }

  // MARK: - Playback

  /// Plays a song from a position in seconds, then those that follow it in a list.
  ///
  /// `words` are those of the reply, by default artist and title.
  func start(
    _ song: Song, from place: Double = 0, in list: SongList?, saying words: [String]? = nil,
    for request: Request?
  ) throws(Refusal) {
    let feed = try feed(song, from: place, in: list)
    cancelNext()
    wantsStop = false
    isBusy = true
    coming = Coming(
      feed: feed, song: song, place: place, request: request, words: words ?? [song.text])
  }

  private func feed(
    _ song: Song, from place: Double = 0, in list: SongList?
  ) throws(Refusal) -> SongFeed {
    ending.removeAll(where: \.isDone)
    guard ending.count < Self.mostFeeds else {
      throw Refusal(.busy, "the disk does not respond for \(ending.count) songs; try again later")
    }
    return try SongFeed(
      song, from: place, in: list?.songs ?? [song], folders: shelf.folders,
      rate: context.sampleRate)
  }

  /// Stops playback.
  func stop() throws(Refusal) {
    guard coming != nil || beginning != nil || playing.map({ !$0.ring.isOver }) ?? false,
      !wantsStop
    else { throw Refusal(.state, "no song is playing") }
    cancelNext()
    if isSceneComing {
      // Ends only the present song; the scene's song still starts.
      try context.submit([PlannedCommand(action: .closeSong)], path: Songs.stop)
      return
    }
    wantsStop = beginning != nil || playing != nil
    advance()
  }

  /// Cancels the song to be played next.
  private func cancelNext(by what: String = "a later request") {
    guard let former = coming else { return }
    coming = nil
    cancel(former.feed)
    tellPassedOver(former, by: what)
  }

  private func tellPassedOver(_ former: Coming, by what: String = "a later request") {
    refuse(
      Refusal(.state, "\(quoted(former.song.text)) was canceled by \(what)"), former.request)
  }

  private func cancel(_ feed: SongFeed) {
    feed.cancel()
    ending.append(feed)
  }

  private func refuse(_ refusal: Refusal, _ request: Request?, else listener: Client? = nil) {
    if let request { return request.refuse(refusal) }
    context.replySender.refuse(refusal, to: Origin(path: Songs.play, client: listener))
  }

  // MARK: - Ahead

  /// Opens a song of a list ahead, and passes it to `ending` when it can begin at once.
  func open(
    _ song: Song, in list: SongList, then ending: @escaping (Result<Opened, Refusal>) -> Void
  ) throws(Refusal) {
    let feed = try feed(song, in: list)
    opening.append(Opening(opened: Opened(song, feed), ending: ending))
    isBusy = true
  }

  /// Whether a song that was opened ahead can still be played.
  func isCurrent(_ opened: Opened) -> Bool { isOfRate(opened.feed) }

  /// Whether a song is playing, or a command that was sent will start one.
  var isPlaying: Bool { isHandingOver || playing.map { !$0.ring.isOver } ?? false }

  /// A change to a song that was opened ahead, or to none, to be queued with other commands.
  ///
  /// Must not be called while another song is being handed over.
  func change(to opened: Opened?) -> SwitchPart {
    let next = opened.map {
      Coming(feed: $0.feed, song: $0.song, place: 0, request: nil, words: [])
    }
    var change = command(playing: next)
    change.whenDone = { [weak self, done = change.whenDone] in
      // A request made after the switch was sent is valid only until the switch.
      self?.cancelNext(by: "a scene")
      self?.isSceneComing = false
      done?()
    }
    return SwitchPart(commands: [change]) { [self] in
      cancelNext()
      wantsStop = false
      isBusy = true
      opened?.isTaken = true
      (isHandingOver, isSceneComing, beginning) = (true, true, next)
    }
  }

  private func pollOpening() {
    let all = opening
    opening = []
    for item in all {
      switch item.opened.feed.progress {
      case .opening: opening.append(item)
      case .ready: item.ending(.success(item.opened))
      case .failed(let refusal): item.ending(.failure(refusal))
      }
    }
  }

  // MARK: - Polling

  /// Polls the disk and the engine.
  func poll(_ now: Double) -> Int? {
    guard isBusy else { return nil }
    ending.removeAll(where: \.isDone)
    pollOpening()
    followRate()
    advance()
    if let playing {
      if let present = playing.present { last = present.song }
      for fault in playing.takeFaults() { context.report(fault, of: Songs.play, to: listener) }
      if playing.ring.isOver, !isHandingOver, coming == nil { handOver(nil) }
    }
    announce(now)
    isBusy =
      coming != nil || playing != nil || isHandingOver || !ending.isEmpty || !opening.isEmpty
    if coming != nil || !opening.isEmpty { return Self.busyMilliseconds }
    return playing != nil || !ending.isEmpty ? Self.playingMilliseconds : nil
  }

  /// Starts the next song, or ends the current one, when the engine is ready for it.
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
      cancel(next.feed)
      refuse(refusal, next.request, else: listener)
      // A song prepared for another sample rate can't continue.
      if let playing, !isOfRate(playing) { handOver(nil) }
    }
  }

  private func isOfRate(_ feed: SongFeed) -> Bool {
    feed.ring.sampleRate == context.sampleRate
  }

  /// Restarts songs prepared for another sample rate at their position.
  private func followRate() {
    guard !isHandingOver, !wantsStop else { return }
    if let next = coming {
      guard !isOfRate(next.feed) else { return }
      coming = nil
      cancel(next.feed)
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
      try start(song, from: place, in: song.isItem ? nil : shelf.list, saying: words, for: request)
    } catch {
      refuse(error, request, else: listener)
      wantsStop = playing != nil
    }
  }

  /// The command that passes a song, or none, to the engine, and takes the previous one back.
  ///
  /// Until it is done, no other one is sent.
  private func command(playing next: Coming?) -> PlannedCommand {
    let former = playing
    return PlannedCommand(action: .playSong(next?.feed.ring.pointer)) { [unowned self] in
      isHandingOver = false
      beginning = nil
      playing = next?.feed
      if let former { cancel(former) }
      guard let next else {
        wantsStop = false
        return
      }
      last = next.song
      if let client = next.request?.client { listener = client }
      next.request?.done(next.words)
    } whenRefused: { [unowned self] _ in
      // The sample rate changed meanwhile.
      isHandingOver = false
      beginning = nil
      guard let next else { return }
      cancel(next.feed)
      if coming == nil, !wantsStop {
        restart(next)
      } else {
        tellPassedOver(next)
      }
    }
  }

  private func handOver(_ next: Coming?) {
    do throws(Refusal) {
      try context.submit([command(playing: next)])
      isHandingOver = true
      beginning = next
    } catch {
      guard let next else { return }
      cancel(next.feed)
      refuse(error, next.request)
    }
  }

  // MARK: - Updates

  /// The take or post that is playing.
  var item: ClipItem? {
    playing.flatMap { $0.ring.isOver ? nil : $0.present?.song.item }
  }

  /// The status of playback.
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
