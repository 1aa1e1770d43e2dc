internal import Posix

/// The board in the node's home folder, which is opened when somebody first asks for it, and follows the
/// folder where that changes.
///
/// Any thread; opening waits for the disk.
package final class HomeBoard: Sendable {
  private struct Opened {
    var home: String
    var board: Board
  }

  static let noHome = BoardFault(.store, "this node has no home folder")
  private static let file = "board.sqlite"

  private let home: @Sendable () -> String?
  private let opened = Guarded<Opened?>(nil)

  /// The board of the folder that a call tells; nil for none.
  package init(home: @escaping @Sendable () -> String?) { self.home = home }

  /// The folder for what comes; nil where there is no home folder.
  package var scratch: String? { home().map(Self.scratch) }

  private static func scratch(_ home: String) -> String { "\(home)/incoming" }

  /// Whether there is a board already: who only looks makes none.
  package var isThere: Bool {
    guard let home = home() else { return false }
    return Files.exist("\(home)/\(Self.file)")
  }

  /// The board, as it is opened now.
  package func board() throws(BoardFault) -> Board {
    guard let home = home() else { throw Self.noHome }
    let result = opened.withLock { opened -> Result<Board, BoardFault> in
      if let opened, opened.home == home { return .success(opened.board) }
      do throws(BoardFault) {
        let board = try Board(
          SQLiteStore(path: "\(home)/\(Self.file)"), scratch: Self.scratch(home))
        // Whoever is still asking the former one lets go of it.
        opened = Opened(home: home, board: board)
        return .success(board)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
