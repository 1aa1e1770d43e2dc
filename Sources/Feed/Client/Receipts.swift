internal import JSON
internal import Posix

/// The secrets of sent posts, which permit deleting them: one line per post in a file with
/// owner-only access.
///
/// One thread at a time.
package final class Receipts {
  private static let mostBytes = 4 << 20

  private let folder: String
  private var path: String { "\(folder)/receipts" }

  /// Creates the receipts in a data directory.
  package init(home: String) { folder = "\(home)/feed" }

  /// Stores the secret of a post.
  package func add(_ draft: Draft, board: String) {
    try? Files.makeFolder(folder)
    let json: JSONText = ["id": draft.id, "secret": draft.secret, "board": board]
    // With a full disk, the post can't be deleted later, but it is sent.
    try? Files.append(line: json.text, to: path)
  }

  /// Returns the secrets of posts sent from here to a board, by post ID.
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
