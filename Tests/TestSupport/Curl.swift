internal import Foundation

/// Requests through `curl`, as from any other program.
package enum Curl {
  /// Sends a request, and returns the body of the response.
  package static func ask(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments = ["--silent", "--show-error", "--max-time", "10"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let body = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Fault("curl exited with \(process.terminationStatus): \(arguments)")
    }
    return String(decoding: body, as: UTF8.self)
  }
}
