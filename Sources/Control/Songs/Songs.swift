internal import DSP
internal import Engine
internal import OSC
internal import Posix

/// The songs as the node has them at the moment: a folder, what is in it, and what is played of it.
final class Songs {
  // A disk that hangs holds a thread and its ring for each song that was asked for.
  private static let mostFeeds = 8
  private static let mostWaiting = 64
  // A position is told so often, in microseconds.
  private static let positionPeriod = 100_000.0
  private static let busyMilliseconds = 2
  private static let playingMilliseconds = 50

  /// A song that is about to be played.
  private struct Coming {
    let feed: SongFeed
    let song: Song
    /// Where in it, in seconds.
    let place: Double
    /// The address by which it was asked for, and by whom; nobody where a song goes on.
    let path: String
    let client: Client?
    /// What the answer says of it.
    let words: [String]
  }

  let folders: SongFolders
  /// Whose songs are listed; a name as `/music/folder` takes it.
  private(set) var folder: String {
    didSet { whenFolderChanges?(folder) }
  }
  /// Is told of another folder, to keep it.
  var whenFolderChanges: ((String) -> Void)?

  private let errands = Errands("songs")
  private var list: SongList?
  private var scans = 0
  // How many changes of the folder are under way.
  private var changes = 0
  private var waiting: [(Result<SongList, Refusal>) -> Void] = []

  private var coming: Coming?
  // On its way into the engine.
  private var beginning: Coming?
  private var playing: SongFeed?
  private var isHandingOver = false
  private var wantsStop = false
  // Their threads may still wait for a disk.
  private var ending: [SongFeed] = []
  private var last: Song?
  // Who is told what is wrong with a song.
  private var listener: Client?

  // Whether something is under way, or was since the last look.
  private var isBusy = false
  private var told: Status?
  private var nextPosition = 0.0

  init(_ folders: SongFolders) {
    self.folders = folders
    folder = folders.initial
  }

  deinit { for feed in [coming?.feed, beginning?.feed, playing] { feed?.cancel() } }

  // MARK: - The list

  /// Calls back with the list: as it is, or looked up anew.
  func whenListed(
    anew: Bool, _ body: @escaping (Result<SongList, Refusal>) -> Void
  ) throws(Refusal) {
    // While a list is looked up anew, the former one will do; while the folder changes, it won't.
    if let list, !anew, changes == 0 {
      body(.success(list))
      return
    }
    guard waiting.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(waiting.count) wait for the list of songs already; ask again later")
    }
    waiting.append(body)
    if errands.count == 0 { scan(folder) { _ in } }
  }

  /// Goes over to another folder, and calls back when its songs are listed, or why they can't be.
  func setFolder(
    _ name: String, then ending: @escaping (Result<SongList, Refusal>) -> Void
  ) throws(Refusal) {
    guard errands.count < Self.mostWaiting else {
      throw Refusal(.busy, "\(errands.count) folders wait for the disk already; ask again later")
    }
    scan(name, then: ending)
  }

  private func scan(_ name: String, then ending: @escaping (Result<SongList, Refusal>) -> Void) {
    isBusy = true
    scans += 1
    let isChange = name != folder
    if isChange { changes += 1 }
    let number = scans
    let known = list?.findings ?? [:]
    errands.run { [folders] () throws(Refusal) in
      try SongList(of: try folders.path(of: name), in: folders, known: known)
    } then: { [unowned self] outcome in
      if isChange { changes -= 1 }
      let isLatest = number == scans
      if isLatest, case .success(let list) = outcome {
        self.list = list
        if folder != name { folder = name }
        for feed in [coming?.feed, beginning?.feed, playing] {
          // After a take comes nothing.
          if let feed, !feed.isOfTake { feed.setSongs(list.songs) }
        }
      }
      ending(outcome)
      guard isLatest else { return }
      let waiting = waiting
      self.waiting = []
      // Where the other folder is none, whoever waits has the songs of the present one.
      var listed = outcome
      if case .failure = outcome, isChange, let list = self.list { listed = .success(list) }
      for body in waiting { body(listed) }
    }
  }

  // MARK: - What is to be played

  /// Plays the song of a number, the first being 1; without, the one played last, or the first.
  func play(_ number: Int?, in list: SongList, for client: Client?, node: Node) throws(Refusal) {
    guard !list.songs.isEmpty else { throw noSongs }
    let count = list.songs.count
    let index = number.map { $0 - 1 } ?? last.flatMap(list.place(of:)) ?? 0
    guard list.songs.indices.contains(index) else {
      throw Refusal(
        .range,
        "/music/play takes the number of a song from 1 to \(count); got \(index + 1)")
    }
    try start(list.songs[index], in: list, path: "/music/play", client: client, node: node)
  }

  /// Plays the song that comes so many after the present one in the list.
  func move(
    by step: Int, in list: SongList, path: String, for client: Client?, node: Node
  ) throws(Refusal) {
    guard !list.songs.isEmpty else { throw noSongs }
    let present = coming?.song ?? beginning?.song ?? playing?.present?.song ?? last
    // Where none was played, or it is not in the list any more, before the first.
    let index = (present.flatMap(list.place(of:)) ?? -1) + step
    guard index >= 0 else { throw Refusal(.state, "this is the first song") }
    guard index < list.songs.count else { throw Refusal(.state, "this is the last song") }
    try start(list.songs[index], in: list, path: path, client: client, node: node)
  }

  /// Plays a take, and nothing after it; `words` are what the answer says of it.
  func play(
    _ take: Song, saying words: [String], path: String, for client: Client?, node: Node
  ) throws(Refusal) {
    try start(take, in: nil, path: path, saying: words, client: client, node: node)
  }

  private var noSongs: Refusal { Refusal(.missing, "there is no song in the folder \(folder)") }

  private func start(
    _ song: Song, from place: Double = 0, in list: SongList?, path: String,
    saying words: [String]? = nil, client: Client?, node: Node
  ) throws(Refusal) {
    ending.removeAll(where: \.isDone)
    guard ending.count < Self.mostFeeds else {
      throw Refusal(.busy, "the disk has not answered for \(ending.count) songs; try again later")
    }
    let feed = try SongFeed(
      song, from: place, in: list?.songs ?? [song], folders: folders,
      rate: node.engine.shared.sampleRate)
    passOver(node)
    wantsStop = false
    isBusy = true
    coming = Coming(
      feed: feed, song: song, place: place, path: path, client: client,
      words: words ?? [song.text])
  }

  /// Gives up what was about to be played.
  private func passOver(_ node: Node) {
    guard let former = coming else { return }
    coming = nil
    end(former.feed)
    tellPassedOver(former, node)
  }

  private func tellPassedOver(_ former: Coming, _ node: Node) {
    node.answer(
      Refusal(.state, "\(quoted(former.song.text)) did not begin: something else was asked for"),
      to: former.path, from: former.client)
  }

  private func end(_ feed: SongFeed) {
    feed.cancel()
    ending.append(feed)
  }

  /// Stops what is played.
  func stop(_ node: Node) throws(Refusal) {
    guard coming != nil || beginning != nil || playing.map({ !$0.ring.isOver }) ?? false,
      !wantsStop
    else { throw Refusal(.state, "no song is played") }
    passOver(node)
    wantsStop = beginning != nil || playing != nil
    advance(node)
  }

  // MARK: - What happens

  /// Looks after the disk and the engine; returns in how many milliseconds to look again, nil for
  /// any time.
  func look(_ now: Double, node: Node) -> Int? {
    guard isBusy else { return nil }
    ending.removeAll(where: \.isDone)
    errands.deliver()
    followRate(node)
    advance(node)
    if let playing {
      if let present = playing.present { last = present.song }
      for fault in playing.takeFaults() { node.report(fault, of: "/music/play", to: listener) }
      if playing.ring.isOver, !isHandingOver, coming == nil { handOver(nil, node) }
    }
    announce(now, node)
    isBusy =
      coming != nil || playing != nil || isHandingOver || errands.count > 0 || !ending.isEmpty
    if coming != nil || errands.count > 0 { return Self.busyMilliseconds }
    return playing != nil || !ending.isEmpty ? Self.playingMilliseconds : nil
  }

  /// Does what is next, when the engine is free for it.
  private func advance(_ node: Node) {
    guard !isHandingOver else { return }
    if wantsStop {
      handOver(nil, node)
      return
    }
    guard let next = coming else { return }
    switch next.feed.progress {
    case .opening: break
    case .ready:
      coming = nil
      handOver(next, node)
    case .failed(let refusal):
      coming = nil
      end(next.feed)
      node.answer(refusal, to: next.path, from: next.client ?? listener)
      // What can't go on at another rate is over.
      if let playing, !isOfRate(playing, node) { handOver(nil, node) }
    }
  }

  private func isOfRate(_ feed: SongFeed, _ node: Node) -> Bool {
    feed.ring.sampleRate == node.engine.shared.sampleRate
  }

  /// Begins anew, where it was, what was made for a server of another rate.
  private func followRate(_ node: Node) {
    guard !isHandingOver, !wantsStop else { return }
    if let next = coming {
      guard !isOfRate(next.feed, node) else { return }
      coming = nil
      end(next.feed)
      restart(next.song, from: next.place, next.path, next.client, next.words, node)
    } else if let playing, !isOfRate(playing, node), !playing.ring.isOver,
      let part = playing.present
    {
      restart(part.song, from: playing.position(in: part), "/music/play", nil, nil, node)
    }
  }

  private func restart(
    _ song: Song, from place: Double, _ path: String, _ client: Client?, _ words: [String]?,
    _ node: Node
  ) {
    do throws(Refusal) {
      try start(
        song, from: place, in: song.isTake ? nil : list, path: path, saying: words, client: client,
        node: node)
    } catch {
      node.answer(error, to: path, from: client ?? listener)
      wantsStop = playing != nil
    }
  }

  /// Gives the engine another song, or none, and takes the former one back.
  private func handOver(_ next: Coming?, _ node: Node) {
    let former = playing
    var command = PlannedCommand(action: .playSong(next?.feed.ring.pointer))
    command.whenDone = { [unowned self, weak node] in
      isHandingOver = false
      beginning = nil
      playing = next?.feed
      if let former { end(former) }
      if next == nil { wantsStop = false }
      guard let node, let next else { return }
      last = next.song
      if next.client != nil { listener = next.client }
      node.reply(
        "/reply", [.string(next.path)] + next.words.map(Argument.string), to: next.client)
    }
    command.whenRefused = { [unowned self, weak node] _ in
      // The server went over to another rate meanwhile.
      isHandingOver = false
      beginning = nil
      guard let node, let next else { return }
      end(next.feed)
      if coming == nil, !wantsStop {
        restart(next.song, from: next.place, next.path, next.client, next.words, node)
      } else {
        tellPassedOver(next, node)
      }
    }
    do throws(Refusal) {
      try node.submit([command], path: next?.path ?? "/music/stop", client: nil)
      isHandingOver = true
      beginning = next
    } catch {
      guard let next else { return }
      end(next.feed)
      node.answer(error, to: next.path, from: next.client)
    }
  }

  // MARK: - What is told

  /// What `/music/state` tells.
  struct Status: Equatable {
    var word = "stopped"
    var number = 0
    var title = ""
    var artist = ""
    var position = 0.0
    var length = 0.0
    var waits = 0

    var arguments: [Argument] {
      [
        .string(word), .int32(Int32(number)), .string(title), .string(artist),
        .float(Float(position)), .float(Float(length)), .int32(Int32(waits)),
      ]
    }
  }

  var status: Status {
    var status = Status()
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
      status.number = list?.place(of: song).map { $0 + 1 } ?? 0
    }
    return status
  }

  private func announce(_ now: Double, _ node: Node) {
    let status = status
    var still = status
    still.position = told?.position ?? status.position
    guard still != told || status.position != told?.position && now >= nextPosition else { return }
    nextPosition = now + Self.positionPeriod
    told = status
    node.feedback.changed("/music/state")
  }
}
