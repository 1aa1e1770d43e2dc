internal import CRealtime

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
  let pages: UnsafeMutablePointer<ClipPages>
  /// The number of pages of the longest clip.
  let pagesOfClip: Int

  /// Counts changes of the audio or length of any version.
  private(set) var changes = 0
  /// Counts new versions and changes of length.
  private(set) var outlines = 0
  /// Whether a write failed for lack of free pages.
  private(set) var isShort = false

  // The page table and reference count of each version; a count of 0 means unused.
  let tables: UnsafeMutablePointer<Int32>
  private let holds: UnsafeMutablePointer<UInt8>
  let lengths: UnsafeMutablePointer<Int>
  // The exact loop length in frames: the clip's length, or less by up to one frame.
  let rounds: UnsafeMutablePointer<Double>
  let layers: UnsafeMutablePointer<Int>
  let clips: UnsafeMutablePointer<Int>
  let serials: UnsafeMutablePointer<UInt32>
  /// The pages written, for the copy on disk.
  let touched: UnsafeMutablePointer<TouchedPages>
  /// The number of the latest clip.
  private(set) var latestClip = 0

  /// Creates memory without versions, for clips as long as the pool allows.
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

  /// The number of free pages.
  var freePages: Int { @_noLocks get { pages.pointee.freeCount } }

  // MARK: - Versions

  /// Returns the length of a version in frames, without the tail after its end.
  @_noLocks
  func length(_ version: Int) -> Int { lengths[version] }

  @_noLocks
  mutating func setLength(_ version: Int, _ frames: Int) {
    lengths[version] = frames
    rounds[version] = Double(frames)
    changes &+= 1
    outlines &+= 1
  }

  /// Returns the exact loop length of a version in frames: its length, or less by under one frame.
  @_noLocks
  func round(_ version: Int) -> Double { rounds[version] }

  /// Sets the exact loop length, if it is within one frame below the version's length.
  @_noLocks
  mutating func setRound(_ version: Int, _ frames: Double) {
    outlines &+= 1
    let least = Double(lengths[version]) - 1
    if frames > least && frames <= least + 1 { rounds[version] = frames }
  }

  /// Returns the serial number of a version, unique among all loops of the pool.
  @_noLocks
  func serial(_ version: Int) -> UInt32 { serials[version] }

  /// Gives all versions new serial numbers.
  @_noLocks
  func renumber() {
    for version in 0..<Self.mostVersions where holds[version] > 0 {
      serials[version] = pages.pointee.nextSerial()
    }
  }

  /// Returns the number of overdubs since the clip's recording.
  @_noLocks
  func layers(_ version: Int) -> Int { layers[version] }

  /// Returns the number of a version's clip, which overdubs don't change.
  @_noLocks
  func clip(_ version: Int) -> Int { clips[version] }

  /// Assigns an existing clip number to a version, and sets the counter for new ones.
  mutating func setClip(_ version: Int, _ number: Int, latest: Int) {
    clips[version] = number
    latestClip = latest
    outlines &+= 1
  }

  /// Creates a version with one reference, either empty or as a copy, or returns nil if there are
  /// too many.
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
        let uses = pages.pointee.uses
        for index in 0..<pagesOfClip where table[index] >= 0 {
          uses[Int(table[index])].versions &+= 1
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

  /// Adds a reference to a version.
  @_noLocks
  mutating func hold(_ version: Int) { holds[version] &+= 1 }

  /// Removes a reference; the last one frees the version's pages.
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
    touched.pointee.note(version, serials[version], index)
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
        rt_zero(out.left + done, count)
        rt_zero(out.right + done, count)
      }
      done &+= count
    }
  }
}
