internal import Foundation

/// A running `syrinx board` process.
package final class BoardProcess {
  /// The fields of the ready line.
  package private(set) var ready: [String: String] = [:]
  private let process = Process()
  private let output = Pipe()
  private let errorFile: URL
  private let folder: TemporaryFolder

  /// Starts a board on a database, and waits until it is ready.
  ///
  /// Port 0 selects a free one.
  package init(
    database: String, port: Int = 0, _ arguments: [String] = ["--rate", "0"]
  ) throws {
    folder = try TemporaryFolder()
    errorFile = folder.url.appendingPathComponent("stderr")
    try Data().write(to: errorFile)
    process.executableURL = NodeProcess.binary
    process.arguments = ["board", "--database", database, "--port", "\(port)"] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TMPDIR": folder.url.path]
    ) { $1 }
    process.standardOutput = output
    process.standardError = try FileHandle(forWritingTo: errorFile)
    try process.run()
    ready = try ReadyLine.words(from: output, of: "board", errors: errors)
  }

  deinit { kill() }

  /// The board's URL, with a trailing slash.
  package var url: String { ready["board"] ?? "" }

  /// The text written to standard error.
  package var errors: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

  /// The names in the folder for temporary files.
  package var scratch: [String] { folder.names.filter { $0 != "stderr" } }

  /// The process id.
  package var id: Int32 { process.processIdentifier }

  /// Kills the process, as a power failure would.
  package func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Ends the process, waits, and returns its exit code.
  package func end() -> Int32 {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
