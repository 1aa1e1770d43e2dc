internal import Synchronization

/// The free list of a `PageMemory`, for the audio thread.
///
/// Freed pages are reused first, so that as few as possible become resident.
package struct PageStack: ~Copyable, @unchecked Sendable {
  /// The number of frames per page.
  ///
  /// The left channel comes first, then the right.
  package static var frames: Int { @_noLocks get { 512 } }

  private let memory: PageMemory
  /// The number of pages, free or not.
  package let count: Int
  /// The number of free pages.
  package private(set) var freeCount: Int
  /// The first sample of the first page.
  package let samples: UnsafeMutablePointer<Float>
  // The indices of the free pages: the first `freeCount` entries, of which the last is allocated
  // next.
  private let buffers = Buffers()
  private let free: UnsafeMutablePointer<Int32>
  private let progress: UnsafeMutablePointer<PageProgress>
  // All pages below this index have been allocated before.
  private var touched = 0

  /// Creates a stack of all pages of a memory, which no other stack may use.
  package init(_ memory: PageMemory) {
    self.memory = memory
    count = memory.count
    samples = memory.samples
    progress = memory.progress
    freeCount = memory.count
    free = buffers.copied((0..<Int32(memory.count)).reversed())
  }

  /// Allocates a page, which holds old samples, and returns its index, or nil if none is free.
  @_noLocks
  package mutating func allocate() -> Int? {
    if freeCount == 0 { return nil }
    freeCount &-= 1
    let page = Int(free[freeCount])
    publish()
    if page >= touched {
      touched = page &+ 1
      if page >= progress.pointee.ready.load(ordering: .relaxed) {
        progress.pointee.late.add(1, ordering: .relaxed)
      }
    }
    return page
  }

  /// Frees a page.
  @_noLocks
  package mutating func release(_ page: Int) {
    free[freeCount] = Int32(truncatingIfNeeded: page)
    freeCount &+= 1
    publish()
  }

  @_noLocks
  private func publish() {
    progress.pointee.allocated.store(count &- freeCount, ordering: .relaxed)
  }

  /// Returns the left channel of a page, followed by the right.
  @_noLocks
  package func page(_ number: Int) -> UnsafeMutablePointer<Float> {
    samples + number &* 2 &* Self.frames
  }
}
