internal import CRealtime

/// The versions of a loop's clip, in pages of the pool, which versions share where they are alike.
///
/// A new version costs a table of its pages; a page is copied when it is first written to.
struct ClipMemory: ~Copyable, @unchecked Sendable {
  /// The frames of a page.
  static var pageFrames: Int { @_noLocks get { ClipPages.frames } }
  /// The most versions at a time.
  static var mostVersions: Int { @_noLocks get { 48 } }
  private static var nowhere: Int32 { @_noLocks get { -1 } }
  // So much can be added to itself once more.
  private static var most: Float { @_noLocks get { 1e38 } }

  private let anchor = Anchor()
  let pages: UnsafeMutablePointer<ClipPages>
  /// The pages of the longest clip.
  let pagesOfClip: Int

  /// How often the sound of a version, or its length, was changed.
  private(set) var changes = 0
  /// How often a version was begun or its length changed.
  private(set) var outlines = 0
  /// Whether something was to be written and there was no page for it.
  private(set) var isShort = false

  // For each version its pages; and for how many it is kept, 0 where it is none.
  let tables: UnsafeMutablePointer<Int32>
  private let holds: UnsafeMutablePointer<UInt8>
  let lengths: UnsafeMutablePointer<Int>
  // The length of a round, in frames: that of the clip, or up to a frame less.
  let rounds: UnsafeMutablePointer<Double>
  let layers: UnsafeMutablePointer<Int>
  let clips: UnsafeMutablePointer<Int>
  let serials: UnsafeMutablePointer<UInt32>
  /// The pages that were written to, for who keeps them elsewhere.
  let touched: UnsafeMutablePointer<TouchedPages>
  /// The number of the clip that was begun last.
  private(set) var latestClip = 0

  /// No versions yet, of clips as long as the pool allows.
  init(_ pages: UnsafeMutablePointer<ClipPages>) {
    self.pages = pages
    pagesOfClip = pages.pointee.pagesOfClip
    tables = .allocate(capacity: Self.mostVersions * pagesOfClip)
    tables.initialize(repeating: Self.nowhere, count: Self.mostVersions * pagesOfClip)
    holds = .allocate(capacity: Self.mostVersions)
    holds.initialize(repeating: 0, count: Self.mostVersions)
    lengths = .allocate(capacity: Self.mostVersions)
    lengths.initialize(repeating: 0, count: Self.mostVersions)
    rounds = .allocate(capacity: Self.mostVersions)
    rounds.initialize(repeating: 0, count: Self.mostVersions)
    layers = .allocate(capacity: Self.mostVersions)
    layers.initialize(repeating: 0, count: Self.mostVersions)
    clips = .allocate(capacity: Self.mostVersions)
    clips.initialize(repeating: 0, count: Self.mostVersions)
    serials = .allocate(capacity: Self.mostVersions)
    serials.initialize(repeating: 0, count: Self.mostVersions)
    touched = .allocate(capacity: 1)
    touched.initialize(to: TouchedPages())
  }

  deinit {
    for index in 0..<Self.mostVersions * pagesOfClip where tables[index] >= 0 {
      pages.pointee.release(Int(tables[index]))
    }
    tables.deallocate()
    holds.deallocate()
    lengths.deallocate()
    rounds.deallocate()
    layers.deallocate()
    clips.deallocate()
    serials.deallocate()
    touched.deinitialize(count: 1)
    touched.deallocate()
  }

  /// How many pages are free.
  var freePages: Int { @_noLocks get { pages.pointee.freeCount } }

  // MARK: - Versions

  /// Tells the length of a version's clip, in frames, without what is kept behind its end.
  @_noLocks
  func length(_ version: Int) -> Int { lengths[version] }

  @_noLocks
  mutating func setLength(_ version: Int, _ frames: Int) {
    lengths[version] = frames
    rounds[version] = Double(frames)
    changes &+= 1
    outlines &+= 1
  }

  /// The length of a round of a version, in frames: no more than its length, and less by less than
  /// one.
  @_noLocks
  func round(_ version: Int) -> Double { rounds[version] }

  /// Sets how long a round is, where that is the length of the version, or a part of a frame less.
  @_noLocks
  mutating func setRound(_ version: Int, _ frames: Double) {
    outlines &+= 1
    let least = Double(lengths[version]) - 1
    if frames > least && frames <= least + 1 { rounds[version] = frames }
  }

  /// The number of a version among all that any loop of the pool has had.
  @_noLocks
  func serial(_ version: Int) -> UInt32 { serials[version] }

  /// Counts the versions between this one and the recording that it began with.
  @_noLocks
  func layers(_ version: Int) -> Int { layers[version] }

  /// The number of the clip that a version is one of: whatever is added to it, it stays that one.
  @_noLocks
  func clip(_ version: Int) -> Int { clips[version] }

  /// Says that a version is of a clip that has a number already, and goes on counting from another.
  mutating func setClip(_ version: Int, _ number: Int, latest: Int) {
    clips[version] = number
    latestClip = latest
    outlines &+= 1
  }

  /// A new version, held once: an empty one, or one like another; nil where there is no place.
  @_noLocks
  mutating func begin(like other: Int? = nil) -> Int? {
    for version in 0..<Self.mostVersions where holds[version] == 0 {
      changes &+= 1
      outlines &+= 1
      holds[version] = 1
      serials[version] = pages.pointee.nextSerial()
      let table = tables + version &* pagesOfClip
      if let other {
        lengths[version] = lengths[other]
        rounds[version] = rounds[other]
        layers[version] = layers[other] &+ 1
        clips[version] = clips[other]
        rt_copy_bytes(table, tables + other &* pagesOfClip, 4 &* pagesOfClip)
        let sharers = pages.pointee.sharers
        for index in 0..<pagesOfClip where table[index] >= 0 {
          sharers[Int(table[index])] &+= 1
        }
      } else {
        lengths[version] = 0
        rounds[version] = 0
        layers[version] = 0
        latestClip &+= 1
        clips[version] = latestClip
      }
      return version
    }
    return nil
  }

  /// Holds a version once more.
  @_noLocks
  mutating func hold(_ version: Int) { holds[version] &+= 1 }

  /// Lets go of a version; its pages are free when nobody holds it.
  @_noLocks
  mutating func release(_ version: Int) {
    holds[version] &-= 1
    if holds[version] > 0 { return }
    let table = tables + version &* pagesOfClip
    for index in 0..<pagesOfClip where table[index] >= 0 {
      pages.pointee.release(Int(table[index]))
      table[index] = Self.nowhere
    }
  }

  /// Forgets that there was no page for something.
  @_noLocks
  mutating func forgetShortage() { isShort = false }

  // MARK: - Sound

  /// The frames that a version may need for itself in a stretch of a clip.
  @_noLocks
  static func pages(forFrames frames: Int) -> Int { frames / pageFrames &+ 2 }

  /// The page of a version that is to be written to; nil where there is no memory left.
  @_noLocks
  mutating func ownPage(_ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    let table = tables + version &* pagesOfClip
    let old = Int(table[index])
    changes &+= 1
    touched.pointee.note(version, serials[version], index)
    if old >= 0 && pages.pointee.sharers[old] == 1 {
      forgetPeaks(ofPage: old)
      return page(old)
    }
    guard let new = pages.pointee.take() else {
      isShort = true
      return nil
    }
    table[index] = Int32(truncatingIfNeeded: new)
    forgetPeaks(ofPage: new)
    if old >= 0 {
      pages.pointee.release(old)
      rt_copy(page(new), page(old), 2 &* Self.pageFrames)
    } else {
      rt_zero(page(new), 2 &* Self.pageFrames)
    }
    return page(new)
  }

  @_noLocks
  func page(_ number: Int) -> UnsafeMutablePointer<Float> {
    pages.pointee.samples + number &* 2 &* Self.pageFrames
  }

  /// Writes frames in the place of those that were there.
  @_noLocks
  mutating func write(_ sound: Stereo, to version: Int, at start: Int, frames: Int) {
    var done = 0
    while done < frames {
      let frame = start &+ done
      let offset = frame % Self.pageFrames
      let count = min(frames &- done, Self.pageFrames &- offset)
      guard frame < pagesOfClip &* Self.pageFrames else { return }
      if let page = ownPage(version, frame / Self.pageFrames) {
        rt_copy(page + offset, sound.left + done, count)
        rt_copy(page + Self.pageFrames + offset, sound.right + done, count)
      }
      done &+= count
    }
  }

  /// Adds frames to what is left of those that were there: `kept` says how much of each.
  @_noLocks
  mutating func mix(
    _ sound: Stereo, keeping kept: UnsafePointer<Float>, to version: Int, at start: Int,
    frames: Int
  ) {
    var done = 0
    while done < frames {
      let frame = start &+ done
      let offset = frame % Self.pageFrames
      let count = min(frames &- done, Self.pageFrames &- offset)
      guard frame < pagesOfClip &* Self.pageFrames else { return }
      if let page = ownPage(version, frame / Self.pageFrames) {
        let (left, right) = (page + offset, page + Self.pageFrames + offset)
        Self.mix(sound.left + done, keeping: kept + done, to: left, frames: count)
        Self.mix(sound.right + done, keeping: kept + done, to: right, frames: count)
      }
      done &+= count
    }
  }

  @_noLocks
  private static func mix(
    _ sound: UnsafePointer<Float>, keeping kept: UnsafePointer<Float>,
    to there: UnsafeMutablePointer<Float>, frames: Int
  ) {
    var frame = 0
    while frame &+ 8 <= frames {
      let old = there.eight(at: frame)
      var sum = old * kept.eight(at: frame) + sound.eight(at: frame)
      // As below: what is no number, too.
      sum.replace(with: -most, where: .!(sum .>= -most))
      sum.replace(with: most, where: sum .> most)
      there.setEight(at: frame, sum)
      frame &+= 8
    }
    while frame < frames {
      there[frame] = bounded(there[frame] * kept[frame] + sound[frame])
      frame &+= 1
    }
  }

  /// A sum that can be added to for ever and stays finite.
  @_noLocks
  private static func bounded(_ sample: Float) -> Float { max(-most, min(sample, most)) }

  /// Reads frames; silence where nothing was written.
  @_noLocks
  borrowing func read(_ version: Int, at start: Int, to out: Stereo, frames: Int) {
    let table = tables + version &* pagesOfClip
    var done = 0
    while done < frames {
      let frame = start &+ done
      let offset = frame % Self.pageFrames
      let count = min(frames &- done, Self.pageFrames &- offset)
      let number = frame / Self.pageFrames < pagesOfClip ? table[frame / Self.pageFrames] : -1
      if number >= 0 {
        let page = page(Int(number)) + offset
        rt_copy(out.left + done, page, count)
        rt_copy(out.right + done, page + Self.pageFrames, count)
      } else {
        rt_zero(out.left + done, count)
        rt_zero(out.right + done, count)
      }
      done &+= count
    }
  }
}
