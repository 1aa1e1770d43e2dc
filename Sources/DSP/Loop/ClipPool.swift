/// The sample memory of all loops, allocated in pages on demand.
///
/// Pages become resident ahead of use, see `PageMemory`. When no page is free, the oldest undo
/// steps are dropped first.
package final class ClipPool: @unchecked Sendable {
  /// The memory of the pages.
  package let memory: PageMemory
  /// The number of pages of the longest clip, including its tail.
  package var pagesOfClip: Int { pages.pointee.pagesOfClip }
  let pages: UnsafeMutablePointer<ClipPages>

  /// Creates a pool for `seconds` of audio in total and clips of at most `longest` seconds.
  package init(seconds: Double, longest: Double, sampleRate: Double) {
    pages = .allocate(capacity: 1)
    let clip = ClipPages.count(seconds: longest, sampleRate: sampleRate)
    let clips = max(1, Int((seconds / longest).rounded(.up)))
    memory = PageMemory(count: clip * clips)
    pages.initialize(to: ClipPages(memory, pagesOfClip: clip))
  }

  deinit {
    pages.deinitialize(count: 1)
    pages.deallocate()
  }
}

/// The pages of a pool, and the versions that share them.
struct ClipPages: ~Copyable, @unchecked Sendable {
  /// The number of frames per page.
  static var frames: Int { @_noLocks get { PageStack.frames } }
  /// The length of the tail stored after the end of a clip, in seconds.
  static var seamSeconds: Double { @_noLocks get { 0.005 } }
  /// The maximum number of loops per pool.
  static var mostLoops: Int { @_noLocks get { 32 } }

  /// The number of pages of the longest clip, including its tail.
  let pagesOfClip: Int
  /// The number of free pages.
  var freeCount: Int { @_noLocks get { stack.freeCount } }

  private var stack: PageStack
  // Each page holds its left channel, then its right.
  let samples: UnsafeMutablePointer<Float>
  // The peaks of each page's cells. The first one is negative until they are measured.
  let peaks: UnsafeMutablePointer<Float>
  // The number of versions that share each page.
  let sharers: UnsafeMutablePointer<UInt8>
  // The histories of all loops.
  private let histories: UnsafeMutablePointer<UnsafeMutablePointer<ClipHistory>?>
  // The serial number of the latest version of any loop.
  private var latestSerial: UInt32 = 0

  init(_ memory: PageMemory, pagesOfClip: Int) {
    self.pagesOfClip = pagesOfClip
    stack = PageStack(memory)
    samples = stack.samples
    let count = memory.count
    peaks = .allocate(capacity: count * ClipMemory.cellsOfPage)
    peaks.initialize(repeating: -1, count: count * ClipMemory.cellsOfPage)
    sharers = .allocate(capacity: count)
    sharers.initialize(repeating: 0, count: count)
    histories = .allocate(capacity: Self.mostLoops)
    histories.initialize(repeating: nil, count: Self.mostLoops)
  }

  deinit {
    peaks.deallocate()
    sharers.deallocate()
    histories.deallocate()
  }

  /// Returns the number of pages for a clip of `seconds`, including its tail.
  static func count(seconds: Double, sampleRate: Double) -> Int {
    let clip = Int((seconds * sampleRate).rounded(.up))
    let seam = Int((seamSeconds * sampleRate).rounded())
    return (clip + seam + frames - 1) / frames
  }

  /// Allocates a page, or returns nil if none is free.
  @_noLocks
  mutating func take() -> Int? {
    guard let page = stack.allocate() else { return nil }
    sharers[page] = 1
    return page
  }

  /// Releases a page for one of the versions that share it.
  @_noLocks
  mutating func release(_ page: Int) {
    let others = sharers[page] &- 1
    sharers[page] = others
    if others == 0 { stack.release(page) }
  }

  /// Returns a new serial number for a version, never 0.
  @_noLocks
  mutating func nextSerial() -> UInt32 {
    latestSerial = latestSerial == .max ? 1 : latestSerial &+ 1
    return latestSerial
  }

  // MARK: - Histories

  /// Registers the history of a loop.
  mutating func add(_ history: UnsafeMutablePointer<ClipHistory>) {
    for index in 0..<Self.mostLoops where histories[index] == nil {
      histories[index] = history
      return
    }
    preconditionFailure("one pool serves \(Self.mostLoops) loops")
  }

  /// Unregisters the history of a loop.
  mutating func remove(_ history: UnsafeMutablePointer<ClipHistory>) {
    for index in 0..<Self.mostLoops where histories[index] == history { histories[index] = nil }
  }

  /// Returns the longest other history with steps to drop, or nil if there is none.
  @_noLocks
  func longest(besides own: UnsafeMutablePointer<ClipHistory>) -> UnsafeMutablePointer<ClipHistory>?
  {
    var longest: UnsafeMutablePointer<ClipHistory>?
    var most = 0
    for index in 0..<Self.mostLoops {
      guard let history = histories[index], history != own else { continue }
      let steps = history.pointee.stepsBack &+ history.pointee.stepsForth
      if steps > most {
        most = steps
        longest = history
      }
    }
    return longest
  }
}
