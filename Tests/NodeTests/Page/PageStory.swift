import Foundation
import OSC
import Posix
import TestSupport
import Testing

/// A story on the page of a new node: what is touched, how often, and what is heard.
final class PageStory {
  static let rate = 48_000.0
  /// No recording ends by itself, however slow the machine is.
  static let arguments = ["--name", name, "--loop-seconds", "120"]
  static let environment = ["SYRINX_SOUNDFONTS": "none"]
  private static let name = "kid"

  let phone: Phone
  let browser: Browser
  let probe: Probe
  private(set) var touches = 0
  private var output = "out_1"
  private let port: UInt16
  private let hertz = Guarded(400.0)

  init(_ node: NodeProcess, _ phone: Phone, _ stage: PageStage) throws {
    self.phone = phone
    port = node.port
    browser = stage.browser
    // Whole periods fit into a second at each frequency: a change is a corner at most.
    probe = try Probe(server: stage.server.name) { [hertz] frame in
      Float(0.3 * sin(2 * .pi * hertz.withLock { $0 } * Double(frame % 48_000) / Self.rate))
    }
    try probe.connect(to: Self.name)
    // Another node may have had the same port: a new phone has no page that was used last.
    let address = try #require(node.ready["web"])
    try browser.open(address)
    try browser.run("localStorage.clear()")
    try browser.open(address)
    try browser.await("document.body.dataset.link === 'open'")
    try browser.await("document.querySelectorAll('.drawing').length === 6")
  }

  /// Speaks at another frequency.
  func speak(_ hertz: Double) { self.hertz.withLock { $0 = hertz } }

  /// Touches a control, once it is enabled.
  func touch(_ selector: String) throws {
    try browser.await(
      "document.querySelector(\"\(selector)\")?.matches(\":not(:disabled, [aria-disabled='true'])\")"
    )
    try browser.tap(selector)
    touches += 1
  }

  func record() throws { try touch("[data-act=record]") }
  func stop() throws { try touch("[data-act=stop]") }
  func voice(_ name: String) throws { try touch("[data-voice='\(name)']") }

  /// Waits until the player is in a state, in the node and on the page.
  func awaitState(_ state: String, word: String) throws {
    try waitUntil("the player is in state \(state)") {
      phone.ask("/player/state")?.arguments.first == .string(state)
    }
    try browser.await("document.querySelector('#play-word').textContent === '\(word)'")
  }

  /// The enabled buttons of the page.
  func enabled() throws -> String {
    try browser.text(
      """
      return [...document.querySelectorAll('#play [data-act], #play .voice')]
        .filter((one) => !one.disabled).map((one) => one.textContent).join(' ')
      """)
  }

  func awaitSilence() throws {
    try probe.awaitBlock("the output is silent") { Measure.peak($0) < 1e-4 }
  }

  func awaitSound() throws {
    try probe.awaitBlock("there is sound") { Measure.peak($0) > 0.05 }
  }

  /// Listens to another output of the node from now on.
  func listen(to port: String) throws {
    #expect(probe.disconnect("\(Self.name):\(output)", "hearer:in"))
    try probe.hear("\(Self.name):\(port)")
    output = port
  }

  /// The output from a touch until playback has ended by itself, and half a second more.
  func heard(_ act: () throws -> Void) throws -> [Float] {
    let watcher = try Phone(port: port)
    watcher.send("/subscribe", .string("/player/state"))
    #expect(watcher.sync())
    func awaitNews(_ state: String) throws {
      while let told = watcher.receive("/player/state") {
        if told.arguments.first == .string(state) { return }
      }
      throw Fault("the player never is in state \(state)")
    }
    return try probe.record {
      try act()
      try awaitNews("playing")
      try awaitNews("start")
      try probe.pass(seconds: 0.5, "an echo or a reverb")
    }.samples
  }
}

extension PageStage {
  /// Runs a story in a new window of a size, with a node whose data directory is new, or has songs.
  func story(
    _ size: Browser.Size, songs: Int = 0, _ body: (PageStory) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let home = folder.path("home")
    if songs > 0 {
      try FileManager.default.createDirectory(
        atPath: "\(home)/music", withIntermediateDirectories: true)
      for number in 1...songs {
        try SoundFixture.write(
          "\(home)/music/song \(number).wav", left: Tone.sine(330, frames: 480_000))
      }
    }
    let (node, phone) = try startNode(
      on: server, PageStory.arguments, environment: PageStory.environment, home: home,
      hasPage: true)
    try browser.withAnotherWindow(size) {
      let story = try PageStory(node, phone, self)
      defer { story.probe.close() }
      try body(story)
      // The browser's log has those of the page in the other window, too, such as of a picture that a test removed.
      let faults = try browser.takeFaults().filter { !$0.hasPrefix(address) }
      #expect(faults == [])
    }
    #expect(node.end() == 0)
  }
}
