import Testing

@testable import Control

/// Settings of the data directory: when they are written, also after a full disk.
@Suite final class SettingsWriterTests {
  /// A store that completes each write when told to.
  private final class Store: SettingsStore {
    var isFull = false
    private(set) var kept: [[String]] = []
    private(set) var attempts = 0
    private var endings: [() -> Void] = []

    func keep(
      _ settings: [(path: String, text: String)],
      then ending: @escaping (Result<Void, Refusal>) -> Void
    ) throws(Refusal) {
      attempts += 1
      if isFull {
        endings.append { ending(.failure(Refusal(.io, "no room"))) }
      } else {
        kept.append(settings.map { "\($0.path)=\($0.text)" })
        endings.append { ending(.success(())) }
      }
    }

    func finish() {
      for ending in endings { ending() }
      endings = []
    }
  }

  private let writer = SettingsWriter()
  private let store = Store()
  private var reported: [String] = []

  /// Polls at a time in seconds, and completes the write.
  private func pass(_ seconds: Double) {
    _ = writer.poll(seconds * 1e6, to: store) { [unowned self] refusal, path, _ in
      reported.append("\(path): \(refusal.message)")
    }
    store.finish()
  }

  @Test func `a change is written at once, and further ones a quarter of a second later`() {
    writer.keep("/one", "1", for: nil)
    pass(10)
    writer.keep("/one", "2", for: nil)
    writer.keep("/two", "3", for: nil)
    pass(10.1)
    #expect(store.kept == [["/one=1"]] && writer.isWriting)
    pass(10.3)
    #expect(store.kept == [["/one=1"], ["/one=2", "/two=3"]] && !writer.isWriting)
  }

  @Test func `a setting refused by a full disk is reported once, and written when there is room`() {
    store.isFull = true
    writer.keep("/one", "1", for: nil)
    for second in 10...15 { pass(Double(second)) }
    #expect(reported == ["/one: no room"])
    // Nothing waits for it: the disk may never have room.
    #expect(!writer.isWriting && (3...4).contains(store.attempts))
    store.isFull = false
    pass(18)
    #expect(store.kept == [["/one=1"]])
    pass(21)
    #expect(store.kept.count == 1 && reported.count == 1)
  }

  @Test func `a newer value replaces a refused one, and its refusal is reported without delay`() {
    store.isFull = true
    writer.keep("/one", "1", for: nil)
    writer.keep("/two", "1", for: nil)
    pass(10)
    writer.keep("/one", "2", for: nil)
    pass(10.3)
    #expect(reported == ["/one: no room", "/two: no room", "/one: no room"])
    store.isFull = false
    pass(13)
    #expect(store.kept.map { $0.sorted() } == [["/one=2", "/two=1"]])
  }

  @Test func `a value that changes during a refused write is the one that is written`() {
    store.isFull = true
    writer.keep("/one", "1", for: nil)
    _ = writer.poll(10e6, to: store) { _, _, _ in }
    writer.keep("/one", "2", for: nil)
    store.finish()
    store.isFull = false
    pass(13)
    #expect(store.kept == [["/one=2"]])
  }

  @Test func `at exit a full disk is tried once`() {
    store.isFull = true
    writer.keep("/one", "1", for: nil)
    pass(10)
    writer.isUrgent = true
    #expect(writer.isWriting)
    pass(10.01)
    #expect(!writer.isWriting && store.attempts == 2)
  }
}
