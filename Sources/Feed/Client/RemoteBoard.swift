package import HTTP
internal import JSON
internal import Posix

/// A client of a remote board: a Syrinx board, whose pages come without sounds, or one that
/// supports only `getaudio` and `postaudio`.
package final class RemoteBoard: BoardClient, @unchecked Sendable {
  private enum Form {
    case ours
    /// Some boards require a trailing slash in their paths, others forbid it.
    case plain(slash: String)
  }

  /// The limits of what a client receives from a board, and of its requests.
  package struct Limits: Sendable {
    /// The sounds of a list that stay in memory, in bytes of Base64.
    ///
    /// Others are received again when they are played.
    package var listSoundBytes = 16 << 20
    /// The timeout of a request in seconds, or nil for the usual ones.
    package var seconds: Double?

    /// Creates the usual limits.
    package init() {}
  }

  private static let mostListBytes = 96 << 20
  private static let mostPageBytes = 4 << 20
  // Each post of a page has at most ten values.
  private static let limitsOfPage = JSON.Limits(values: 20_000)
  private static let limitsOfReply = JSON.Limits(values: 1000)
  // The numbers of posts that a list no longer has are forgotten above this count.
  private static let mostNumbers = 40_000
  private static let mostSoundBytes = 16 << 20
  private static let postSeconds = 60.0

  private let base: HTTPPlace
  private let client: HTTPClient
  private let limits: Limits
  private let state = Guarded(State())

  private struct State {
    var form: Form?
    // Numbers for the posts of a board without any, in order of first appearance, oldest first.
    var numbers: [String: Int] = [:]
    var lastNumber = 0
    var sounds: [String: String] = [:]
    var posts: [Post] = []
  }

  /// Creates a client of the board at a URL, whose requests can be interrupted.
  package init(
    _ base: HTTPPlace, userAgent: String, interruption: HTTPInterruption = HTTPInterruption(),
    limits: Limits = Limits()
  ) {
    self.base = base
    self.limits = limits
    client = HTTPClient(userAgent: userAgent, interruption: interruption)
  }

  // MARK: - Reading

  package func page(before: Int?, count: Int) throws(FeedFault) -> PostPage {
    if case .plain(let slash) = state.withLock({ $0.form }) {
      return try plainPage(slash, before, count)
    }
    var path = "/posts?limit=\(count)"
    if let before { path += "&before=\(before)" }
    let reply = try ask(path, most: Self.mostPageBytes)
    if reply.status == 200, let page = try self.page(in: reply) {
      state.withLock { $0.form = .ours }
      return PostPage(posts: Array(page.posts.prefix(count)), newest: page.newest)
    }
    // Only Syrinx boards have this path. Other boards report its absence in various ways.
    guard state.withLock({ $0.form == nil }), reply.status < 500, reply.status != 429 else {
      throw fault(reply)
    }
    var last: FeedFault?
    for slash in ["/", ""] {
      do throws(FeedFault) {
        let page = try plainPage(slash, before, count)
        state.withLock { $0.form = .plain(slash: slash) }
        return page
      } catch {
        if error.isPassing { throw error }
        last = error
      }
    }
    throw last ?? fault(reply)
  }

  /// Returns the page in a response, or nil if it has none.
  private func page(in reply: HTTPReply) throws(FeedFault) -> PostPage? {
    do throws(JSON.Fault) {
      return PostPage(try JSON(reply.body, within: Self.limitsOfPage))
    } catch {
      guard error.isTooLarge else { return nil }
      throw FeedFault(
        "\(base) is not a feed server: its page of posts has \(error.description)",
        isPassing: false)
    }
  }

  /// Receives all posts, with the first sounds and that of the post `wanted`.
  private func list(
    _ slash: String, mostSoundBytes: Int, wanted: String? = nil
  ) throws(FeedFault) -> [BoardRow] {
    let list = Guarded(BoardList(mostSoundBytes: mostSoundBytes, wanted: wanted))
    var call = try call("GET", "/getaudio\(slash)")
    call.mostBytes = Self.mostListBytes
    call.receive = { bytes in list.withLock { $0.take(bytes) } }
    let foreign = FeedFault(
      "\(base) is not a feed server: its reply is not a list of posts", isPassing: false)
    let reply: HTTPReply
    do throws(HTTPFault) {
      reply = try client.perform(call)
    } catch {
      throw error == .refused ? foreign : Self.fault(error)
    }
    guard reply.status == 200 else { throw fault(reply) }
    return try list.withLock { list in
      Result { () throws(FeedFault) in
        guard list.isWhole else { throw foreign }
        return list.rows
      }
    }.get()
  }

  private func plainPage(
    _ slash: String, _ before: Int?, _ count: Int
  ) throws(FeedFault) -> PostPage {
    // Such a board returns all posts at once. Older pages are taken from that list.
    if before == nil || state.withLock({ $0.posts.isEmpty }) {
      let rows = try list(slash, mostSoundBytes: limits.listSoundBytes)
      state.withLock { Self.take(rows, &$0) }
    }
    let posts = state.withLock { $0.posts }
    return PostPage(
      posts: Array(posts.lazy.filter { before == nil || $0.number < before! }.prefix(count)),
      newest: posts.first?.number ?? 0)
  }

  private static func take(_ rows: [BoardRow], _ state: inout State) {
    var sounds: [String: String] = [:]
    var posts: [Post] = []
    if state.numbers.count > mostNumbers {
      let keys = Set(rows.lazy.map(\.key))
      state.numbers = state.numbers.filter { keys.contains($0.key) }
    }
    for row in rows.reversed() {
      let id = row.key
      let number = state.numbers[id] ?? state.lastNumber + 1
      state.lastNumber = max(state.lastNumber, number)
      state.numbers[id] = number
      sounds[id] = row.audio
      posts.append(
        Post(
          number: number, id: id, name: row.name, message: row.message, date: row.date ?? .now,
          sound: row.sound))
    }
    state.sounds = sounds
    state.posts = posts.sorted { $0.number > $1.number }
  }

  package func sound(of post: Post) throws(FeedFault) -> [UInt8] {
    if case .plain(let slash) = state.withLock({ $0.form }) {
      var text = state.withLock { $0.sounds[post.id] }
      if text == nil, post.sound != nil {
        let rows = try list(slash, mostSoundBytes: 0, wanted: post.id)
        text = rows.first { $0.key == post.id }?.audio
      }
      guard let bytes = text.flatMap(Base64.bytes(of:)) else {
        throw FeedFault("post \(post.number) has no sound", isPassing: false, isMissing: true)
      }
      return bytes
    }
    let reply = try ask("/audio/\(HTTPPlace.escaped(post.id))", most: Self.mostSoundBytes)
    guard reply.status == 200 else { throw fault(reply) }
    return reply.body
  }

  // MARK: - Writing

  package func post(_ draft: Draft) throws(FeedFault) {
    // Reading detects the form of the paths.
    if state.withLock({ $0.form == nil }) { _ = try page(before: nil, count: 1) }
    let slash = state.withLock { state in
      if case .plain(let slash) = state.form { slash } else { "" }
    }
    var call = try call("POST", "/postaudio\(slash)")
    call.headers = [("Content-Type", "application/json")]
    call.body = Array(draft.json.utf8)
    call.seconds = limits.seconds ?? Self.postSeconds
    let reply = try perform(call)
    guard 200..<300 ~= reply.status else { throw fault(reply) }
  }

  package func delete(_ id: String, secret: String) throws(FeedFault) {
    if case .plain = state.withLock({ $0.form }) {
      throw FeedFault("\(base) does not support deleting posts", isPassing: false)
    }
    var call = try call("DELETE", "/posts/\(HTTPPlace.escaped(id))")
    call.headers = [("Authorization", "Bearer \(secret)")]
    let reply = try perform(call)
    guard 200..<300 ~= reply.status else { throw fault(reply) }
  }

  // MARK: - Network

  private func call(_ method: String, _ path: String) throws(FeedFault) -> HTTPCall {
    guard let place = base.appending(path) else {
      throw FeedFault("can't request \(path) from \(base)", isPassing: false)
    }
    var call = HTTPCall(method, place)
    if let seconds = limits.seconds {
      call.seconds = seconds
      call.patience = Int(seconds.rounded(.up))
    }
    // Redirects may not leave the configured server.
    call.mostRedirects = 3
    call.allows = { [base] in $0.isOnServer(of: base) }
    return call
  }

  private func ask(_ path: String, most: Int) throws(FeedFault) -> HTTPReply {
    var call = try call("GET", path)
    call.mostBytes = most
    return try perform(call)
  }

  private func perform(_ call: HTTPCall) throws(FeedFault) -> HTTPReply {
    do throws(HTTPFault) {
      return try client.perform(call)
    } catch {
      throw Self.fault(error)
    }
  }

  private static func fault(_ fault: HTTPFault) -> FeedFault {
    if case .unreachable = fault { return FeedFault(fault.message, isPassing: true) }
    return FeedFault(fault.message, isPassing: false)
  }

  /// Returns the fault for an error response.
  private func fault(_ reply: HTTPReply) -> FeedFault {
    let told = (try? JSON(reply.body, within: Self.limitsOfReply))?["error"]?.text
    let line = told ?? "status \(reply.status)"
    return FeedFault(
      "\(base.host): \(line.prefix(200))",
      isPassing: reply.status >= 500 || reply.status == 429 || reply.status == 408,
      isMissing: reply.status == 404 && told != nil)
  }
}
