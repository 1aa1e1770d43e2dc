internal import Engine
internal import Feed
internal import Library
internal import OSC
internal import Posix

/// The feed: posts on a board, from this node and others.
final class BoardFeed: Feature {
  // The interval of polling for new posts while a client subscribes, in microseconds.
  private static let newsPeriod = 3e6
  // The first and the maximum retry interval of sending a post.
  private static let (firstDistance, longestDistance) = (3e6, 300e6)
  // The maximum number of new posts announced at once. Clients can query more.
  private static let mostNews = 50

  /// The reader and the sender of one data directory, one for each of the two background queues.
  private struct Boards {
    let home: String
    let connector: BoardConnector
    let reader: FeedReader
    let sender: FeedSender
  }

  let context: Context
  // Limits clients that are faster than the board.
  private let reading = Worker(
    "feed", isAwaited: false, most: 32, of: "requests for the feed server are already queued")
  private let sending = Worker("outbox")
  private var boardsOfHome: Boards?
  // Whether requests were ended. The outbox still takes posts, which are sent after the next start.
  private var isEnding = false
  /// The URL of the board; empty for the node's own.
  var board = "" {
    didSet { forgetNews() }
  }
  /// The name on posts; empty for the node's name.
  var name = ""
  /// The file extension of posted audio.
  var format = "flac"
  /// The number of posts in the outbox.
  private(set) var waiting = 0
  // The number of the newest post announced; nil before the first poll.
  private var newest: Int?
  private var nextNews = 0.0
  private var nextSending = 0.0
  private var distance = firstDistance

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [reading, sending] }

  private func boards() throws(Refusal) -> Boards {
    guard let home = context[Takes.self].home else {
      throw Refusal(.state, "the feed needs a data directory")
    }
    if let boardsOfHome, boardsOfHome.home == home { return boardsOfHome }
    let connector = BoardConnector(
      own: context.setup.ownBoard, userAgent: "Syrinx/\(Version.text) (sound node)")
    let boards = Boards(
      home: home, connector: connector, reader: FeedReader(home: home, connector),
      sender: FeedSender(home: home, connector))
    boardsOfHome = boards
    forgetNews()
    return boards
  }

  func endRequests() {
    isEnding = true
    boardsOfHome?.connector.interrupt()
  }

  func beginSession() {
    isEnding = false
    boardsOfHome = nil
  }

  private func read<Value: Sendable>(
    _ work: @escaping @Sendable (FeedReader) throws(Refusal) -> Value,
    then ending: @escaping (Result<Value, Refusal>) -> Void
  ) throws(Refusal) {
    try reading.checkRoom()
    let reader = try boards().reader
    reading.run({ () throws(Refusal) in try work(reader) }, then: ending)
  }

  // MARK: - Polling

  /// Sends posts in the outbox, and polls for new posts while a client subscribes.
  func poll(_ now: Double) -> Int? {
    guard !isEnding, let boards = try? boards() else { return nil }
    var due = Double.infinity
    if sending.count == 0 {
      if now >= nextSending { send(boards.sender) } else { due = nextSending }
    }
    if context.isWanted(Self.post.path) {
      if now >= nextNews, reading.count == 0 { askForNews(boards.reader, now) }
      due = min(due, nextNews)
    }
    return due.isFinite ? max(1, Int(((due - now) / 1000).rounded(.up))) : nil
  }

  private func forgetNews() {
    newest = nil
    nextNews = 0
  }

  private func askForNews(_ reader: FeedReader, _ now: Double) {
    nextNews = now + Self.newsPeriod
    let board = board
    reading.run({ () throws(Refusal) in
      let page = try reader.page(board, before: nil, count: Self.mostNews)
      return (page, reader.own(board, in: page))
    }) { [weak self] outcome in
      // The next poll may reach the board again.
      guard let self, board == self.board, case .success(let (page, own)) = outcome else { return }
      defer { newest = max(newest ?? 0, page.newest) }
      guard let newest else { return }
      for post in page.posts.reversed() where post.number > newest {
        context.announce(Self.post, post.row)
        if own.contains(post.number) { context.announce(Self.mine, post.number.arguments) }
      }
    }
  }

  // MARK: - Reading

  /// Lists posts, newest first, then their number.
  func list(_ request: Request) throws(Refusal) {
    let (before, count) = (request.whole(0), request.whole(1) ?? Self.usualOnPage)
    try read { [board] reader throws(Refusal) in
      let page = try reader.page(board, before: before == 0 ? nil : before, count: count)
      return (page.posts, reader.own(board, in: page))
    } then: { outcome in
      request.complete(outcome) { posts, own in
        for post in posts {
          request.answer(Self.post, post.row)
          if own.contains(post.number) { request.answer(Self.mine, post.number.arguments) }
        }
        request.answer(Self.end, [.int32(Int32(posts.count))])
      }
    }
  }

  /// Plays the audio of a post once: from loop 1, or as a song if it is longer.
  func play(_ request: Request) throws(Refusal) { try play(request, attempt: 1) }

  private func play(_ request: Request, attempt: Int) throws(Refusal) {
    let number = request.whole(0) ?? 0
    let transit = try context[Takes.self].clips.transit()
    let transfer = transit.transfer
    transfer.playsOnce = true
    try read { [board] reader throws(Refusal) in
      let (post, path) = try reader.sound(board, number)
      let seconds = try PostSound.seconds(path)
      if seconds <= transfer.seconds {
        transfer.setProperties(of: try PostSound.readClip(path, into: transfer))
      }
      return (post, path, seconds)
    } then: { [weak self] outcome in
      request.complete(outcome) { post, path, seconds throws(Refusal) in
        guard let self else { return }
        let words = ["\(post.number)", post.title]
        guard seconds <= transfer.seconds else {
          let song = Song(
            path: path, title: post.title, artist: post.name, item: .post(post.number))
          try self.context[Songs.self].playback.start(song, in: nil, saying: words, for: request)
          return
        }
        let playback = self.context[Takes.self].playback
        try self.context[Takes.self].clips.load(
          transit, ClipOrigin(date: post.date, source: .imported, item: .post(post.number)),
          for: request.path
        ) { [weak self] () throws(Refusal) in
          guard attempt < Clips.mostAttempts else { return false }
          try self?.play(request, attempt: attempt + 1)
          return true
        } then: { outcome in
          if case .failure = outcome { playback.endOpening() }
          request.complete(outcome) { _ in
            playback.play()
            request.done(words)
          }
        }
        playback.beginOpening()
      }
    }
  }

  /// Saves a post with its audio as a take.
  func keep(_ request: Request) throws(Refusal) {
    let number = request.whole(0) ?? 0
    let takes = context[Takes.self]
    let workers = try takes.library()
    try read { [board] reader throws(Refusal) in
      try reader.sound(board, number)
    } then: { outcome in
      request.complete(outcome) { post, path throws(Refusal) in
        try workers.file { library throws(LibraryFault) in
          let take = try library.importFile(path)
          return try library.edit(
            take.id,
            TakeChanges(
              title: post.title, notes: post.name.isEmpty ? "" : "posted by \(post.name)",
              message: post.message))
        } then: { [weak takes] outcome in
          takes?.complete(request, with: outcome)
        }
      }
    }
  }

  /// Deletes a post of this node.
  func delete(_ request: Request) throws(Refusal) {
    let number = request.whole(0) ?? 0
    try read { [board] reader throws(Refusal) in
      try reader.delete(board, number)
    } then: { [weak self] outcome in
      request.complete(outcome) { post in
        self?.context.announce(Self.deleted, post.number.arguments)
        request.done("\(post.number)")
      }
    }
  }

  // MARK: - Writing

  /// Posts a message, optionally with a take.
  func post(_ request: Request) throws(Refusal) {
    let message = try message(request)
    guard let id = request.text(1), !id.isEmpty else {
      guard !message.isEmpty else {
        throw Refusal(.range, "\(request.path): empty message without a take")
      }
      return try put(message, nil, request)
    }
    let workers = try context[Takes.self].library()
    let path = try boards().sender.newPath(ending: format)
    try workers.file { library throws(LibraryFault) in
      try library.export(id, to: path)
    } then: { [weak self] outcome in
      request.complete(outcome) { _ throws(Refusal) in
        try self?.put(message, path, request)
      }
    }
  }

  /// Posts a message with the clip of loop 1.
  func postClip(_ request: Request) throws(Refusal) {
    let message = try message(request)
    let path = try boards().sender.newPath(ending: format)
    let clips = context[Takes.self].clips
    try clips.copy(for: request.path) { [weak self] outcome in
      request.complete(outcome) { transit throws(Refusal) in
        let transfer = transit.transfer
        // Undo in the same packet has led to another clip.
        if case .post(let number) = clips.origin(of: transit, loop: 0).item {
          throw Refusal(
            .state,
            "\(request.path): loop 1 holds post \(number); record a clip first, or restore the previous one with /player/back"
          )
        }
        try self?.put(message, path, request) { () throws(Refusal) in
          try PostSound.write(transfer, to: path)
        } whenDone: {
          // Held until here.
          _ = transit
        }
      }
    }
  }

  private func message(_ request: Request) throws(Refusal) -> String {
    let message = request.text(0) ?? ""
    guard message.count <= Self.longestMessage else {
      throw Refusal(
        .range, "message of \(message.count) characters, more than \(Self.longestMessage)")
    }
    return message
  }

  /// Adds a post to the outbox, with audio that `write` puts in a file, and replies when it is saved.
  private func put(
    _ message: String, _ path: String?, _ request: Request,
    writing: @escaping @Sendable () throws(Refusal) -> Void = {},
    whenDone: @escaping () -> Void = {}
  ) throws(Refusal) {
    let sender = try boards().sender
    let (board, name) = (board, name.isEmpty ? context.name : name)
    sending.run({ () throws(Refusal) in
      try writing()
      return try sender.add(board, name: name, message: message, soundAt: path)
    }) { [weak self] outcome in
      whenDone()
      request.complete(outcome) { id, waiting in
        self?.tellWaiting(waiting)
        // A client waits, so it is sent immediately, whatever failed before.
        self?.nextSending = 0
        request.done(id)
      }
    }
  }

  /// Tries again at once to send what waits.
  func sendSoon() {
    guard waiting > 0 else { return }
    nextSending = 0
    distance = Self.firstDistance
  }

  private func tellWaiting(_ count: Int) {
    guard waiting != count else { return }
    waiting = count
    context.changed(Self.waitingPath)
  }

  private func send(_ sender: FeedSender) {
    nextSending = .infinity
    sending.run({ sender.sendNext() }) { [weak self] outcome in
      guard let self, case .success(let (sending, left)) = outcome else { return }
      tellWaiting(left)
      nextSending = left > 0 ? 0 : .infinity
      switch sending {
      case .nothing: break
      case .sent:
        distance = Self.firstDistance
        nextNews = 0
      case .later(let line):
        // Reported once. /feed/waiting shows further progress.
        if distance == Self.firstDistance, !isEnding {
          context.report(Refusal(.io, "\(line); sending will be retried"), of: Self.postPath)
        }
        nextSending = context.now() + distance
        distance = min(2 * distance, Self.longestDistance)
      case .refused(let line): context.report(Refusal(.denied, line), of: Self.postPath)
      }
    }
  }
}

extension Post {
  // The maximum length of a title in lists.
  private static let longestTitle = 60

  /// The arguments of `/post`.
  fileprivate var row: [Argument] {
    Argument.row(number, name, date.text, message, sound?.seconds ?? -1)
  }

  /// The start of its first line, or its author if there is no text.
  fileprivate var title: String {
    let line = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    let text = line.isEmpty ? "Post by \(name.isEmpty ? "somebody" : name)" : line
    return text.count > Self.longestTitle ? "\(text.prefix(Self.longestTitle))…" : text
  }
}
