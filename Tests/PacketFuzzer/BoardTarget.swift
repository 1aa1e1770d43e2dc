import Feed
import JSON
import TestSupport

/// A board that is thrown at from behind its door: the bodies of posts, and their sounds.
final class BoardTarget {
  private let board: Board
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    board = try Board(
      SQLiteStore(path: folder.path("board.sqlite")), scratch: folder.path("scratch"))
  }

  /// Posts bytes as the body of a request, or as a sound.
  func take(_ bytes: UnsafeRawBufferPointer, asSound: Bool) {
    let draft: Draft
    if asSound {
      draft = Draft(name: "", message: "", audio: Array(bytes))
    } else {
      guard let json = try? JSON(Array(bytes)), let posted = try? Draft(posted: json) else {
        return
      }
      draft = posted
    }
    guard let post = try? board.post(draft) else { return }
    do {
      let page = try board.page()
      let (sound, json) = (try board.sound(of: .id(post.id)), try JSON(Array(page.json.utf8)))
      precondition(page.posts == [post] && PostPage(json)?.posts.map(\.id) == [post.id])
      precondition(sound?.bytes == draft.audio)
      try board.delete(post.id, secret: draft.secret)
    } catch {
      fatalError("\(error)")
    }
  }
}
