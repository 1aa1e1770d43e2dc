internal import Control
internal import Feed
internal import Posix

/// The command `syrinx board`: runs a standalone board for a band, and has its operator's commands.
enum BoardCommand: Command {
  static let page = CommandPage(
    name: "board", summary: "Run a feed server for posts of nodes and phones.",
    usage: "syrinx board [OPTIONS] | list [OPTIONS] | delete [OPTIONS] [ID]...",
    options: """
      --database FILE|URL: Database of the posts: a file, or postgresql://USER@HOST/NAME (default: \
      board.sqlite in $XDG_DATA_HOME/syrinx, else ~/.local/share/syrinx, which is also the board \
      of a node)
      -p, --port PORT: Port for HTTP; 0 uses a free one (default: 8090)
      --listen local|lan: Whether other machines can connect (default: local)
      --allow CIDR: Accept only these addresses, such as 192.168.1.0/24; repeatable
      --host NAME: Another host name of this board, such as board.example; repeatable
      --rate NUMBER: Limit of posts per address and minute; 0 is unlimited (default: 30)
      --name NAME: delete: all posts of this name
      --before NUMBER: list: posts before this number
      --count NUMBER: list: maximum number of posts (default: 50)
      """,
    details: """
      Without a command it serves until Ctrl-C or SIGTERM, and prints one line when ready:

        ready board=http://127.0.0.1:8090/ database=/home/me/.local/share/syrinx/board.sqlite

      Set this URL as /feed/board of a node. Each node also has its own board at /board of its web
      page. Servers on several machines that share one PostgreSQL database are one board. Keep its
      password in ~/.pgpass instead of the URL, which other users of this machine can see.

      `list` prints the newest posts, and `delete` removes posts permanently. Both access the
      database directly, also while a server uses it. A line of `list` has number, id, date,
      seconds, name and message, separated by tabs.

      Examples:
        syrinx board --listen lan --allow 192.168.1.0/24
        syrinx board --database postgresql:///band --port 8091 --host board.example
        syrinx board list --count 5
        syrinx board delete --name "some spammer"

      Exit codes: 0; 64 for wrong usage; 66 for an unknown post or a missing file; 69 if the
      database is unavailable or the port is in use; 77 if the port is not permitted.
      """)

  private static let verbs = ["list", "delete"]
  private static let usualPort: UInt16 = 8090
  private static let usualCount = 50

  static func run(_ given: CommandPage.Given) throws(Failure) {
    let verb = given.rest.first
    if let verb, !verbs.contains(verb) {
      let hint = verb.nearest(of: verbs).map { "; did you mean `syrinx board \($0)`?" } ?? ""
      throw Failure(.usage, "unknown board command \(quoted(verb)); expected list or delete\(hint)")
    }
    let options =
      switch verb {
      case "list": ["database", "before", "count"]
      case "delete": ["database", "name"]
      default: ["database", "port", "listen", "allow", "host", "rate"]
      }
    for option in page.options.map(\.long) where given.has(option) && !options.contains(option) {
      throw Failure(
        .usage, "`syrinx board\(verb.map { " \($0)" } ?? "")` takes no --\(option)")
    }
    let place = try place(given)
    switch verb {
    case "list": try list(given, place)
    case "delete": try delete(given, place)
    default: try RunningBoard(options: doorOptions(given), limits: limits(given), place).run()
    }
  }

  private static func place(_ given: CommandPage.Given) throws(Failure) -> BoardPlace {
    let usual = try StoredFiles.home(given) + "/board.sqlite"
    let text = given["database"] ?? usual
    switch BoardPlace(text) {
    case .file(let path)?: return .file(Files.absolute(path))
    case let place?: return place
    case nil:
      throw .usage("--database takes a file, or postgresql://USER@HOST/NAME", got: text)
    }
  }

  private static func doorOptions(_ given: CommandPage.Given) throws(Failure) -> BoardDoor.Options {
    var options = BoardDoor.Options(port: try given.port("port") ?? usualPort)
    options.access = try given.access
    options.hosts = try given.hosts("host")
    return options
  }

  private static func limits(_ given: CommandPage.Given) throws(Failure) -> BoardLimits {
    var limits = BoardLimits()
    if let rate = try given.whole("rate", least: 0) {
      limits.postsAMinute = rate == 0 ? nil : rate
    }
    return limits
  }

  // MARK: - Operator commands

  /// Opens the store of an existing board.
  private static func store(_ place: BoardPlace) throws(Failure) -> any BoardStore {
    if case .file(let path) = place, !Files.exist(path) {
      throw Failure(.missingInput, "no board at \(path)")
    }
    return try Failure.of { () throws(BoardFault) in try place.open() }
  }

  private static func list(_ given: CommandPage.Given, _ place: BoardPlace) throws(Failure) {
    guard given.rest.count == 1 else {
      throw .usage("`syrinx board list` takes options only", got: given.rest[1])
    }
    let before = try given.whole("before", least: 1)
    let count = try given.whole("count", least: 1) ?? usualCount
    let store = try store(place)
    let page = try Failure.of { () throws(BoardFault) in
      try store.page(before: before, after: nil, limit: count)
    }
    try PostTable.print(page.posts)
  }

  private static func delete(_ given: CommandPage.Given, _ place: BoardPlace) throws(Failure) {
    let texts = given.rest.dropFirst()
    guard texts.isEmpty == given.has("name") else {
      throw Failure(.usage, "missing posts: `syrinx board delete` takes ids, or --name NAME")
    }
    var ids: [String] = []
    for text in texts {
      guard let id = PostID.plain(text) else {
        throw .usage("expected an id of 36 characters, as in `syrinx board list`", got: text)
      }
      ids.append(id)
    }
    let store = try store(place)
    if let name = given["name"] {
      let count = try Failure.of { () throws(BoardFault) in try store.delete(allOf: name) }
      guard count > 0 else { throw Failure(.missingInput, "no posts of \(quoted(name))") }
      return Environment.say("deleted \(count) \(count == 1 ? "post" : "posts") of \(quoted(name))")
    }
    let wanted = ids
    let deleted = try Failure.of { () throws(BoardFault) in try store.delete(wanted) }
    if let missing = ids.first(where: { !deleted.contains($0) }) {
      throw Failure(.missingInput, "unknown post \(missing)")
    }
  }
}
