internal import CRealtime

/// A version of a clip.
package struct ClipVersion: BitwiseCopyable {
  /// The length in frames, without the tail after its end.
  package var length = 0
  /// The exact loop length in frames: the length, or less by under one frame.
  package var round = 0.0
  /// The length of a beat in frames, 0 if it is unknown.
  package var beat = 0.0
  /// The number of overdubs since the clip's recording.
  package var layers = 0
  /// The number of the clip, which overdubs don't change.
  package var clip = 0
  /// The serial number, unique among all loops of the pool.
  package var serial: UInt32 = 0
  // The number of references; 0 means unused.
  fileprivate var holds: UInt8 = 0
}

/// The versions of a loop's clip, as copy-on-write page tables into a shared pool.
///
/// A new version costs one page table. A page is copied when it is first written.
struct ClipMemory: ~Copyable, @unchecked Sendable {
  /// The number of frames per page.
  static var pageFrames: Int { @_noLocks get { ClipPages.frames } }
  /// The maximum number of versions.
  static var mostVersions: Int { @_noLocks get { 48 } }
  private static var nowhere: Int32 { @_noLocks get { -1 } }
  // Small enough that the sum of two such values is finite.
  private static var most: Float { @_noLocks get { 1e38 } }

  private let anchor = Anchor()
  private let buffers = Buffers()
  // Keeps the pages alive.
  private let pool: ClipPool
  let pages: UnsafeMutablePointer<ClipPages>
  /// The number of pages of the longest clip.
  let pagesOfClip: Int

  /// Counts changes of the audio or length of any version.
  private(set) var changes = 0
  /// Counts new versions, changes of length, and changes of the history other than steps in it.
  private(set) var outlines = 0
  /// Whether a write failed for lack of free pages.
  private(set) var isShort = false

  let versions: UnsafeMutablePointer<ClipVersion>
  // The page table of each version.
  let tables: UnsafeMutablePointer<Int32>
  /// The pages written, for the copy on disk.
  let touched: UnsafeMutablePointer<TouchedPages>
  /// The number of the latest clip.
  private(set) var latestClip = 0

  /// Creates memory without versions, for clips as long as the pool allows.
  init(_ pool: ClipPool) {
    self.pool = pool
    pages = pool.pages
    pagesOfClip = pages.pointee.pagesOfClip
    versions = buffers.filled(with: ClipVersion(), count: Self.mostVersions)
    tables = buffers.filled(with: Self.nowhere, count: Self.mostVersions * pagesOfClip)
    touched = buffers.box(TouchedPages())
  }

  deinit {
    for index in 0..<Self.mostVersions * pagesOfClip where tables[index] >= 0 {
      pages.pointee.release(Int(tables[index]))
    }
  }

  /// The number of free pages.
  var freePages: Int { @_noLocks get { pages.pointee.freeCount } }

  // MARK: - Versions

  @_noLocks
  mutating func setLength(_ version: Int, _ frames: Int) {
    versions[version].length = frames
    versions[version].round = Double(frames)
    changes &+= 1
    outlines &+= 1
  }

  /// Sets the exact loop length, if it is within one frame below the version's length.
  @_noLocks
  mutating func setRound(_ version: Int, _ frames: Double) {
    outlines &+= 1
    let least = Double(versions[version].length) - 1
    if frames > least && frames <= least + 1 { versions[version].round = frames }
  }

  /// Sets the length of a beat, in frames.
  @_noLocks
  mutating func setBeat(_ version: Int, _ frames: Double) {
    outlines &+= 1
    versions[version].beat = frames
  }

  /// Notes a change of the history.
  @_noLocks
  mutating func noteOutline() { outlines &+= 1 }

  /// Gives all versions new serial numbers.
  @_noLocks
  func renumber() {
    for version in 0..<Self.mostVersions where versions[version].holds > 0 {
      versions[version].serial = pages.pointee.nextSerial()
    }
  }

  /// Assigns an existing clip number to a version, and sets the counter for new ones.
  mutating func setClip(_ version: Int, _ number: Int, latest: Int) {
    versions[version].clip = number
    latestClip = latest
    outlines &+= 1
  }

  /// Creates a version with one reference, either empty or as a copy, or returns nil if there are
  /// too many.
  @_noLocks
  mutating func begin(like other: Int? = nil) -> Int? {
    for version in 0..<Self.mostVersions where versions[version].holds == 0 {
      changes &+= 1
      outlines &+= 1
      let table = tables + version &* pagesOfClip
      if let other {
        versions[version] = versions[other]
        versions[version].layers &+= 1
        rt_copy_bytes(table, tables + other &* pagesOfClip, 4 &* pagesOfClip)
        let uses = pages.pointee.uses
        for index in 0..<pagesOfClip where table[index] >= 0 {
          uses[Int(table[index])].versions &+= 1
        }
      } else {
        latestClip &+= 1
        versions[version] = ClipVersion()
        versions[version].clip = latestClip
      }
      versions[version].holds = 1
      versions[version].serial = pages.pointee.nextSerial()
      return version
    }
    return nil
  }

  /// Adds a reference to a version.
  @_noLocks
  mutating func hold(_ version: Int) { versions[version].holds &+= 1 }

  /// Removes a reference; the last one frees the version's pages.
  @_noLocks
  mutating func release(_ version: Int) {
    versions[version].holds &-= 1
    if versions[version].holds > 0 { return }
    let table = tables + version &* pagesOfClip
    for index in 0..<pagesOfClip where table[index] >= 0 {
      pages.pointee.release(Int(table[index]))
      table[index] = Self.nowhere
    }
  }

  /// Clears the flag for failed writes.
  @_noLocks
  mutating func forgetShortage() { isShort = false }

  // MARK: - Audio

  /// Returns the number of pages that writing `frames` frames may need.
  @_noLocks
  static func pages(forFrames frames: Int) -> Int { frames / pageFrames &+ 2 }

  /// Returns a page of a version for writing, copied if shared or held, or nil if no page is free.
  @_noLocks
  mutating func ownPage(_ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    let table = tables + version &* pagesOfClip
    let old = Int(table[index])
    changes &+= 1
    touched.pointee.note(version, versions[version].serial, index)
    if old >= 0 && pages.pointee.uses[old].isExclusive {
      forgetPeaks(ofPage: old)
      return page(old)
    }
    // The copy of a page that is merely held doesn't count as another one.
    let isHeld = old >= 0 && pages.pointee.uses[old].versions == 1
    if isHeld { pages.pointee.release(old) }
    guard let new = pages.pointee.take() else {
      isShort = true
      return nil
    }
    table[index] = Int32(truncatingIfNeeded: new)
    forgetPeaks(ofPage: new)
    if old >= 0 {
      if !isHeld { pages.pointee.release(old) }
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

  /// Overwrites frames.
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

  /// Mixes frames with the existing ones, each of which is multiplied by its value in `kept`.
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
      // Clamps like `bounded`, including NaN.
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

  /// Clamps a sum, so that overdubs stay finite.
  @_noLocks
  private static func bounded(_ sample: Float) -> Float { max(-most, min(sample, most)) }

  /// Reads frames; parts never written are silent.
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
        out.advanced(by: done).clear(frames: count)
      }
      done &+= count
    }
  }

  /// Returns the left sides of two successive pages of a version, nil for those that were never written.
  @_noLocks
  borrowing func pages(
    of version: Int, from index: Int
  ) -> (first: UnsafePointer<Float>?, second: UnsafePointer<Float>?) {
    let table = tables + version &* pagesOfClip
    return (
      index < pagesOfClip && table[index] >= 0 ? UnsafePointer(page(Int(table[index]))) : nil,
      index &+ 1 < pagesOfClip && table[index &+ 1] >= 0
        ? UnsafePointer(page(Int(table[index &+ 1]))) : nil
    )
  }
}
