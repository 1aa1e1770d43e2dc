import Foundation

@testable import Feed

/// A store without posts whose database blocks until it is released.
final class StuckStore: BoardStore, @unchecked Sendable {
  /// One signal per call received, completed or not.
  let calls = Collected<Void>()
  private let gate = DispatchSemaphore(value: 0)

  /// Releases all current and future calls.
  func free() { gate.signal() }

  private func pass() {
    calls.add(())
    gate.wait()
    gate.signal()
  }

  func page(before: Int?, after: Int?, limit: Int) throws(BoardFault) -> PostPage {
    pass()
    return PostPage(posts: [], newest: 0)
  }

  func post(_ posting: Posting) throws(BoardFault) -> Posted {
    pass()
    return Posted(post: posting.post(1), isNew: true)
  }

  func find(_ key: PostKey) throws(BoardFault) -> Post? {
    pass()
    return nil
  }

  func sound(of key: PostKey) throws(BoardFault) -> StoredSound? {
    pass()
    return nil
  }

  func delete(_ id: String, secret: [UInt8]) throws(BoardFault) { pass() }
  func removeName(_ id: String, secret: [UInt8]) throws(BoardFault) { pass() }

  func delete(_ ids: [String]) throws(BoardFault) -> [String] {
    pass()
    return []
  }

  func delete(allOf name: String) throws(BoardFault) -> Int {
    pass()
    return 0
  }

  func close() {}
}
