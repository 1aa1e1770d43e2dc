internal import CRealtime
internal import Synchronization

/// Stereo sample memory in pages of equal size, which become resident ahead of use.
///
/// At first only address space is reserved. A control thread calls `prepare` in time, so that the
/// audio thread takes no page fault when it allocates pages through a `PageStack`. If the control
/// thread is late, the allocation still succeeds: the page fault then happens on the audio thread,
/// and `latePages` counts it.
package final class PageMemory: @unchecked Sendable {
  /// The size of a page, in bytes.
  package static let pageBytes = 2 * PageStack.frames * MemoryLayout<Float>.stride
  // The number of pages per huge page.
  private static let granularity = (2 << 20) / pageBytes

  /// The number of pages.
  package let count: Int
  /// The first sample of the first page.
  let samples: UnsafeMutablePointer<Float>
  private let buffers = Buffers()
  let progress: UnsafeMutablePointer<PageProgress>
  private let bytes: Int
  // Only one thread may prepare at a time.
  private let preparation = Mutex(())

  /// Reserves memory for `count` pages, none of them resident.
  package init(count: Int) {
    self.count = count
    bytes = max(1, count) * Self.pageBytes
    guard let memory = rt_reserve_memory(bytes) else {
      fatalError("can't reserve \(bytes) bytes of memory for sound")
    }
    samples = memory.bindMemory(to: Float.self, capacity: 2 * count * PageStack.frames)
    progress = buffers.box(PageProgress())
  }

  deinit { rt_free_memory(samples, bytes) }

  /// Returns the number of pages for `seconds` of audio.
  package static func count(seconds: Double, sampleRate: Double) -> Int {
    (Int((seconds * sampleRate).rounded(.up)) + PageStack.frames - 1) / PageStack.frames
  }

  /// Makes pages resident until `pages` free ones are, or all of them.
  ///
  /// Rounds up to whole huge pages. For control threads.
  package func prepare(free pages: Int) {
    preparation.withLock { _ in
      let ready = progress.pointee.ready.load(ordering: .relaxed)
      var end = progress.pointee.allocated.load(ordering: .relaxed) + pages
      if end <= ready || ready == count { return }
      if end >= Self.granularity {
        end = (end + Self.granularity - 1) / Self.granularity * Self.granularity
      }
      end = min(end, count)
      rt_populate_memory(samples, ready * Self.pageBytes, end * Self.pageBytes)
      progress.pointee.ready.store(end, ordering: .relaxed)
    }
  }

  /// The number of pages in use.
  package var allocatedPages: Int { progress.pointee.allocated.load(ordering: .relaxed) }

  /// The number of pages that were allocated before they were prepared, each with a page fault on the
  /// audio thread.
  package var latePages: Int { progress.pointee.late.load(ordering: .relaxed) }

  /// The number of resident bytes.
  package var residentBytes: Int {
    max(progress.pointee.ready.load(ordering: .relaxed), allocatedPages) * Self.pageBytes
  }
}

/// Page counts that the audio thread and control threads share.
///
/// All accesses are relaxed: each count publishes nothing but itself.
struct PageProgress: ~Copyable {
  /// Pages in use, written by the audio thread.
  let allocated = Atomic<Int>(0)
  /// Pages that are resident, from the first one on, written by the control side.
  let ready = Atomic<Int>(0)
  /// Pages that were allocated before they were resident, written by the audio thread.
  let late = Atomic<Int>(0)
}
