internal import Foundation

/// The simulated app in a Lua process: the document, its messages and its scripts.
///
/// It runs Lua 5.1, like the app.
final class LuaApp {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending = Data()

  init() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["lua5.1", folder + "/app.lua", folder]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Queues a line without a reply; it is sent with the next one that has a reply.
  func tell(_ fields: [String]) {
    pending += fields.map(Self.escaped).joined(separator: "\t").utf8
    pending.append(UInt8(ascii: "\n"))
  }

  /// Sends a line, and returns the lines of its reply.
  func ask(_ fields: [String]) throws -> [[String]] {
    tell(fields)
    try input.fileHandleForWriting.write(contentsOf: pending)
    pending = Data()
    var answer = Data()
    while answer != Self.end, !answer.ends(with: Self.lastLine) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Fault("Lua has exited; is lua5.1 installed?") }
      answer += more
    }
    return String(decoding: answer, as: UTF8.self).split(separator: "\n").dropLast().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map { Self.unescaped(String($0)) }
    }
  }

  private static let end = Data(".\n".utf8)
  private static let lastLine = Data("\n.\n".utf8)

  private static let written: [Character: String] = [
    "%": "%%", "\t": "%t", "\n": "%n", "\r": "%r", "\r\n": "%r%n",
  ]

  private static func escaped(_ text: String) -> String {
    text.contains(where: { written[$0] != nil })
      ? text.map { written[$0] ?? String($0) }.joined() : text
  }

  private static func unescaped(_ text: String) -> String {
    guard text.contains("%") else { return text }
    var (result, isEscape) = ("", false)
    for character in text {
      if isEscape {
        result.append(["t": "\t", "n": "\n", "r": "\r"][character] ?? character)
      } else if character != "%" {
        result.append(character)
      }
      isEscape = !isEscape && character == "%"
    }
    return result
  }
}

extension Data {
  fileprivate func ends(with other: Data) -> Bool { suffix(other.count) == other }
}
