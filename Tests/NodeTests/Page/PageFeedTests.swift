import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The feed on the page, of the node's own board.
  @Suite struct PageFeedTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
      stage.emptyPlayer()
      try stage.open("feed")
    }

    private func messages(_ texts: String...) throws {
      let list = texts.map { "'\($0)'" }.joined(separator: ", ")
      try browser.await(
        """
        JSON.stringify([...document.querySelectorAll('#feed-posts .post p')]\
        .map((one) => one.textContent)) === JSON.stringify([\(list)])
        """)
    }

    @Test(.hangLimit)
    func `a post is written, recorded, played and deleted, and its text is plain`() throws {
      try browser.await("!document.querySelector('#feed-empty').hidden")
      // Nothing to post yet.
      try browser.await("document.querySelector('#feed-send').disabled")
      try browser.write("<i>hello</i>", into: "#feed-message")
      try browser.tap("#feed-send")
      try messages("<i>hello</i>")
      try browser.await("document.querySelector('#feed-message').value === ''")
      // Another client posts to the node's board; it appears by itself.
      let board = "http://127.0.0.1:\(stage.node.webPort)/board/postaudio"
      let answer = try Curl.ask(
        "--header", "Content-Type: application/json", "--data",
        #"{"name":"Bob","message":"b"}"#, board)
      #expect(answer.contains("\"id\""))
      try messages("b", "<i>hello</i>")
      try browser.await("document.querySelector('.post small b').textContent === 'Bob'")
      // Only own posts can be deleted.
      try browser.await("document.querySelectorAll('[data-act=delete]').length === 1")
      // A clip is recorded with the player's own buttons, and attached.
      try browser.tap(".feed-player [data-loop=record]")
      try browser.await("document.querySelector('#loop-face').dataset.state === 'recording'")
      // It names the loop that it controls.
      try browser.await(
        "document.querySelector('#feed-loop').textContent.startsWith('The sound is loop 1: rec')")
      try stage.phone.awaitLength(0.4)
      try browser.tap(".feed-player [data-loop=stop]")
      try browser.await(
        "document.querySelector('#feed-clip').getAttribute('aria-checked') === 'true'")
      try browser.write("a sound", into: "#feed-message")
      try browser.tap("#feed-send")
      try messages("a sound", "b", "<i>hello</i>")
      try browser.await(
        "document.querySelector('#feed-clip').getAttribute('aria-checked') === 'false'")
      // While it plays, the player shows what the strict state machine allows, and done closes it.
      try browser.tap("[data-act=play]")
      try browser.await(
        "document.querySelector('.feed-player [data-loop=record]').hidden")
      try browser.tap(".feed-player [data-loop=done]")
      try browser.await(
        "!document.querySelector('.feed-player [data-loop=record]').hidden")
      let watcher = try stage.watcher(of: "/take")
      try browser.tap("[data-act=keep]")
      let take = try #require(watcher.receive("/take"))
      #expect(take.arguments[1] == .string("a sound"))
      // Other tests start without takes, and without failed requests for pictures.
      let id = try #require(take.arguments[0].text)
      try browser.await(
        "performance.getEntriesByType('resource').some((one) => one.name.endsWith('\(id)/small'))")
      stage.phone.send(bytes: [UInt8](address: "/take/delete", [take.arguments[0]]))
      #expect(stage.phone.receive("/reply") != nil)
      try browser.tap("[data-act=delete]")
      try browser.tap("#notice-action")
      try messages("b", "<i>hello</i>")
    }

    private func awaitNewest(_ text: String) throws {
      try browser.await("document.querySelector('#feed-posts .post p')?.textContent === '\(text)'")
    }

    private func awaitClip(_ isPosted: Bool) throws {
      try browser.await(
        "document.querySelector('#feed-clip').getAttribute('aria-checked') === '\(isPosted)'")
    }

    /// Plays a post, numbered from the top.
    private func play(_ number: Int) throws {
      try browser.tap("#feed-posts li:nth-child(\(number)) [data-act=play]")
      try browser.await(
        "document.querySelector('#feed-posts li:nth-child(\(number)) [data-act=play]').classList.contains('playing')"
      )
    }

    private func record(_ seconds: Double) throws {
      try browser.tap(".feed-player [data-loop=record]")
      try stage.phone.awaitLength(seconds)
    }

    @Test(.hangLimit)
    func `a recording is posted whole, even after playing older posts`() throws {
      // Not while it is recorded: the sound would be missing.
      try browser.write("older", into: "#feed-message")
      try browser.await("!document.querySelector('#feed-send').disabled")
      try record(1)
      try browser.await("document.querySelector('#feed-send').disabled")
      try browser.await(
        "document.querySelector('#feed-loop').textContent.endsWith('Stop it to post it.')")
      try browser.tap(".feed-player [data-loop=stop]")
      try awaitClip(true)
      try browser.tap("#feed-send")
      try awaitNewest("older")
      try browser.await("document.querySelector('#notice-text').textContent === 'Posted'")
      try record(1)
      try browser.tap(".feed-player [data-loop=stop]")
      try awaitClip(true)
      try browser.write("other", into: "#feed-message")
      try browser.tap("#feed-send")
      try awaitNewest("other")
      try browser.write("newer", into: "#feed-message")
      try record(3)
      try browser.tap(".feed-player [data-loop=stop]")
      try awaitClip(true)
      // Slow enough to be paused, and to be followed by another one.
      stage.phone.send("/loop/1/rate", .float(0.25))
      try play(1)
      try play(2)
      stage.phone.send("/player/pause")
      stage.phone.send("/feed/post/clip", .string("as if it were mine"))
      let refusal = try #require(stage.phone.receive("/error"))
      #expect(refusal.arguments[2].text?.contains("loop 1 holds post") == true, "\(refusal)")
      // Nor is it recorded over.
      stage.phone.send("/player/record")
      #expect(
        stage.phone.receive("/error")?.arguments[2].text
          == "/player/record: the player holds a loaded clip; /player/done closes it")
      try browser.tap(".feed-player [data-loop=stop]")
      // The recording is back, and is still to be posted.
      try waitUntil("the recording is back") {
        (stage.phone.ask("/loop/1/state")?.arguments[2].number ?? 0) >= 3
      }
      try awaitClip(true)
      // It is posted from under a post that plays, too.
      try play(2)
      try play(1)
      let watcher = try stage.watcher(of: "/post")
      try browser.tap("#feed-send")
      try awaitNewest("newer")
      let seconds = try #require(watcher.receive("/post")?.arguments[4].number)
      #expect(seconds >= 3)
      // After undo, a post is still none of one's own.
      try play(2)
      stage.phone.send("/player/done")
      stage.phone.send("/loop/undo")
      stage.phone.send("/loop/redo")
      stage.phone.send("/feed/post/clip", .string("as if it were mine"))
      #expect(
        stage.phone.receive("/error")?.arguments[2].text?.contains("loop 1 holds post") == true)
      stage.phone.send("/loop/1/rate", .float(1))
      for text in ["newer", "other", "older"] {
        try awaitNewest(text)
        try browser.tap("#feed-posts [data-act=delete]")
        try browser.tap("#notice-action")
        try browser.await(
          "document.querySelector('#feed-posts .post p')?.textContent !== '\(text)'")
      }
    }

    @Test(.hangLimit) func `a message that is too long reports the excess, and is not cut`() throws
    {
      try browser.run(
        """
        const field = document.querySelector('#feed-message');
        field.value = '\u{1F426}'.repeat(4098);
        field.dispatchEvent(new Event('input', { bubbles: true }));
        """)
      try browser.await(
        "document.querySelector('#feed-excess').textContent === '2 characters too many'")
      #expect(
        try browser.run("return document.querySelector('#feed-send').disabled") as? Bool == true)
      try browser.run(
        """
        const field = document.querySelector('#feed-message');
        field.value = '\u{1F426}'.repeat(4096);
        field.dispatchEvent(new Event('input', { bubbles: true }));
        """)
      try browser.await("document.querySelector('#feed-excess').textContent === ''")
      try browser.await("!document.querySelector('#feed-send').disabled")
    }

    @Test(.hangLimit)
    func `a feed server that is down is polled until it replies, and posts stay queued`()
      throws
    {
      let folder = try TemporaryFolder()
      let former = try BoardProcess(database: folder.path("board.sqlite"))
      #expect(former.end() == 0)
      stage.phone.send("/feed/board", .string(former.url))
      #expect(stage.phone.sync())
      try browser.await(
        "document.querySelector('#feed-empty').textContent.startsWith(\"Can't connect\")")
      try browser.write("later", into: "#feed-message")
      try browser.tap("#feed-send")
      try browser.await("document.querySelector('#notice-text').textContent.startsWith('Saved: ')")
      let port = try #require(URL(string: former.url)?.port)
      let board = try BoardProcess(database: folder.path("board.sqlite"), port: port)
      try awaitNewest("later")
      stage.phone.send("/feed/board", .string(""))
      #expect(stage.phone.sync())
      #expect(board.end() == 0)
    }
  }
}
