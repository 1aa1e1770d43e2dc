internal import CPosix
internal import Glibc

/// A program that runs beside this one, which talk in lines.
package final class Companion: Sendable {
  // The longest line that is kept.
  private static let mostBytes = 1 << 16
  // The time that it has to end by itself.
  private static let secondsToEnd = 1.0

  private let process: pid_t
  private let input: Guarded<Descriptor?>
  private let output: Descriptor

  /// Starts a program from the search path, or from a path.
  ///
  /// Returns nil if it was not found. The end of its input tells it to end.
  package init?(_ words: [String]) throws(SystemError) {
    let toIt = try Descriptor.pipe()
    let fromIt = try Descriptor.pipe()
    guard let process = try Program.spawn(words, input: toIt.reading, output: fromIt.writing)
    else { return nil }
    self.process = process
    input = Guarded(toIt.writing)
    output = fromIt.reading
  }

  /// Sends it a line.
  ///
  /// Returns false if it has ended.
  @discardableResult
  package func send(_ line: String) -> Bool {
    input.withLock { input in
      guard let input else { return false }
      do throws(SystemError) {
        try input.write(Array("\(line)\n".utf8), action: "a line")
        return true
      } catch {
        return false
      }
    }
  }

  /// Reads its lines until it ends; on one thread.
  package func readLines(_ use: (Substring) -> Void) {
    var text: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(output.number, buffer.baseAddress!, buffer.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return }
        for byte in buffer[..<count] {
          if byte != UInt8(ascii: "\n") {
            if text.count < Self.mostBytes { text.append(byte) }
            continue
          }
          use(Substring(String(decoding: text, as: UTF8.self)))
          text.removeAll(keepingCapacity: true)
        }
      }
    }
  }

  /// Tells it to end.
  package func end() { input.withLock { $0 = nil } }

  /// Waits for its end.
  package func awaitEnd() { _ = Program.wait(for: process, seconds: Self.secondsToEnd) }
}
