internal import Feed
internal import HTTP
internal import OSC

extension BoardFeed {
  private typealias Declared = Of<BoardFeed>

  static let usualOnPage = 30
  static let longestMessage = 4096
  private static let mostOnPage = 100.0
  private static let longestName = 64

  static let postPath = "/feed/post"
  static let waitingPath = "/feed/waiting"
  static let post = Event(
    "/post", "isssf",
    "A post, in an answer to /feed, and sent to subscribers when it is new: number, name, date, "
      + "message and seconds of sound (-1 for none, 0 where the board does not say)")
  static let mine = Event(
    "/feed/mine", "i", "Tells behind a /post that this node sent it, and can take it back")
  static let end = Event("/feed/end", "i", "The end of the answer to /feed")
  static let deleted = Event(
    "/feed/deleted", "i", "Tells subscribers that a post was taken back by this node")

  static let addresses: [Address] = [
    Address(
      "/feed",
      Declared.question(
        [
          .optional("before", .whole, in: 0...Double(Int32.max)),
          .optional("count", .whole, in: 1...mostOnPage),
        ], end: end.path
      ) { feed, request throws(Refusal) in
        try feed.list(request)
      },
      "Answers with one /post each, newest first, those before a number where that is not 0, then "
        + "/feed/end i:count; 30 where no count is given"),
    Address(post), Address(mine), Address(end), Address(deleted),
    Address(
      postPath,
      Declared.task([.needed("message", .text), .optional("take", .text)]) {
        feed, request throws(Refusal) in
        try feed.post(request)
      },
      "Posts a message, with a take where one is named; answers /reply with its identifier when it "
        + "is safe, and sends it as soon as the board can be reached"),
    Address(
      "/feed/post/clip",
      Declared.task([.needed("message", .text)]) { feed, request throws(Refusal) in
        try feed.postClip(request)
      },
      "Posts a message with the clip in the loop, likewise"),
    one(
      "/feed/play",
      "Plays the sound of a post: up to ten seconds from the loop, a longer one as a song"
    ) {
      feed, request throws(Refusal) in
      try feed.play(request)
    },
    one("/feed/keep", "Keeps the sound of a post as a take, with its message") {
      feed, request throws(Refusal) in
      try feed.keep(request)
    },
    one("/feed/delete", "Takes a post of this node's back from the board") {
      feed, request throws(Refusal) in
      try feed.delete(request)
    },
    Address(
      "/feed/board",
      Declared.setting([.needed("url", .text)]) { feed in
        [.string(feed.board)]
      } write: { feed, request throws(Refusal) in
        let text = request.text(0) ?? ""
        guard text.isEmpty || HTTPPlace(text) != nil else {
          throw Refusal(
            .range, "/feed/board takes a URL such as http://HOST:8090, or nothing for its own")
        }
        feed.board = text
      }, kept: .home,
      "URL of the board; empty for the node's own"),
    Address(
      "/feed/name",
      Declared.setting([.needed("name", .text)]) { feed in
        [.string(feed.name)]
      } write: { feed, request throws(Refusal) in
        let text = request.text(0) ?? ""
        guard text.count <= longestName else {
          throw Refusal(.range, "a name has \(longestName) letters at most; got \(text.count)")
        }
        feed.name = text
      }, kept: .home,
      "Name that posts bear; empty for the node's"),
    Address(
      "/feed/format",
      Declared.setting([.word(of: ["flac", "opus"])]) { feed in
        [.string(feed.format)]
      } write: { feed, request in
        feed.format = request.text(0) ?? "flac"
      }, kept: .home,
      "Format in which sounds are posted: to the bit, or small"),
    Address(
      waitingPath,
      Declared.reading(types: "i", isAnnounced: true) { [.int32(Int32($0.waiting))] },
      "Number of posts that wait for the board"),
  ]

  private static func one(
    _ path: String, _ help: String,
    _ start: @escaping @Sendable (BoardFeed, Request) throws(Refusal) -> Void
  ) -> Address {
    Address(
      path, Declared.task([.needed("number", .whole, in: 1...Double(Int32.max))], start), help)
  }
}
