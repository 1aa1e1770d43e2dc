package import Foundation

/// The program under test, running.
package final class NodeProcess {
  /// What the ready line says.
  package private(set) var ready: [String: String] = [:]
  /// Where it listens.
  package var port: UInt16 { UInt16(ready["osc"]?.split(separator: ":").last ?? "") ?? 0 }
  /// The folder that stands for its user's.
  package let folder: URL
  /// Where its files are, unless it was given another place.
  package var home: String { folder.appendingPathComponent("home").path }

  private let process = Process()
  private let output = Pipe()
  private let errorFile: URL

  /// The program: as it was built beside the tests, unless SYRINX_BINARY names another.
  package static var binary: URL {
    if let path = ProcessInfo.processInfo.environment["SYRINX_BINARY"] {
      return URL(fileURLWithPath: path)
    }
    return Bundle.main.bundleURL.appendingPathComponent("syrinx")
  }

  /// Starts `syrinx run` on a server, and waits until it is ready.
  ///
  /// Where its home is the usual one, that is `syrinx` in its own folder.
  package init(
    server: JackServer?, _ arguments: [String] = [], environment: [String: String] = [:],
    home: String? = nil, awaitsReady: Bool = true, isHomeUsual: Bool = false,
    folder working: String? = nil, errors: Pipe? = nil, output other: Pipe? = nil
  ) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "syrinx-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    errorFile = folder.appendingPathComponent("stderr")
    try Data().write(to: errorFile)
    process.executableURL = Self.binary
    process.arguments =
      ["run"] + (server.map { ["--server", $0.name] } ?? [])
      + (isHomeUsual
        ? [] : ["--home", home ?? folder.appendingPathComponent("home").path])
      + (arguments.contains("--port") ? [] : ["--port", "0"]) + arguments
    var all = ProcessInfo.processInfo.environment
    all["XDG_RUNTIME_DIR"] = folder.path
    all["XDG_DATA_HOME"] = folder.path
    for (name, value) in environment { all[name] = value }
    process.environment = all
    if let working { process.currentDirectoryURL = URL(fileURLWithPath: working) }
    process.standardOutput = other ?? output
    process.standardError = try errors ?? FileHandle(forWritingTo: errorFile)
    try process.run()
    if awaitsReady { try awaitReady() }
  }

  deinit {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Reads the ready line.
  package func awaitReady() throws {
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Fault("the node ended before it was ready: \(errors)") }
      line += more
    }
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.first == "ready" else { throw Fault("no ready line: \(words)") }
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      ready[parts[0]] = parts.count == 2 ? parts[1] : ""
    }
  }

  /// What it wrote to standard error.
  package var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

  /// Whether it runs.
  package var isRunning: Bool { process.isRunning }

  /// The process's number.
  package var id: Int32 { process.processIdentifier }

  /// Ends it without a word, as want of power would.
  package func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Tells it to end, waits, and returns its exit code.
  package func end() -> Int32 {
    if process.isRunning { process.terminate() }
    return awaitEnd()
  }

  /// Waits for its end, and returns its exit code.
  package func awaitEnd() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs the program to its end.
  package static func run(
    _ arguments: [String], environment: [String: String] = [:], input: Data? = nil
  ) throws -> (code: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = binary
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let given = input.map { _ in Pipe() }
    if let given { process.standardInput = given }
    try process.run()
    if let input, let given {
      try given.fileHandleForWriting.write(contentsOf: input)
      try given.fileHandleForWriting.close()
    }
    let out = output.fileHandleForReading.readDataToEndOfFile()
    let err = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: out, as: UTF8.self),
      String(decoding: err, as: UTF8.self)
    )
  }
}
