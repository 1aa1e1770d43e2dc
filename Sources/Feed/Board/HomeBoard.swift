internal import Posix

/// The board in the node's data directory.
///
/// It is opened on first use, and again after the directory changes.
///
/// Any thread. Opening blocks on disk access.
package final class HomeBoard: Sendable {
  private struct Opened {
    var home: String
    var board: Board
  }

  static let noHome = BoardFault(.store, "this node has no data directory")
  private static let file = "board.sqlite"

  private let home: @Sendable () -> String?
  private let opened = Guarded<Opened?>(nil)

  /// Creates the board of the current data directory, which `home` returns, or nil for none.
  package init(home: @escaping @Sendable () -> String?) { self.home = home }

  /// The folder for incoming posts, or nil without a data directory.
  package var scratch: String? { home().map(Self.scratch) }

  private static func scratch(_ home: String) -> String { "\(home)/incoming" }

  /// Whether a board exists.
  ///
  /// Reading alone does not create one.
  package var isThere: Bool {
    guard let home = home() else { return false }
    return Files.exist("\(home)/\(Self.file)")
  }

  /// Returns the current board, and opens it if needed.
  package func board() throws(BoardFault) -> Board {
    guard let home = home() else { throw Self.noHome }
    let result = opened.withLock { opened in
      Result { () throws(BoardFault) in
        if let opened, opened.home == home { return opened.board }
        let board = try Board(
          SQLiteStore(path: "\(home)/\(Self.file)"), scratch: Self.scratch(home))
        // Current users of the previous board release it.
        opened = Opened(home: home, board: board)
        return board
      }
    }
    return try result.get()
  }
}
