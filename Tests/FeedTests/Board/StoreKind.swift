import Foundation
import Posix
import TestSupport
import Testing

@testable import Feed

/// The kinds of stores, which all pass the same tests.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite = "SQLite"
  case postgres = "PostgreSQL"

  var testDescription: String { rawValue }

  /// Creates a new database.
  ///
  /// Returns nil, with a known issue, if no server is available.
  func place(in folder: TemporaryFolder) throws -> BoardPlace? {
    switch self {
    case .sqlite: return .file(folder.path("board.sqlite"))
    case .postgres:
      switch PostgresServer.shared {
      case .success(let server): return .postgres(try server.database())
      case .failure(let fault):
        withKnownIssue("PostgreSQL is not available here") { throw fault }
        return nil
      }
    }
  }
}

/// A store with helpers for posting in tests.
final class StoreRig: @unchecked Sendable {
  let folder: TemporaryFolder
  let place: BoardPlace
  let store: any BoardStore

  init?(_ kind: StoreKind) throws {
    folder = try TemporaryFolder()
    guard let place = try kind.place(in: folder) else { return nil }
    self.place = place
    store = try place.open()
  }

  deinit { store.close() }

  /// Posts a draft without validation.
  @discardableResult
  func post(_ draft: Draft, showsSecret: Bool = true) throws -> Posted {
    var sound: Post.Sound?
    if let audio = draft.audio { sound = Post.Sound(seconds: 1.5, bytes: audio.count, kind: .wav) }
    return try store.post(
      Posting(draft, showsSecret: showsSecret, sound: sound, date: .now))
  }
}
