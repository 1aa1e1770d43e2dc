/// The undo history of a loop: the versions of its clip in order.
///
/// There is always a current version. When memory runs short, the oldest one is dropped.
struct ClipHistory: ~Copyable, @unchecked Sendable {
  /// The maximum number of undo steps.
  static var mostSteps: Int { @_noLocks get { 32 } }

  var memory: ClipMemory
  private let buffers = Buffers()
  let versions: UnsafeMutablePointer<Int>
  private(set) var count = 1
  private(set) var place = 0

  /// Creates a history whose clips live in the pages of a pool.
  init(_ pool: ClipPool) {
    memory = ClipMemory(pool)
    versions = buffers.filled(with: 0, count: Self.mostSteps + 1)
    versions[0] = memory.begin()!
  }

  /// The version that is playing.
  var current: Int { @_noLocks get { versions[place] } }
  /// The number of steps that can be undone.
  var stepsBack: Int { @_noLocks get { place } }
  /// The number of steps that can be redone.
  var stepsForth: Int { @_noLocks get { count &- place &- 1 } }

  /// Makes a version the current one and drops all redo steps.
  ///
  /// The caller's reference passes to the history.
  @_noLocks
  mutating func append(_ version: Int) {
    while count > place &+ 1 {
      count &-= 1
      memory.release(versions[count])
    }
    if count > Self.mostSteps { forgetOldest() }
    versions[count] = version
    place = count
    count &+= 1
  }

  /// Goes back one step.
  ///
  /// Returns false at the oldest version.
  @_noLocks
  mutating func goBack() -> Bool {
    if place == 0 { return false }
    place &-= 1
    return true
  }

  /// Goes forward one step.
  ///
  /// Returns false at the newest version.
  @_noLocks
  mutating func goForth() -> Bool {
    if stepsForth == 0 { return false }
    place &+= 1
    return true
  }

  /// Drops the oldest undo step, or else the last redo step.
  ///
  /// Returns false if there is neither.
  @_noLocks
  mutating func forgetStep() -> Bool {
    if place > 0 {
      forgetOldest()
    } else if count > 1 {
      count &-= 1
      memory.release(versions[count])
    } else {
      return false
    }
    return true
  }

  @_noLocks
  private mutating func forgetOldest() {
    memory.release(versions[0])
    count &-= 1
    place &-= 1
    for index in 0..<count { versions[index] = versions[index &+ 1] }
  }
}

extension UnsafeMutablePointer<ClipHistory> {
  /// Drops steps until `pages` pages are free: the loop's own first, then those of the loop with
  /// the longest history.
  @_noLocks
  func makeRoom(pages: Int) {
    let pool = pointee.memory.pages
    while pool.pointee.freeCount < pages {
      if pointee.forgetStep() { continue }
      guard let other = pool.pointee.longest(besides: self), other.pointee.forgetStep() else {
        return
      }
    }
  }
}
