internal import CRealtime

/// The memory of a loop: versions of a clip, in pages that versions share where they are alike.
///
/// A new version costs a table of its pages; a page is copied when it is first written to. All
/// of the memory is there from the start.
struct ClipMemory: ~Copyable, @unchecked Sendable {
  /// The frames of a page.
  static var pageFrames: Int { @_noLocks get { 512 } }
  /// The most versions at a time.
  static var mostVersions: Int { @_noLocks get { 48 } }
  private static var nowhere: Int32 { @_noLocks get { -1 } }
  // So much can be added to itself once more.
  private static var most: Float { @_noLocks get { 1e38 } }

  private let anchor = Anchor()
  /// The pages of the longest clip.
  let pagesOfClip: Int
  /// How many pages are free.
  private(set) var freePages: Int

  /// How often the sound of a version, or its length, was changed.
  private(set) var changes = 0

  // Each page has its left frames and then its right ones.
  private let samples: UnsafeMutablePointer<Float>
  // For each page the peaks of its cells, of which the first is negative where they are to be found.
  let peaks: UnsafeMutablePointer<Float>
  // How many versions have a page.
  private let sharers: UnsafeMutablePointer<UInt8>
  // The numbers of the free pages, the first `freePages` of them.
  private let free: UnsafeMutablePointer<Int32>
  // For each version its pages; and for how many it is kept, 0 where it is none.
  let tables: UnsafeMutablePointer<Int32>
  private let holds: UnsafeMutablePointer<UInt8>
  private let lengths: UnsafeMutablePointer<Int>
  private let layers: UnsafeMutablePointer<Int>
  private let clips: UnsafeMutablePointer<Int>
  /// The number of the clip that was begun last.
  private(set) var latestClip = 0

  /// Memory for `clips` clips of up to `frames` frames that have no page in common.
  init(frames: Int, clips: Int) {
    pagesOfClip = (frames + Self.pageFrames - 1) / Self.pageFrames
    let pages = pagesOfClip * clips
    freePages = pages
    // Touched now, all of it: the audio thread shall not be the first.
    samples = .allocate(capacity: pages * 2 * Self.pageFrames)
    samples.initialize(repeating: 0, count: pages * 2 * Self.pageFrames)
    peaks = .allocate(capacity: pages * Self.cellsOfPage)
    peaks.initialize(repeating: -1, count: pages * Self.cellsOfPage)
    sharers = .allocate(capacity: pages)
    sharers.initialize(repeating: 0, count: pages)
    free = .allocate(capacity: pages)
    for page in 0..<pages { free[page] = Int32(pages - 1 - page) }
    tables = .allocate(capacity: Self.mostVersions * pagesOfClip)
    tables.initialize(repeating: Self.nowhere, count: Self.mostVersions * pagesOfClip)
    holds = .allocate(capacity: Self.mostVersions)
    holds.initialize(repeating: 0, count: Self.mostVersions)
    lengths = .allocate(capacity: Self.mostVersions)
    lengths.initialize(repeating: 0, count: Self.mostVersions)
    layers = .allocate(capacity: Self.mostVersions)
    layers.initialize(repeating: 0, count: Self.mostVersions)
    self.clips = .allocate(capacity: Self.mostVersions)
    self.clips.initialize(repeating: 0, count: Self.mostVersions)
  }

  deinit {
    samples.deallocate()
    peaks.deallocate()
    sharers.deallocate()
    free.deallocate()
    tables.deallocate()
    holds.deallocate()
    lengths.deallocate()
    layers.deallocate()
    clips.deallocate()
  }

  // MARK: - Versions

  /// Tells the length of a version's clip, in frames, without what is kept behind its end.
  @_noLocks
  func length(_ version: Int) -> Int { lengths[version] }

  @_noLocks
  mutating func setLength(_ version: Int, _ frames: Int) {
    lengths[version] = frames
    changes &+= 1
  }

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
  }

  /// A new version, held once: an empty one, or one like another; nil where there is no place.
  @_noLocks
  mutating func begin(like other: Int? = nil) -> Int? {
    for version in 0..<Self.mostVersions where holds[version] == 0 {
      changes &+= 1
      holds[version] = 1
      let table = tables + version &* pagesOfClip
      if let other {
        lengths[version] = lengths[other]
        layers[version] = layers[other] &+ 1
        clips[version] = clips[other]
        rt_copy_bytes(table, tables + other &* pagesOfClip, 4 &* pagesOfClip)
        for index in 0..<pagesOfClip where table[index] >= 0 {
          sharers[Int(table[index])] &+= 1
        }
      } else {
        lengths[version] = 0
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
      let page = Int(table[index])
      table[index] = Self.nowhere
      sharers[page] &-= 1
      if sharers[page] == 0 {
        free[freePages] = Int32(page)
        freePages &+= 1
      }
    }
  }

  // MARK: - Sound

  /// The frames that a version may need for itself in a stretch of a clip.
  @_noLocks
  static func pages(forFrames frames: Int) -> Int { frames / pageFrames &+ 2 }

  /// The page of a version that is to be written to; nil where there is no memory left.
  @_noLocks
  private mutating func ownPage(_ version: Int, _ index: Int) -> UnsafeMutablePointer<Float>? {
    let table = tables + version &* pagesOfClip
    let old = Int(table[index])
    changes &+= 1
    if old >= 0 && sharers[old] == 1 {
      forgetPeaks(ofPage: old)
      return page(old)
    }
    if freePages == 0 { return nil }
    freePages &-= 1
    let new = Int(free[freePages])
    table[index] = Int32(new)
    sharers[new] = 1
    forgetPeaks(ofPage: new)
    if old >= 0 {
      sharers[old] &-= 1
      rt_copy(page(new), page(old), 2 &* Self.pageFrames)
    } else {
      rt_zero(page(new), 2 &* Self.pageFrames)
    }
    return page(new)
  }

  @_noLocks
  func page(_ number: Int) -> UnsafeMutablePointer<Float> {
    samples + number &* 2 &* Self.pageFrames
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
        for index in 0..<count {
          let (l, r) = (sound.left[done &+ index], sound.right[done &+ index])
          left[index] = Self.bounded(left[index] * kept[done &+ index] + l)
          right[index] = Self.bounded(right[index] * kept[done &+ index] + r)
        }
      }
      done &+= count
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
