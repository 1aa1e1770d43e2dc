internal import Synchronization

/// The sample memory of all loops, allocated in pages on demand.
///
/// Pages become resident ahead of use, see `PageMemory`. When no page is free, the oldest undo
/// steps are dropped first.
package final class ClipPool: @unchecked Sendable {
  /// The memory of the pages.
  package let memory: PageMemory
  /// The number of pages of the longest clip, including its tail.
  package var pagesOfClip: Int { pages.pointee.pagesOfClip }
  private let buffers = Buffers()
  let pages: UnsafeMutablePointer<ClipPages>

  /// Creates a pool for `seconds` of audio in total and clips of at most `longest` seconds.
  ///
  /// `heldPages` more pages replace those that only a reader holds, see `PageHolds`.
  package init(seconds: Double, longest: Double, sampleRate: Double, heldPages: Int = 0) {
    let clip = ClipPages.count(seconds: longest, sampleRate: sampleRate)
    let clips = max(1, Int((seconds / longest).rounded(.up)))
    memory = PageMemory(count: clip * clips + heldPages)
    pages = buffers.box(ClipPages(memory, pagesOfClip: clip, capacity: clip * clips))
  }

  /// The number of undo and redo steps that were dropped because memory was short.
  package var droppedSteps: Int { pages.pointee.droppedSteps.pointee.load(ordering: .relaxed) }

  /// The holds on its pages.
  package var holds: PageHolds { PageHolds(pages) }

  /// The serial number of the latest version; the next one gets the next number.
  package var latestSerial: UInt32 {
    get { pages.pointee.latestSerial }
    set { pages.pointee.latestSerial = newValue }
  }
}

/// Holds on the pages of a pool, which another thread reads.
///
/// A held page keeps its samples: a version that writes to it gets a copy. Audio thread only.
package struct PageHolds: BitwiseCopyable, @unchecked Sendable {
  private let pages: UnsafeMutablePointer<ClipPages>

  fileprivate init(_ pages: UnsafeMutablePointer<ClipPages>) { self.pages = pages }

  /// Holds a page.
  @_noLocks
  package func hold(_ page: Int32) { pages.pointee.hold(Int(page)) }

  /// Ends a hold.
  @_noLocks
  package func release(_ page: Int32) { pages.pointee.releaseHold(Int(page)) }
}

/// The number of users of a page, which is free without any.
struct PageUses: BitwiseCopyable {
  /// The number of versions that share it.
  var versions: UInt8 = 0
  /// The number of holds by a reader on another thread.
  var holds: UInt16 = 0

  /// Whether only one version uses it, which may write to it.
  var isExclusive: Bool { @_noLocks get { versions == 1 && holds == 0 } }
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
  /// The number of pages free for versions.
  ///
  /// Pages that are merely held don't reduce it, because the pool has as many more.
  var freeCount: Int { @_noLocks get { capacity &- used } }

  // The number of pages that versions may use, and that they use.
  private let capacity: Int
  private var used = 0
  private var stack: PageStack
  // Each page holds its left channel, then its right.
  let samples: UnsafeMutablePointer<Float>
  private let buffers = Buffers()
  // The peaks of each page's cells. The first one is negative until they are measured.
  let peaks: UnsafeMutablePointer<Float>
  // The users of each page. They are changed as copies: with ThreadSanitizer the compiler crashes on
  // a change in place.
  let uses: UnsafeMutablePointer<PageUses>
  // The histories of all loops.
  private let histories: UnsafeMutablePointer<UnsafeMutablePointer<ClipHistory>?>
  // Written by the audio thread only. The count publishes nothing but itself.
  fileprivate let droppedSteps: UnsafeMutablePointer<Atomic<Int>>
  // The serial number of the latest version of any loop.
  fileprivate(set) var latestSerial: UInt32 = 0

  init(_ memory: PageMemory, pagesOfClip: Int, capacity: Int) {
    self.pagesOfClip = pagesOfClip
    self.capacity = capacity
    stack = PageStack(memory)
    samples = stack.samples
    let count = memory.count
    peaks = buffers.filled(with: -1, count: count * ClipMemory.cellsOfPage)
    uses = buffers.filled(with: PageUses(versions: 0), count: count)
    histories = buffers.filled(with: nil, count: Self.mostLoops)
    droppedSteps = buffers.box(Atomic(0))
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
    guard used < capacity, let page = stack.allocate() else { return nil }
    used &+= 1
    uses[page] = PageUses(versions: 1)
    return page
  }

  /// Releases a page for one of the versions that share it.
  @_noLocks
  mutating func release(_ page: Int) {
    var use = uses[page]
    use.versions &-= 1
    uses[page] = use
    if use.versions > 0 { return }
    used &-= 1
    if use.holds == 0 { stack.release(page) }
  }

  @_noLocks
  fileprivate func hold(_ page: Int) {
    var use = uses[page]
    use.holds &+= 1
    uses[page] = use
  }

  @_noLocks
  fileprivate mutating func releaseHold(_ page: Int) {
    var use = uses[page]
    use.holds &-= 1
    uses[page] = use
    if use.holds == 0 && use.versions == 0 { stack.release(page) }
  }

  /// Counts a step that was dropped because memory was short.
  @_noLocks
  func noteDroppedStep() { droppedSteps.pointee.add(1, ordering: .relaxed) }

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

  /// Returns the longest history with steps to drop, `own` if no other one is longer; nil if there is none.
  @_noLocks
  func longest(orIfAsLong own: UnsafeMutablePointer<ClipHistory>) -> UnsafeMutablePointer<
    ClipHistory
  >? {
    var most = own.pointee.stepsToDrop
    var longest = most > 0 ? own : nil
    for index in 0..<Self.mostLoops {
      guard let history = histories[index] else { continue }
      let steps = history.pointee.stepsToDrop
      if steps > most {
        most = steps
        longest = history
      }
    }
    return longest
  }
}
