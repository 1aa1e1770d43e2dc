internal import CRealtime

/// The memory of all loops of a node: pages of sound, of which each loop takes as many as it needs.
///
/// All of it is there from the start. Where it runs short, the steps that were to be undone go first.
package final class ClipPool: @unchecked Sendable {
  let pages: UnsafeMutablePointer<ClipPages>

  /// Memory for so many seconds of sound, of which no clip is longer than `longest`.
  package init(seconds: Double, longest: Double, sampleRate: Double) {
    pages = .allocate(capacity: 1)
    let clip = ClipPages.count(seconds: longest, sampleRate: sampleRate)
    let clips = max(1, Int((seconds / longest).rounded(.up)))
    pages.initialize(to: ClipPages(count: clip * clips, pagesOfClip: clip))
  }

  deinit {
    pages.deinitialize(count: 1)
    pages.deallocate()
  }

}

/// The pages of a pool, and who has them.
struct ClipPages: ~Copyable, @unchecked Sendable {
  /// The frames of a page.
  static var frames: Int { @_noLocks get { 512 } }
  /// What is kept behind the end of a clip, in seconds.
  static var seamSeconds: Double { @_noLocks get { 0.005 } }
  /// The most loops that one pool serves.
  static var mostLoops: Int { @_noLocks get { 32 } }

  /// How many pages there are.
  let count: Int
  /// The pages of the longest clip, with what is kept behind its end.
  let pagesOfClip: Int
  /// How many pages are free.
  private(set) var freeCount: Int

  // Each page has its left frames and then its right ones.
  let samples: UnsafeMutablePointer<Float>
  private let memory: LastingMemory
  // For each page the peaks of its cells, of which the first is negative where they are to be found.
  let peaks: UnsafeMutablePointer<Float>
  // How many versions have a page.
  let sharers: UnsafeMutablePointer<UInt8>
  // The numbers of the free pages, the first `freeCount` of them.
  private let free: UnsafeMutablePointer<Int32>
  // The histories of the loops that have pages.
  private let histories: UnsafeMutablePointer<UnsafeMutablePointer<ClipHistory>?>
  // The number of the version that was begun last, of all loops.
  private var latestSerial: UInt32 = 0

  init(count: Int, pagesOfClip: Int) {
    self.count = count
    self.pagesOfClip = pagesOfClip
    freeCount = count
    memory = LastingMemory(count: count * 2 * Self.frames)
    samples = memory.samples
    peaks = .allocate(capacity: count * ClipMemory.cellsOfPage)
    peaks.initialize(repeating: -1, count: count * ClipMemory.cellsOfPage)
    sharers = .allocate(capacity: count)
    sharers.initialize(repeating: 0, count: count)
    free = .allocate(capacity: count)
    for page in 0..<count { free[page] = Int32(count - 1 - page) }
    histories = .allocate(capacity: Self.mostLoops)
    histories.initialize(repeating: nil, count: Self.mostLoops)
  }

  deinit {
    peaks.deallocate()
    sharers.deallocate()
    free.deallocate()
    histories.deallocate()
  }

  /// How many pages so many seconds take, with what is kept behind them.
  static func count(seconds: Double, sampleRate: Double) -> Int {
    let clip = Int((seconds * sampleRate).rounded(.up))
    let seam = Int((seamSeconds * sampleRate).rounded())
    return (clip + seam + frames - 1) / frames
  }

  /// Takes a free page; nil where there is none.
  @_noLocks
  mutating func take() -> Int? {
    if freeCount == 0 { return nil }
    freeCount &-= 1
    let page = Int(free[freeCount])
    sharers[page] = 1
    return page
  }

  /// Lets go of a page for one of the versions that have it.
  @_noLocks
  mutating func release(_ page: Int) {
    let others = sharers[page] &- 1
    sharers[page] = others
    if others > 0 { return }
    free[freeCount] = Int32(truncatingIfNeeded: page)
    freeCount &+= 1
  }

  /// The number of a version that begins, other than that of all before, and never 0.
  @_noLocks
  mutating func nextSerial() -> UInt32 {
    latestSerial = latestSerial == .max ? 1 : latestSerial &+ 1
    return latestSerial
  }

  // MARK: - Histories

  /// Adds the history of a loop.
  mutating func add(_ history: UnsafeMutablePointer<ClipHistory>) {
    for index in 0..<Self.mostLoops where histories[index] == nil {
      histories[index] = history
      return
    }
    preconditionFailure("one pool serves \(Self.mostLoops) loops")
  }

  /// Removes the history of a loop.
  mutating func remove(_ history: UnsafeMutablePointer<ClipHistory>) {
    for index in 0..<Self.mostLoops where histories[index] == history { histories[index] = nil }
  }

  /// The history, other than one, with the most steps that can be forgotten; nil where none has any.
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
