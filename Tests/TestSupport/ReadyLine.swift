internal import Foundation

/// The line by which a program reports that it is ready.
enum ReadyLine {
  /// Waits for the line, and returns its fields; `errors` is the program's output if it exits
  /// instead.
  static func words(
    from output: Pipe, of program: String, errors: @autoclosure () -> String
  ) throws -> [String: String] {
    var line = Data()
    while !line.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else {
        throw Fault("the \(program) exited before it was ready: \(errors())")
      }
      line += more
    }
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.first == "ready" else { throw Fault("no ready line: \(words)") }
    var result: [String: String] = [:]
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      result[parts[0]] = parts.count == 2 ? parts[1] : ""
    }
    return result
  }
}
