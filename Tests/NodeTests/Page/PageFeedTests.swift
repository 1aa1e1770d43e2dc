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
      try browser.await(
        "performance.getEntriesByType('resource').some((one) => one.name.endsWith('/small'))")
      stage.phone.send(bytes: [UInt8](address: "/take/delete", [take.arguments[0]]))
      #expect(stage.phone.receive("/reply") != nil)
      try browser.tap("[data-act=delete]")
      try messages("b", "<i>hello</i>")
    }
  }
}
