import Foundation
import OSC
import TestSupport
import Testing

/// A running node, a simulated phone with one of the layouts on it, and another client.
final class SurfaceStage {
  let server: JackServer
  private(set) var node: NodeProcess
  let other: Phone
  let probe: Probe
  let phone: TouchPhone
  private let folder: TemporaryFolder

  /// Starts everything; `prepare` sets up the node before the phone connects.
  init(
    _ screen: String, sendsFromOwnSocket: Bool = false,
    prepare: (Phone) throws -> Void = { _ in }
  ) throws {
    (server, node, other) = try startNode()
    probe = try Probe(server: server.name) { frame in
      Float(0.3 * sin(2 * .pi * 400 * Double(frame % 4_800_000) / 48_000))
    }
    try probe.connect(to: "syrinx")
    try prepare(other)
    let folder = try TemporaryFolder()
    self.folder = folder
    phone = try TouchPhone(node: node.port, sendsFromOwnSocket: sendsFromOwnSocket) {
      receivePort in
      let path = folder.path("syrinx.tosc")
      let made = try NodeProcess.run(
        ["layout", "touchosc", path, "--size", screen, "--receive-port", "\(receivePort)"])
      try #require(made.code == 0, "\(made.errors)")
      return path
    }
    let status = try control("bar/status")
    try #require(
      try phone.wait { status.text.hasPrefix("syrinx") }, "\(status.text) \(phone.faults)")
    // The snapshot is not one message.
    try phone.run(seconds: 0.3)
  }

  /// A control by its path, from anywhere below the root.
  func control(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> TouchControl
  {
    var found = [phone.root]
    for name in path.split(separator: "/").map(String.init) {
      found = found.flatMap { $0.all(named: name) }
    }
    return try #require(
      found.first, "there is no \(path)", sourceLocation: sourceLocation)
  }

  // The buttons that open pages without tabs.
  private static let openers = ["Timing": ("More", "More/timing"), "Scenes": ("Mix", "Mix/scenes")]

  /// Opens a page by its tab, or by the button of another page.
  func open(_ name: String) throws {
    let page = try pageIndex(name)
    if let (other, button) = Self.openers[name] {
      try open(other)
      try tap(button)
    } else {
      try phone.tap(try control("tabs/tab-\(page + 1)"))
    }
    try #require(try control("pages").page == page)
  }

  /// Opens a page by a button of the present page.
  func open(_ name: String, by button: String) throws {
    try tap(button)
    try #require(try control("pages").page == (try pageIndex(name)))
  }

  private func pageIndex(_ name: String) throws -> Int {
    try #require(try control("pages").children.firstIndex { $0.name == name })
  }

  /// Taps the button of a control on the current page.
  func tap(_ path: String) throws { try phone.tap(try control(path + "/button")) }

  /// Whether the face of a button is bright.
  func isLit(_ path: String, face: String = "caption") throws -> Bool {
    // Bright accents have a component of at least 0.85, dimmed ones of at most 0.3.
    try control(path + "/" + face).color[..<3].max()! > 0.5
  }

  /// Waits until the node has a value.
  func reaches(_ address: String, _ value: Argument) throws -> Bool {
    try phone.wait { other.ask(address)?.arguments.first == value }
  }

  /// The node's value.
  func number(_ address: String) throws -> Double {
    try #require(other.ask(address)?.arguments.first?.number)
  }

  /// The first number in a text.
  static func number(in text: String) -> Double? {
    text.split(separator: " ").first.flatMap { Double($0) }
  }

  /// Kills the node, and restarts it on the same port.
  func restart() throws {
    let port = node.port
    node.kill()
    node = try NodeProcess(server: server, ["--port", "\(port)"], home: node.home)
  }

  /// Checks that phone and node have no errors.
  func check(sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(phone.faults.isEmpty, "\(phone.faults.prefix(5))", sourceLocation: sourceLocation)
    #expect(phone.errors.isEmpty, "\(phone.errors.prefix(5))", sourceLocation: sourceLocation)
  }

  /// Ends everything, and checks for errors.
  func end(sourceLocation: SourceLocation = #_sourceLocation) {
    check(sourceLocation: sourceLocation)
    probe.close()
    #expect(node.end() == 0, sourceLocation: sourceLocation)
  }
}
