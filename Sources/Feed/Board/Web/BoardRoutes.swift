package import HTTP
internal import JSON
internal import Posix

/// The request handlers of a board: reading, posting and deleting.
///
/// Requests are answered on worker threads, never on the server's own.
package final class BoardRoutes: Sendable {
  // The number of parallel database calls. Only a few of them may hold a large body in memory.
  private static let threads = 16
  private static let heavyThreads = 2
  private static let soundHeaders = [
    ("Cache-Control", "private, no-cache"),
    // Posted sounds are untrusted: browsers must not execute anything in them.
    ("Content-Security-Policy", "default-src 'none'; sandbox"),
  ]

  private let open: @Sendable () throws(BoardFault) -> Board
  private let scratch: @Sendable () -> String?
  private let rate: PostRate
  private let guesses = SecretGuesses()
  private let limits: BoardLimits
  private let workers: Workers
  // The last reported database fault: a persistent fault is logged once.
  private let said = Guarded("")

  /// Creates handlers with limits.
  ///
  /// `open` returns the board, and `scratch` the folder for request bodies, without blocking.
  package init(
    limits: BoardLimits = BoardLimits(), scratch: @escaping @Sendable () -> String?,
    open: @escaping @Sendable () throws(BoardFault) -> Board
  ) {
    self.open = open
    self.scratch = scratch
    self.limits = limits
    rate = PostRate(most: limits.postsAMinute)
    workers = Workers(
      "board", threads: Self.threads, heavy: Self.heavyThreads, waiting: limits.waitingRequests)
  }

  /// Answers pending requests and rejects further ones.
  package func end() { workers.close() }

  /// Returns the handling of a request for a path below the board's own.
  package func course(_ request: HTTPRequest, _ path: String) -> HTTPServer.RequestHandling {
    let parts = path.split(separator: "/").map(String.init)
    switch (parts.first, parts.count) {
    case ("getaudio", 1):
      return reading(request, .heavy, Self.list)
    case ("posts", 1):
      return reading(request, .light, Self.page)
    case ("audio", 2):
      return reading(request, .heavy) { request, board throws(BoardFault) in
        try Self.sound(parts[1], request, board)
      }
    case ("postaudio", 1): return request.method == "POST" ? receive(request) : not(allowed: "POST")
    case ("posts", 2...3) where parts.count == 2 || parts[2] == "name":
      guard request.method == "DELETE" else { return not(allowed: "DELETE") }
      return delete(parts[1], request, nameOnly: parts.count == 3)
    default:
      return .answer(
        .refusal(
          404,
          "a feed server has getaudio, postaudio, posts?before=NUMBER&limit=NUMBER and audio/ID"))
    }
  }

  private func not(allowed methods: String) -> HTTPServer.RequestHandling {
    .answer(.refusal(405, "method not allowed; expected \(methods)", headers: [("Allow", methods)]))
  }

  // MARK: - Reading

  private func reading(
    _ request: HTTPRequest, _ weight: Workers.Weight,
    _ body: @escaping @Sendable (HTTPRequest, Board) throws(BoardFault) -> HTTPAnswer
  ) -> HTTPServer.RequestHandling {
    guard request.isReading else { return not(allowed: "GET, HEAD") }
    return .wait { [self] reply in
      work(weight, reply) { board throws(BoardFault) in try body(request, board) }
    }
  }

  /// Answers on a worker thread, or with an error if the queue is full.
  ///
  /// `body` returns nil if it queued further work to answer.
  private func work(
    _ weight: Workers.Weight, _ reply: @escaping HTTPServer.Reply, goesOn: Bool = false,
    _ body: @escaping @Sendable (Board) throws(BoardFault) -> HTTPAnswer?
  ) {
    let isTaken = workers.leave(weight, goesOn: goesOn) { [self] in
      do throws(BoardFault) {
        if let answer = try body(open()) { reply { answer } }
      } catch {
        let answer = answer(to: error)
        reply { answer }
      }
    }
    if !isTaken { reply { Self.busy } }
  }

  /// Returns the error response for a fault.
  ///
  /// Details of database faults go to the operator on standard error only: they contain paths and
  /// user names.
  private func answer(to fault: BoardFault) -> HTTPAnswer {
    guard fault.kind == .store else { return fault.answer }
    let isNew = said.withLock { said in
      defer { said = fault.message }
      return said != fault.message
    }
    if isNew { Environment.say("the feed server: \(fault.message)") }
    guard !fault.isDiskFull else {
      return .refusal(507, "the disk of the feed server is full; try again when it has space")
    }
    return .refusal(503, "the feed server can't access its posts; try again later")
  }

  private static let busy = HTTPAnswer.refusal(
    503, "the feed server is busy; try again in a moment", headers: [("Retry-After", "1")])

  /// Parses a number in the query.
  ///
  /// Throws if it is malformed.
  private static func number(
    _ name: String, _ request: HTTPRequest
  ) throws(BoardFault) -> Int? {
    guard let text = request.query(name), !text.isEmpty else { return nil }
    guard text.utf8.count <= 10, text.utf8.allSatisfy({ 48...57 ~= $0 }), let number = Int(text)
    else { throw BoardFault(.wrong, "?\(name)= takes a post number, or a count of posts") }
    return number
  }

  private static func posts(
    _ request: HTTPRequest, _ board: Board
  ) throws(BoardFault) -> PostPage {
    var before: Int?
    // A row of `getaudio` has an ID only, no number.
    if let text = request.query("before"), let id = PostID.plain(text) {
      guard let post = try board.find(.id(id)) else {
        throw BoardFault(.missing, "unknown post")
      }
      before = post.number
    } else {
      before = try number("before", request)
    }
    return try board.page(
      before: before, after: try number("after", request), limit: try number("limit", request))
  }

  private static func page(
    _ request: HTTPRequest, _ board: Board
  ) throws(BoardFault) -> HTTPAnswer {
    .json(try posts(request, board).json + "\n")
  }

  /// Lists posts with their sounds in the original `getaudio` format, as many as the size limit
  /// permits.
  private static func list(
    _ request: HTTPRequest, _ board: Board
  ) throws(BoardFault) -> HTTPAnswer {
    var json = JSONText()
    json.begin("{")
    json.begin("[", "chatts")
    var bytes = 0
    for post in try posts(request, board).posts {
      let isFirst = bytes == 0
      bytes += post.sound?.bytes ?? 0
      guard isFirst || bytes <= board.limits.soundBytes else { break }
      json.begin("[")
      json.add(nil, post.name)
      json.add(nil, post.message)
      json.add(nil, plain: post.id)
      json.add(nil, plain: post.date.text)
      if post.sound != nil, let sound = try board.sound(of: .number(post.number)) {
        json.add(nil, plain: Base64.text(of: sound.bytes))
      } else {
        json.addNull()
      }
      json.end("]")
    }
    json.end("]")
    json.end("}")
    return .whole(
      Array(json.text.utf8), type: "application/json", folder: board.scratch,
      headers: [("Cache-Control", "no-store")])
  }

  private static func sound(
    _ key: String, _ request: HTTPRequest, _ board: Board
  ) throws(BoardFault) -> HTTPAnswer {
    guard let key = PostKey(key), let sound = try board.sound(of: key) else {
      throw BoardFault(.missing, "no post has this sound")
    }
    return .range(
      of: sound.bytes, type: sound.kind.type, for: request, folder: board.scratch,
      headers: soundHeaders)
  }

  // MARK: - Posting

  private func receive(_ request: HTTPRequest) -> HTTPServer.RequestHandling {
    let most = limits.bodyBytes
    if let refusal = Upload.refusal(of: request, most: most) { return .answer(refusal) }
    guard rate.admit(request.peer, now: HostTime.steady) else {
      return .answer(
        .refusal(
          429, "more than \(limits.postsAMinute ?? 0) posts per minute; try again later",
          headers: [("Retry-After", "60")]))
    }
    return .receive { [self] in
      do throws(BoardFault) {
        return .success(try upload(most, from: request.peer))
      } catch {
        return .failure(answer(to: error))
      }
    }
  }

  private func upload(_ most: Int, from peer: IPAddress) throws(BoardFault) -> Upload {
    guard let scratch = scratch() else { throw HomeBoard.noHome }
    // The file is deleted with the upload.
    return try system(
      try Upload(in: scratch, named: "post", most: most) { [self] path, upload, reply in
        take(path, upload, from: peer, reply)
      }
    ) {
      BoardFault(.store, "can't save it: \($0)")
    }
  }

  /// Validates a body, which needs memory, then stores it, which takes time.
  private func take(
    _ path: String, _ upload: Upload, from peer: IPAddress, _ reply: @escaping HTTPServer.Reply
  ) {
    let most = limits.bodyBytes
    work(.heavy, reply) { [self] board throws(BoardFault) in
      defer { withExtendedLifetime(upload) {} }
      let posting = try Self.posting(path, most, board)
      work(.light, reply, goesOn: true) { [self] board throws(BoardFault) in
        try keep(posting, from: peer, board)
      }
      return nil
    }
  }

  /// Stores a post.
  ///
  /// One with an ID that exists is accepted if it has the secret of that post, so it could guess it.
  private func keep(
    _ posting: Posting, from peer: IPAddress, _ board: Board
  ) throws(BoardFault) -> HTTPAnswer {
    guard posting.showsSecret else { return Self.told(try board.keep(posting), posting) }
    return try guessing(posting.draft.id, from: peer) { () throws(BoardFault) in
      Self.told(try board.keep(posting), posting)
    }
  }

  private static func posting(
    _ path: String, _ most: Int, _ board: Board
  ) throws(BoardFault) -> Posting {
    let bytes = try system(try Files.contents(of: path, atMost: most)) { _ in
      BoardFault(.store, "can't read the upload")
    }
    let json: JSON
    do throws(JSON.Fault) {
      json = try JSON(bytes, within: Draft.limits)
    } catch {
      guard !error.isTooLarge else {
        throw BoardFault(.large, "a post has at most \(Draft.limits.values) JSON values")
      }
      throw BoardFault(.wrong, "invalid JSON: line \(error.line): \(error.description)")
    }
    let draft = try Draft(posted: json)
    return try board.check(draft, showsSecret: !(json["secret"]?.text ?? "").isEmpty)
  }

  private static func told(_ posted: Posted, _ posting: Posting) -> HTTPAnswer {
    // A repeated post without its secret may come from anybody.
    let secret = posted.isNew || posting.showsSecret ? posting.draft.secret : nil
    let json: JSONText = ["id": posted.post.id, "number": posted.post.number, "secret": secret]
    return .json(json.text + "\n")
  }

  // MARK: - Deleting

  private func delete(
    _ text: String, _ request: HTTPRequest, nameOnly: Bool
  ) -> HTTPServer.RequestHandling {
    guard let secret = request.bearer, PostID.isSecret(secret) else {
      return .answer(
        .refusal(
          401, "missing secret of the post; expected Authorization: Bearer SECRET",
          headers: [("WWW-Authenticate", "Bearer")]))
    }
    return .wait { [self] reply in
      work(.light, reply) { [self] board throws(BoardFault) in
        guard let id = PostID.plain(text) else {
          throw BoardFault(.missing, "unknown post")
        }
        return try guessing(id, from: request.peer) { () throws(BoardFault) in
          if nameOnly {
            try board.removeName(id, secret: secret)
          } else {
            try board.delete(id, secret: secret)
          }
          return .json("{}\n")
        }
      }
    }
  }

  // MARK: - Secrets

  /// Does work that depends on the secret of a post, or refuses it unchecked if that address has sent too
  /// many wrong ones.
  private func guessing(
    _ id: String, from peer: IPAddress, _ body: () throws(BoardFault) -> HTTPAnswer
  ) throws(BoardFault) -> HTTPAnswer {
    if let seconds = guesses.take(id, from: peer, now: HostTime.steady) {
      return .refusal(
        429, "too many wrong secrets; try again in \(seconds) s",
        headers: [("Retry-After", "\(seconds)")])
    }
    do throws(BoardFault) {
      let answer = try body()
      guesses.giveBack(id, from: peer, now: HostTime.steady)
      return answer
    } catch {
      if error.kind != .denied, error.kind != .taken {
        guesses.giveBack(id, from: peer, now: HostTime.steady)
      }
      throw error
    }
  }
}

extension BoardFault {
  /// The HTTP error response.
  var answer: HTTPAnswer {
    let status =
      switch kind {
      case .wrong: 400
      case .large: 413
      case .noSound: 415
      case .taken: 409
      case .missing: 404
      case .denied: 403
      case .store: 503
      }
    return .refusal(status, message)
  }
}
