internal import DSP
internal import Synchronization

/// The memory of one source's history: offered, in use, or returned.
///
/// The control side prepares it and offers it. The audio thread takes the offer when a loop listens to
/// the source, and returns the memory when none does any more. `tend` then releases it, and offers
/// another one. There is one memory for each source, of which little is resident until it is used.
final class HistoryStore: @unchecked Sendable {
  // Made resident before the memory is used, and while it is.
  private static let preparedSeconds = (unused: 2.0, used: 4.0)

  /// The frames that can be read back.
  let frames: Int
  private let buffers = Buffers()
  let exchange: UnsafeMutablePointer<HistoryExchange>
  private let prepared: (unused: Int, used: Int)
  private var pages: PageMemory
  // Owns the ring of the pages that is offered.
  private var ring = Buffers()

  /// Prepares and offers memory for a length in seconds.
  init(seconds: Double, sampleRate: Double) {
    frames = Int((seconds * sampleRate).rounded(.up))
    prepared = (
      PageMemory.count(seconds: Self.preparedSeconds.unused, sampleRate: sampleRate),
      PageMemory.count(seconds: Self.preparedSeconds.used, sampleRate: sampleRate)
    )
    exchange = buffers.box(HistoryExchange())
    pages = PageMemory(count: frames / PageStack.frames + 2)
    offer()
  }

  private func offer() {
    pages.prepare(free: prepared.unused)
    // Releasing: publishes the memory.
    exchange.pointee.offered.store(ring.box(HistoryPages(pages)), ordering: .releasing)
  }

  /// Releases returned memory, or keeps memory in use resident ahead of the audio thread.
  ///
  /// One control thread at a time.
  func tend() {
    // Acquiring: the audio thread is done with it.
    if exchange.pointee.returned.exchange(nil, ordering: .acquiring) != nil {
      (pages, ring) = (PageMemory(count: pages.count), Buffers())
      offer()
    } else if pages.allocatedPages > 0 {
      pages.prepare(free: prepared.used)
    }
  }

  /// Whether any of its memory is in use.
  var isUsed: Bool { pages.allocatedPages > 0 }

  /// Makes all of the memory resident; one control thread at a time.
  func prepare() { pages.prepare(free: pages.count) }

  /// The number of resident bytes; one control thread at a time.
  var residentBytes: Int { pages.residentBytes }

  /// The number of pages that were not resident when they were used; one control thread at a time.
  var latePages: Int { pages.latePages }
}

/// The slots that pass a history's memory to the audio thread and back.
struct HistoryExchange: ~Copyable {
  let offered = Atomic<UnsafeMutablePointer<HistoryPages>?>(nil)
  let returned = Atomic<UnsafeMutablePointer<HistoryPages>?>(nil)
}

/// A ring of pages, of which silent ones take no memory.
struct HistoryPages: ~Copyable {
  private static var silence: Int32 { @_noLocks get { -1 } }

  /// The number of pages of the ring.
  let count: Int
  private var stack: PageStack
  private let buffers = Buffers()
  private let table: UnsafeMutablePointer<Int32>

  init(_ memory: PageMemory) {
    count = memory.count
    stack = PageStack(memory)
    table = buffers.filled(with: Self.silence, count: count)
  }

  /// The left samples of a page, followed by the right ones, or nil if it is silent.
  @_noLocks
  func samples(_ page: Int) -> UnsafeMutablePointer<Float>? {
    table[page] < 0 ? nil : stack.page(Int(table[page]))
  }

  /// Gives a silent page memory, which holds old samples.
  @_noLocks
  mutating func fill(_ page: Int) -> UnsafeMutablePointer<Float>? {
    guard let number = stack.allocate() else { return nil }
    table[page] = Int32(truncatingIfNeeded: number)
    return stack.page(number)
  }

  /// Makes a page silent.
  @_noLocks
  mutating func empty(_ page: Int) {
    if table[page] < 0 { return }
    stack.release(Int(table[page]))
    table[page] = Self.silence
  }
}
