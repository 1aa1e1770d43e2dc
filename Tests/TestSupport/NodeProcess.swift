package import Foundation

/// A running process of the program under test.
package final class NodeProcess {
  /// The fields of the ready line.
  package private(set) var ready: [String: String] = [:]
  /// The port on which the node listens.
  package var port: UInt16 { UInt16(ready["osc"]?.split(separator: ":").last ?? "") ?? 0 }
  /// The port of the page; 0 if there is none.
  package var webPort: UInt16 {
    UInt16(ready["web"]?.split(separator: ":").last?.filter(\.isNumber) ?? "") ?? 0
  }
  /// The user's home directory in the test.
  package let folder: URL
  /// The node's data directory, unless another one is given.
  package var home: String { folder.appendingPathComponent("home").path }

  // Retained, so that the server lives as long as its node.
  private let server: JackServer?
  private let process = Process()
  private let output = Pipe()
  private let errorFile: URL

  /// The path of the program: the build next to the tests, unless SYRINX_BINARY names another.
  package static var binary: URL {
    if let path = ProcessInfo.processInfo.environment["SYRINX_BINARY"] {
      return URL(fileURLWithPath: path)
    }
    return Bundle.main.bundleURL.appendingPathComponent("syrinx")
  }

  /// Starts `syrinx run` on a server, and waits until it is ready.
  ///
  /// The default data directory is `syrinx` in its own folder.
  package init(
    server: JackServer?, _ arguments: [String] = [], environment: [String: String] = [:],
    home: String? = nil, awaitsReady: Bool = true, isHomeUsual: Bool = false,
    hasPage: Bool = false, folder working: String? = nil, errors: Pipe? = nil,
    output other: Pipe? = nil
  ) throws {
    self.server = server
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "syrinx-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    errorFile = folder.appendingPathComponent("stderr")
    try Data().write(to: errorFile)
    NodeReports.begin(errorFile)
    process.executableURL = Self.binary
    process.arguments =
      ["run"] + (server.map { ["--server", $0.name] } ?? [])
      + (isHomeUsual
        ? [] : ["--home", home ?? folder.appendingPathComponent("home").path])
      + (arguments.contains("--port") ? [] : ["--port", "0"])
      // A test that doesn't use the web server leaves its port to others.
      + (hasPage || arguments.contains("--web") ? [] : ["--web", "0"]) + arguments
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
    NodeReports.keep(errorFile)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Reads the ready line.
  package func awaitReady() throws {
    ready = try ReadyLine.words(from: output, of: "node", errors: errors)
  }

  /// The text written to standard error.
  package var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

  /// Whether the process is running.
  package var isRunning: Bool { process.isRunning }

  /// The process id.
  package var id: Int32 { process.processIdentifier }

  /// Kills the process, as a power failure would.
  package func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    _ = awaitEnd()
  }

  /// Ends the process, waits, and returns its exit code.
  package func end() -> Int32 {
    if process.isRunning { process.terminate() }
    return awaitEnd()
  }

  /// Waits for the end of the process, and returns its exit code.
  ///
  /// If it was killed, also waits until the server has removed its client, so that another node can
  /// take its name.
  package func awaitEnd() -> Int32 {
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal, let name = ready["name"] {
      server?.awaitDeparture(of: name)
    }
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
