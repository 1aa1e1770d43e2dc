internal import Foundation
internal import Posix

/// What the last nodes have written to standard error, for the message of a failed test.
package enum NodeReports {
  private struct Entry {
    let file: URL
    // Of a node that is gone, with its file.
    var text: String?
  }

  private static let mostNodes = 3
  private static let mostLines = 12
  private static let entries = Guarded<[Entry]>([])

  /// The last lines of the last nodes, one node a text; empty ones are left out.
  package static var texts: [String] {
    entries.withLock { entries in
      entries.map { $0.text ?? ending(of: $0.file) }.filter { !$0.isEmpty }
    }
  }

  /// Begins the report of a node.
  static func begin(_ file: URL) {
    entries.withLock { $0 = Array($0.suffix(mostNodes - 1)) + [Entry(file: file)] }
  }

  /// Keeps the report of a node whose file is about to be deleted.
  static func keep(_ file: URL) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.file == file }) else { return }
      entries[index].text = ending(of: file)
    }
  }

  private static func ending(of file: URL) -> String {
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(mostLines).joined(separator: " | ")
  }
}
