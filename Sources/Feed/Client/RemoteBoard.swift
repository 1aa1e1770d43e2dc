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

  private static let mostListBytes = 96 << 20
  private static let mostPageBytes = 4 << 20
  private static let mostSoundBytes = 16 << 20
  private static let postSeconds = 60.0

  private let base: HTTPPlace
  private let client: HTTPClient
  private let state = Guarded(State())

  private struct State {
    var form: Form?
    // Numbers for the posts of a board without any, in order of first appearance, oldest first.
    var numbers: [String: Int] = [:]
    var sounds: [String: String] = [:]
    var posts: [Post] = []
  }

  /// Creates a client of the board at a URL.
  package init(_ base: HTTPPlace, userAgent: String) {
    self.base = base
    client = HTTPClient(userAgent: userAgent)
  }

  // MARK: - Reading

  package func page(before: Int?, count: Int) throws(FeedFault) -> PostPage {
    if case .plain(let slash) = state.withLock({ $0.form }) {
      return try plainPage(slash, before, count)
    }
    var path = "/posts?limit=\(count)"
    if let before { path += "&before=\(before)" }
    let reply = try ask(path, most: Self.mostPageBytes)
    if reply.status == 200, let page = Self.json(reply).flatMap(PostPage.init) {
      state.withLock { $0.form = .ours }
      return page
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

  private func plainPage(
    _ slash: String, _ before: Int?, _ count: Int
  ) throws(FeedFault) -> PostPage {
    // Such a board returns all posts at once. Older pages are taken from that list.
    if before == nil || state.withLock({ $0.posts.isEmpty }) {
      let reply = try ask("/getaudio\(slash)", most: Self.mostListBytes)
      guard reply.status == 200 else { throw fault(reply) }
      guard let rows = Self.json(reply).flatMap(BoardRow.all(in:)) else {
        throw FeedFault(
          "\(base) is not a feed server: its reply is not a list of posts", isPassing: false)
      }
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
    for row in rows.reversed() {
      let id = row.id.isEmpty ? "\(row.time) \(row.name) \(row.message.prefix(80))" : row.id
      let number = state.numbers[id] ?? state.numbers.count + 1
      state.numbers[id] = number
      sounds[id] = row.audio
      var post = Post(
        number: number, id: id, name: row.name, message: row.message, date: row.date ?? .now)
      if let audio = row.audio,
        let kind = Base64.bytes(of: String(audio.prefix(24))).flatMap({
          SoundKind($0)
        })
      {
        post.sound = Post.Sound(seconds: 0, bytes: audio.utf8.count / 4 * 3, kind: kind)
      }
      posts.append(post)
    }
    state.sounds = sounds
    state.posts = posts.sorted { $0.number > $1.number }
  }

  package func sound(of post: Post) throws(FeedFault) -> [UInt8] {
    if case .plain = state.withLock({ $0.form }) {
      guard let text = state.withLock({ $0.sounds[post.id] }), let bytes = Base64.bytes(of: text)
      else {
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
    call.seconds = Self.postSeconds
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
      if case .unreachable = error { throw FeedFault(error.message, isPassing: true) }
      throw FeedFault(error.message, isPassing: false)
    }
  }

  private static func json(_ reply: HTTPReply) -> JSON? { try? JSON(reply.body) }

  /// Returns the fault for an error response.
  private func fault(_ reply: HTTPReply) -> FeedFault {
    let told = Self.json(reply)?["error"]?.text
    let line = told ?? "status \(reply.status)"
    return FeedFault(
      "\(base.host): \(line.prefix(200))",
      isPassing: reply.status >= 500 || reply.status == 429 || reply.status == 408,
      isMissing: reply.status == 404 && told != nil)
  }
}
