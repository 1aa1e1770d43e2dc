import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The page in a browser, beside a running node.
  @Suite(.serialized, .whereChromiumIs, OnStage()) enum PageTests {}
}

/// A node with its page in a browser, which all tests of the page share: it takes seconds to start both.
final class PageStage: @unchecked Sendable {
  /// The stage of the suite that runs.
  @TaskLocal static var current: PageStage?

  let server: JackServer
  /// The home folder of its nodes, one after the other.
  var home: String { folder.path("home") }
  private let folder: TemporaryFolder
  private(set) var node: NodeProcess
  private(set) var phone: Phone
  let browser: Browser
  /// The page's address.
  let address: String

  // Without a soundfont: the built-in instruments, whatever is installed here.
  private static let environment = ["SYRINX_SOUNDFONTS": "none"]

  /// The stage, as a test may expect it: in a window of a size, with nothing that sounds, waits or is
  /// locked.
  static func ready(_ size: Browser.Size = .tablet) throws -> PageStage {
    let stage = try #require(current)
    stage.phone.send("/note/allOff")
    #expect(stage.phone.sync())
    try stage.browser.resize(size)
    try stage.browser.prefer([:])
    // What a test that failed has locked is locked for no other.
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
    // It begins at once, and ends soon.
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

  /// Waits until the page has its connection, and shows what the node has told it.
  func awaitLink() throws {
    try browser.await(
      "document.body.dataset.link === 'open' && document.querySelector('[data-cell][data-row]')")
  }

  /// All pages, by the names that stand behind the # of their addresses.
  static let pages = ["voice", "loop", "grid", "takes", "feed", "rig"]

  /// Turns to a page, and waits until all of it is there.
  func turn(to page: String) throws {
    try browser.run("location.hash = arguments[0]", page)
    try browser.await(
      "document.body.dataset.page === '\(page)' && !document.querySelector('#\(page) [aria-busy]')")
  }

  /// Waits until nothing is drawn any more that a window's size or a turn to a page has begun.
  func awaitRest() throws {
    try browser.run(
      "return new Promise((rest) => requestAnimationFrame(() => requestAnimationFrame(rest)))")
    try browser.await(
      """
      document.getAnimations().every((one) => one.playState !== 'running' \
      || one.effect.getTiming().iterations === Infinity)
      """)
  }

  /// Opens a page anew.
  func open(_ page: String) throws {
    try browser.open(address + "#" + page)
    try awaitLink()
  }

  /// Kills the node, as a power failure would.
  func killNode() { node.kill() }

  /// Starts a node that was killed where it was.
  func startNodeAgain() throws {
    (node, phone) = try startNode(
      on: server, ["--port", "\(node.port)", "--web", "\(node.webPort)"],
      environment: Self.environment,
      home: home)
  }

  /// A phone that is told of an address from now on.
  func watcher(of pattern: String) throws -> Phone {
    let watcher = try Phone(port: node.port)
    watcher.send("/subscribe", .string(pattern))
    #expect(watcher.sync())
    return watcher
  }
}

/// Gives a suite's tests one stage, and ends that behind them, however they went.
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
  /// The tests need what the node does not.
  static var whereChromiumIs: Self {
    .enabled(if: Browser.isInstalled, "needs Debian's chromium and chromium-driver")
  }
}
