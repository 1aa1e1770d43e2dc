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

  /// The current version while it can be reverted, or -1.
  private(set) var tentative = -1
  // The steps that it replaced: the redo steps, the last one first, and the oldest undo step, or -1.
  private let replaced: UnsafeMutablePointer<Int>
  private var replacedCount = 0
  private var replacedOldest = -1

  /// Creates a history whose clips live in the pages of a pool.
  init(_ pool: ClipPool) {
    memory = ClipMemory(pool)
    versions = buffers.filled(with: 0, count: Self.mostSteps + 1)
    replaced = buffers.filled(with: 0, count: Self.mostSteps + 1)
    versions[0] = memory.begin()!
  }

  /// The version that is playing.
  var current: Int { @_noLocks get { versions[place] } }
  /// The version before it, or -1.
  var former: Int { @_noLocks get { place > 0 ? versions[place &- 1] : -1 } }
  /// The version after it, or -1.
  var next: Int { @_noLocks get { place &+ 1 < count ? versions[place &+ 1] : -1 } }
  /// The number of steps that can be undone.
  var stepsBack: Int { @_noLocks get { place } }
  /// The number of steps that can be redone.
  var stepsForth: Int { @_noLocks get { count &- place &- 1 } }

  /// Makes a version the current one and drops all redo steps.
  ///
  /// The caller's reference passes to the history. A tentative version keeps the steps that it replaces until
  /// it is confirmed.
  @_noLocks
  mutating func append(_ version: Int, isTentative: Bool = false) {
    confirm()
    while count > place &+ 1 {
      count &-= 1
      if isTentative {
        replaced[replacedCount] = versions[count]
        replacedCount &+= 1
      } else {
        memory.release(versions[count])
      }
    }
    if count > Self.mostSteps {
      if isTentative {
        replacedOldest = versions[0]
        memory.hold(replacedOldest)
      }
      forgetOldest()
    }
    versions[count] = version
    place = count
    count &+= 1
    if isTentative { tentative = version }
  }

  /// Puts a version in place of the current one, and drops all redo steps.
  ///
  /// The caller's reference passes to the history, and that of the returned version to the caller.
  @_noLocks
  mutating func replaceCurrent(with version: Int) -> Int {
    confirm()
    while count > place &+ 1 {
      count &-= 1
      memory.release(versions[count])
    }
    let former = versions[place]
    versions[place] = version
    memory.noteOutline()
    return former
  }

  /// Confirms the tentative version, and drops the steps that it replaced.
  @_noLocks
  mutating func confirm() {
    tentative = -1
    _ = dropReplaced()
  }

  /// Drops the tentative version, and restores the history from before it.
  ///
  /// Returns false if no version is tentative, or if memory was too short to keep the version before it.
  @_noLocks
  mutating func revert() -> Bool {
    if tentative < 0 || place == 0 { return false }
    memory.release(tentative)
    tentative = -1
    place &-= 1
    count &-= 1
    if replacedOldest >= 0 {
      var index = count
      while index > 0 {
        versions[index] = versions[index &- 1]
        index &-= 1
      }
      versions[0] = replacedOldest
      replacedOldest = -1
      place &+= 1
      count &+= 1
    }
    while replacedCount > 0 {
      replacedCount &-= 1
      versions[count] = replaced[replacedCount]
      count &+= 1
    }
    memory.noteOutline()
    return true
  }

  /// Drops the steps that the tentative version replaced.
  ///
  /// Returns false if there were none.
  @_noLocks
  private mutating func dropReplaced() -> Bool {
    if replacedCount == 0 && replacedOldest < 0 { return false }
    while replacedCount > 0 {
      replacedCount &-= 1
      memory.release(replaced[replacedCount])
    }
    if replacedOldest >= 0 { memory.release(replacedOldest) }
    replacedOldest = -1
    return true
  }

  /// The number of steps that can be dropped.
  var stepsToDrop: Int {
    @_noLocks get { count &- 1 &+ replacedCount &+ (replacedOldest < 0 ? 0 : 1) }
  }

  /// Goes back one step.
  ///
  /// Returns false at the oldest version.
  @_noLocks
  mutating func goBack() -> Bool {
    confirm()
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

  /// Drops the steps that the tentative version replaced, or else the oldest undo step, or else the last redo
  /// step.
  ///
  /// Returns false if the history has no step to drop.
  @_noLocks
  mutating func forgetStep() -> Bool {
    if dropReplaced() { return true }
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
  /// Drops steps until `pages` pages are free, always the oldest of the loop with the longest history: a layer that
  /// was just added can then be undone although another loop has filled the memory.
  @_noLocks
  func makeRoom(pages: Int) {
    let pool = pointee.memory.pages
    while pool.pointee.freeCount < pages {
      guard let longest = pool.pointee.longest(orIfAsLong: self), longest.pointee.forgetStep()
      else {
        return
      }
      pool.pointee.noteDroppedStep()
    }
  }
}
