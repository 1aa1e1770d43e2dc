internal import Feed
internal import HTTP
internal import OSC

extension BoardFeed {
  private typealias Declared = Declaring<BoardFeed>

  static let usualOnPage = 30
  static let longestMessage = 4096
  private static let mostOnPage = 100.0
  private static let longestName = 64

  static let postPath = "/feed/post"
  static let waitingPath = "/feed/waiting"
  static let playing = "/feed/playing"
  private static let number = Address.Form.needed("number", .whole, in: 1...Double(Int32.max))
  static let post = Event(
    "/post", "isssf",
    "A post, as a reply to /feed, and to subscribers when it is new: number, name, date, "
      + "message and seconds of audio (-1 for none, 0 if unknown)")
  static let mine = Event(
    "/feed/mine", "i", "Sent after a /post by this node, which can delete it")
  static let end = Event("/feed/end", "i", "End of the replies to /feed: number of posts")
  static let deleted = Event(
    "/feed/deleted", "i", "Sent to subscribers when this node deleted a post: its number")

  static let addresses: [Address] = [
    Address(
      "/feed",
      Declared.question(
        [
          .optional("before", .whole, in: 0...Double(Int32.max)),
          .optional("count", .whole, in: 1...mostOnPage),
        ], end: end, BoardFeed.list),
      "Lists posts, newest first, those before a number if it is not 0: replies /post for each, then "
        + "/feed/end i:count; 30 if no count is given"),
    Address(post), Address(mine), Address(end), Address(deleted),
    Address(
      postPath,
      Declared.task([.needed("message", .text), .optional("take", .text)], BoardFeed.post),
      "Posts a message, optionally with a take; replies /reply with its identifier once it "
        + "is saved, and sends it when the feed server can be reached"),
    Address(
      "/feed/post/clip", Declared.task([.needed("message", .text)], BoardFeed.postClip),
      "Posts a message with the clip of loop 1, like /feed/post"),
    Address(
      "/feed/play", Declared.task([number], BoardFeed.play),
      "Plays the audio of a post once: from loop 1 if it fits in --loop-seconds, else as a song"),
    Address(
      "/feed/stop",
      Declared.action(isButton: true) { feed, _ throws(Refusal) in
        try feed.context[Takes.self].playback.stop {
          if case .post = $0 { true } else { false }
        }
      },
      "Stops the post that plays, in loop 1 or as a song; no other sound"),
    Address(
      playing, Declared.reading("i") { $0.context[Takes.self].playback.post.arguments },
      "Number of the post that plays or is paused; 0 for none"),
    Address(
      "/feed/keep", Declared.task([number], BoardFeed.keep),
      "Saves the audio of a post as a take, with its message"),
    Address(
      "/feed/delete", Declared.task([number], BoardFeed.delete),
      "Deletes a post of this node from the feed server"
    ).losing(),
    Address(
      "/feed/board",
      Declared.setting([.needed("url", .text)], \.board) { feed, request throws(Refusal) in
        let text = request.text(0) ?? ""
        guard text.isEmpty || HTTPPlace(text) != nil else {
          throw Refusal(
            .range,
            "/feed/board: not a URL such as http://HOST:8090, nor empty for the node's own board")
        }
        feed.board = text
        feed.sendSoon()
      }, kept: .home,
      "URL of the feed server; empty for the node's own"),
    Address(
      "/feed/name",
      Declared.setting([.needed("name", .text)], \.name) { feed, request throws(Refusal) in
        let text = request.text(0) ?? ""
        guard text.count <= longestName else {
          throw Refusal(.range, "/feed/name: \(text.count) characters, more than \(longestName)")
        }
        feed.name = text
      }, kept: .home,
      "Name on posts; empty for the node's name"),
    Address(
      "/feed/format",
      Declared.setting([.word(of: ["flac", "opus"])], \.format) { feed, request in
        feed.format = request.text(0) ?? "flac"
      }, kept: .home,
      "Audio format of posts: lossless, or small"),
    Address(waitingPath, Declared.reading(\.waiting), "Number of posts in the outbox"),
  ]
}
