/// The versions of a loop's clip in their order, to go back and forth between.
///
/// It always has a current version. Where memory is short, the oldest one is forgotten.
struct ClipHistory: ~Copyable, @unchecked Sendable {
  /// How many steps back there can be.
  static var mostSteps: Int { @_noLocks get { 32 } }

  var memory: ClipMemory
  let versions: UnsafeMutablePointer<Int>
  private(set) var count = 1
  private(set) var place = 0

  /// A history of clips in the pages of a pool.
  init(_ pages: UnsafeMutablePointer<ClipPages>) {
    memory = ClipMemory(pages)
    versions = .allocate(capacity: Self.mostSteps + 1)
    versions.initialize(repeating: 0, count: Self.mostSteps + 1)
    versions[0] = memory.begin()!
  }

  deinit { versions.deallocate() }

  /// The version that is heard.
  var current: Int { @_noLocks get { versions[place] } }
  /// How many steps can be taken back.
  var stepsBack: Int { @_noLocks get { place } }
  /// How many steps can be taken forth again.
  var stepsForth: Int { @_noLocks get { count &- place &- 1 } }

  /// Makes a version the current one, which it takes over from whoever began it; there is no way
  /// forth from it.
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

  /// Goes a step back; false where there is none.
  @_noLocks
  mutating func goBack() -> Bool {
    if place == 0 { return false }
    place &-= 1
    return true
  }

  /// Goes a step forth; false where there is none.
  @_noLocks
  mutating func goForth() -> Bool {
    if stepsForth == 0 { return false }
    place &+= 1
    return true
  }

  /// Forgets the oldest step back, or else the farthest step forth; false where there is none.
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
  /// Forgets steps until so many pages are free: its own first, then those of the loop that has the
  /// most of them.
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
