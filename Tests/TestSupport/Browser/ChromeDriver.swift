internal import Foundation

/// Debian's ChromeDriver on its own port, which ends together with all the processes that it
/// starts.
final class ChromeDriver {
  /// The port of its WebDriver server.
  let port: UInt16
  private let folder: TemporaryFolder
  private let process = Process()
  private let line = Pipe()

  /// Starts the driver, and waits until it listens.
  init() throws {
    // A short name: Chromium's socket is far below it, and a socket path has at most 107
    // characters.
    folder = try TemporaryFolder("b\(String(UInt32.random(in: 0 ... .max), radix: 16))")
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // A process session that ends when this process closes the pipe to it or exits, for whatever
    // reason.
    process.arguments = [
      "setsid", "--wait", "bash", "-c", "chromedriver --port=0 & read -r; pkill -KILL -s $$",
    ]
    // Chromium's leftovers are deleted with the folder.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TMPDIR": folder.url.path]) { $1 }
    let output = Pipe()
    process.standardInput = line
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var said = ""
    var found: UInt16?
    while found == nil {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Fault("chromedriver does not start: \(said)") }
      said += String(decoding: more, as: UTF8.self)
      found = said.firstMatch(of: /successfully on port (\d+)/).flatMap { UInt16($0.1) }
    }
    port = found!
  }

  /// Kills the driver and its browsers.
  func end() {
    try? line.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  deinit { end() }

  // A request that types many keys or draws a page is slow on a busy machine.
  private static let requestLimit = 5 * waitLimit

  /// Sends the driver a request, and returns the value of its response.
  func ask(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> Any? {
    let bytes = try body.map { Array(try JSONSerialization.data(withJSONObject: $0)) } ?? []
    let answer = try WebPhone(port: port).ask(
      method, path, ["Content-Type": "application/json"], body: bytes, seconds: Self.requestLimit)
    let told = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    guard answer.status == 200 else {
      let fault = told?["value"] as? [String: Any]
      throw Fault("\(path.split(separator: "/").last ?? ""): \(fault?["message"] ?? answer.status)")
    }
    return told?["value"]
  }
}
