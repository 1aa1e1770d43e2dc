import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The page in a browser, with a running node.
  @Suite(.serialized, .whereChromiumIs, OnStage()) enum PageTests {}
}

/// A node with its page in a browser, shared by all tests of the page: both take seconds to start.
final class PageStage: @unchecked Sendable {
  /// The stage of the running suite.
  @TaskLocal static var current: PageStage?

  let server: JackServer
  /// The data directory of its nodes.
  var home: String { folder.path("home") }
  private let folder: TemporaryFolder
  private(set) var node: NodeProcess
  private(set) var phone: Phone
  let browser: Browser
  /// The page's address.
  let address: String

  // Without a soundfont: the built-in instruments, whatever is installed here.
  private static let environment = ["SYRINX_SOUNDFONTS": "none"]

  /// Resets the stage for a test: a window of a size, and nothing sounding, queued or locked.
  static func ready(_ size: Browser.Size = .tablet) throws -> PageStage {
    let stage = try #require(current)
    stage.phone.send("/note/allOff")
    #expect(stage.phone.sync())
    try stage.browser.resize(size)
    try stage.browser.prefer([:])
    // A failed test must not leave the page locked.
    if try stage.browser.run("return document.body.classList.contains('locked')") as? Bool == true {
      try stage.browser.run("localStorage.clear()")
      try stage.open("voice")
    }
    return stage
  }

  fileprivate init() throws {
    folder = try TemporaryFolder()
    server = try JackServer(block: 256)
    node = try NodeProcess(
      server: server, environment: Self.environment, home: folder.path("home"), hasPage: true)
    phone = try Phone(port: node.port)
    address = try #require(node.ready["web"])
    browser = try Browser()
    // The note starts at once, and ends soon.
    phone.send("/grid/instrument", .string("organ"))
    #expect(phone.receive("/reply")?.arguments[0] == .string("/grid/instrument"))
    try browser.open(address)
    try awaitLink()
  }

  fileprivate func end() throws {
    defer { browser.end() }
    let faults = try browser.takeFaults()
    #expect(faults == [])
    #expect(node.end() == 0)
  }

  /// The folder of the page's files.
  static let files = Project.file("Sources/Page/web")

  /// Waits until the page is connected, and shows the node's state.
  func awaitLink() throws {
    try browser.await(
      "document.body.dataset.link === 'open' && document.querySelector('[data-cell][data-row]')")
  }

  /// All pages, by the fragment of their addresses.
  static let pages = ["play", "voice", "loop", "grid", "takes", "feed", "rig"]

  /// Navigates to a page, and waits until it is complete.
  func turn(to page: String) throws {
    try browser.run("location.hash = arguments[0]", page)
    try browser.await(
      "document.body.dataset.page === '\(page)' && !document.querySelector('#\(page) [aria-busy]')")
  }

  /// Waits until drawing after a resize or a navigation has ended.
  func awaitRest() throws {
    try browser.run(
      "return new Promise((rest) => requestAnimationFrame(() => requestAnimationFrame(rest)))")
    try browser.await(
      """
      document.getAnimations().every((one) => one.playState !== 'running' \
      || one.effect.getTiming().iterations === Infinity)
      """)
  }

  /// Closes what the player has open, and clears loop 1: without a clip of another test.
  func emptyPlayer() {
    for address in ["/player/done", "/loop/clear"] { phone.send(address) }
    #expect(phone.sync())
  }

  /// The values of an address, once the node has applied all that the page has sent.
  func values(of address: String) throws -> [Argument]? {
    try awaitNode()
    return phone.ask(address)?.arguments
  }

  /// Waits until the node has applied all that the page has sent.
  func awaitNode() throws {
    try browser.run(
      """
      return Promise.all([import("/page/link/socket.js"), import("/page/store/values.js")])
        .then(([socket, values]) => new Promise((applied) => {
          values.listen("/synced", applied);
          socket.send("/sync", 1);
        }))
      """)
  }

  /// Reloads a page.
  func open(_ page: String) throws {
    try browser.open(address + "#" + page)
    try awaitLink()
  }

  /// Kills the node, as a power failure would.
  func killNode() { node.kill() }

  /// Restarts a killed node on the same port, with the same data directory.
  func startNodeAgain() throws {
    (node, phone) = try startNode(
      on: server, ["--port", "\(node.port)", "--web", "\(node.webPort)"],
      environment: Self.environment,
      home: home)
  }

  /// A phone that subscribes to an address from now on.
  func watcher(of pattern: String) throws -> Phone {
    let watcher = try Phone(port: node.port)
    watcher.send("/subscribe", .string(pattern))
    #expect(watcher.sync())
    return watcher
  }
}

/// Provides one stage for a suite's tests, and ends it after them in any case.
struct OnStage: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let stage = try PageStage()
    do {
      try await PageStage.$current.withValue(stage) { try await function() }
    } catch {
      try? stage.end()
      throw error
    }
    try stage.end()
  }
}

extension Trait where Self == ConditionTrait {
  /// The tests require programs that the node does not.
  static var whereChromiumIs: Self {
    .enabled(if: Browser.isInstalled, "needs Debian's chromium and chromium-driver")
  }
}
