internal import JSON
internal import Posix

/// The secrets of the posts that were sent, by which they can be taken back: a line each in a file that
/// only its owner can read.
///
/// One thread at a time.
package final class Receipts {
  private static let mostBytes = 4 << 20

  private let folder: String
  private var path: String { "\(folder)/receipts" }

  /// The receipts in a home folder.
  package init(home: String) { folder = "\(home)/feed" }

  /// Notes the secret of a post.
  package func add(_ draft: Draft, board: String) {
    try? Files.makeFolder(folder)
    var json = JSONText()
    json.begin("{")
    json.add("id", draft.id)
    json.add("secret", draft.secret)
    json.add("board", board)
    json.end("}")
    // A disk that is full costs the way back, and not the post.
    try? Files.append(line: json.text, to: path)
  }

  /// The secrets of the posts that were sent to a board from here, by their identifiers.
  package func secrets(board: String) -> [String: String] {
    guard let bytes = try? Files.contents(of: path, atMost: Self.mostBytes) else { return [:] }
    var secrets: [String: String] = [:]
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let json = try? JSON(Array(line)), json["board"]?.text == board,
        let id = json["id"]?.text
      else { continue }
      secrets[id] = json["secret"]?.text
    }
    return secrets
  }
}
