internal import Foundation

/// Headless Chromium, controlled through W3C WebDriver and the DevTools protocol.
///
/// It resolves no host names except this machine's.
package final class Browser {
  /// A point in the window, in CSS pixels from the upper left corner.
  package struct Point {
    /// Offsets from the left and the top.
    package var x: Double, y: Double

    /// Creates a point.
    package init(_ x: Double, _ y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A window size, in CSS pixels.
  package struct Size: Equatable, Sendable, CustomStringConvertible {
    /// Width and height.
    package let width: Int, height: Int

    /// A small phone, a tablet in portrait orientation, and a laptop.
    package static let phone = Size(width: 360, height: 640)
    package static let tablet = Size(width: 820, height: 1180)
    package static let laptop = Size(width: 1440, height: 900)
    package static let all = [phone, tablet, laptop]
    /// A taller phone, the same in landscape orientation, and the smallest window with three columns.
    package static let tallPhone = Size(width: 360, height: 740)
    package static let turnedPhone = Size(width: 740, height: 360)
    /// The smallest phone.
    package static let smallPhone = Size(width: 320, height: 568)
    package static let smallLaptop = Size(width: 1280, height: 800)
    /// The windows in which whole stories are played: a phone, or all three with `SYRINX_SIZES=all`, which
    /// takes minutes more.
    package static let ofStories =
      ProcessInfo.processInfo.environment["SYRINX_SIZES"] == "all"
      ? [tallPhone, turnedPhone, smallLaptop] : [tallPhone]

    package var description: String { "\(width) x \(height)" }
  }

  private static let programs = ["/usr/bin/chromium", "/usr/bin/chromedriver"]

  /// Whether Chromium and its driver are installed.
  package static var isInstalled: Bool {
    programs.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private let driver: ChromeDriver
  private let session: String
  // The fingers that touch the screen.
  var fingers: [Int: Point] = [:]

  /// Starts a browser with a window size.
  package init(_ size: Size = .tablet) throws {
    driver = try ChromeDriver()
    let options: [String: Any] = [
      "binary": Self.programs[0],
      "args": [
        "--headless=new", "--no-sandbox", "--force-device-scale-factor=1", "--hide-scrollbars",
        "--font-render-hinting=none", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
      ],
    ]
    let wanted: [String: Any] = [
      "browserName": "chrome", "goog:chromeOptions": options,
      "goog:loggingPrefs": ["browser": "ALL"],
    ]
    let answer =
      try driver.ask(
        "POST", "/session", ["capabilities": ["alwaysMatch": wanted]]) as? [String: Any]
    guard let id = answer?["sessionId"] as? String else { throw Fault("no session") }
    session = id
    try setUpWindow(size)
  }

  /// Ends the browser.
  package func end() {
    _ = try? ask("DELETE", "")
    driver.end()
  }

  func ask(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> Any? {
    try driver.ask(method, "/session/\(session)\(path)", body)
  }

  /// Sends Chromium a DevTools command.
  @discardableResult
  package func command(_ name: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    let answer = try ask("POST", "/goog/cdp/execute", ["cmd": name, "params": parameters])
    return answer as? [String: Any] ?? [:]
  }

  // MARK: - Windows

  private func setUpWindow(_ size: Size) throws {
    try resize(size)
    try command("Emulation.setTouchEmulationEnabled", ["enabled": true, "maxTouchPoints": 5])
  }

  /// Resizes the window to that of another device.
  package func resize(_ size: Size) throws {
    try command(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": size.width, "height": size.height, "deviceScaleFactor": 1,
        "mobile": size != .laptop,
      ])
  }

  /// Opens another window, runs a body in it, and closes it as a user would.
  package func withAnotherWindow(_ size: Size = .tablet, _ body: () throws -> Void) throws {
    let first = try ask("GET", "/window")
    let made = try ask("POST", "/window/new", ["type": "window"]) as? [String: Any]
    _ = try ask("POST", "/window", ["handle": made?["handle"] ?? ""])
    let result = Result {
      try setUpWindow(size)
      try body()
    }
    fingers = [:]
    _ = try ask("DELETE", "/window")
    _ = try ask("POST", "/window", ["handle": first ?? ""])
    try result.get()
  }

  /// Opens an address, and waits until it has loaded; if it is open already, reloads it.
  package func open(_ address: String) throws {
    fingers = [:]
    let before = try text("return location.href")
    _ = try ask("POST", "/url", ["url": address])
    // An address that differs only after the # is not reloaded.
    if before.prefix(while: { $0 != "#" }) == address.prefix(while: { $0 != "#" }) {
      _ = try ask("POST", "/refresh", [:])
    }
  }

  /// Sets user preferences, by the names of media features.
  package func prefer(_ preferences: [String: String]) throws {
    try command(
      "Emulation.setEmulatedMedia",
      ["features": preferences.map { ["name": $0.key, "value": $0.value] }])
  }

  // MARK: - Queries

  /// Runs a function body in the page, and returns its result.
  @discardableResult
  package func run(_ script: String, _ arguments: Any...) throws -> Any? {
    let value = try ask("POST", "/execute/sync", ["script": script, "args": arguments])
    return value is NSNull ? nil : value
  }

  /// Runs a function body that returns a text.
  package func text(_ script: String, _ arguments: Any...) throws -> String {
    let value = try ask("POST", "/execute/sync", ["script": script, "args": arguments])
    guard let text = value as? String else { throw Fault("not a text: \(value ?? "-"): \(script)") }
    return text
  }

  /// Runs a function body that returns numbers.
  package func numbers(_ script: String, _ arguments: Any...) throws -> [Double] {
    let value = try ask("POST", "/execute/sync", ["script": script, "args": arguments])
    guard let numbers = value as? [Double] else {
      throw Fault("not numbers: \(value ?? "-"): \(script)")
    }
    return numbers
  }

  /// Waits until an expression is true in the page.
  package func await(
    _ expression: String, seconds: Double = waitLimit, file: String = #fileID, line: Int = #line
  ) throws {
    try waitUntil(expression, seconds: seconds, every: 0.01, file: file, line: line) {
      try ask("POST", "/execute/sync", ["script": "return !!(\(expression))", "args": [Any]()])
        as? Bool == true
    }
  }

  /// A screenshot of the window, as base64-encoded PNG.
  package func picture() throws -> String {
    let answer = try command(
      "Page.captureScreenshot", ["format": "png", "optimizeForSpeed": true])
    guard let picture = answer["data"] as? String else { throw Fault("no screenshot") }
    return picture
  }

  /// The errors since the last call, from the console: exceptions, failed loads, and violations of
  /// the content security policy.
  package func takeFaults() throws -> [String] {
    let entries = try ask("POST", "/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
    // Chromium looks for its own location in the network, whatever the page is given, and finds none.
    return entries.compactMap { $0["message"] as? String }
      .filter { !$0.contains("Network location provider") }
      // The page tries again after 3 s without an answer, which a busy machine may take.
      .filter { !$0.contains("WebSocket is closed before the connection is established") }
  }
}
