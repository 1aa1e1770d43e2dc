/// A read-only view of a loop's versions, page by page.
///
/// It is valid until the loop is next modified.
package struct ClipView: BitwiseCopyable, @unchecked Sendable {
  /// The maximum number of versions.
  package static var mostVersions: Int { @_noLocks get { ClipMemory.mostVersions } }

  /// The number of page table entries per version.
  package let pagesOfClip: Int
  /// Counts new versions, changes of length, and changes of the history other than steps in it.
  package let outlines: Int
  /// The versions in the undo history, oldest first.
  package let versions: UnsafePointer<Int>
  /// The number of versions, and the index of the current one.
  package let count: Int, place: Int
  /// The version being recorded, or -1, and the number of frames written to it.
  package let recording: Int, written: Int
  /// The version being overdubbed, or -1.
  package let overdub: Int
  /// Whether the clip becomes longer, in a version that is not in the history yet.
  package let isGrowing: Bool
  /// The pages written to.
  package let touched: UnsafeMutablePointer<TouchedPages>

  private let tables: UnsafePointer<Int32>
  private let samples: UnsafePointer<Float>
  private let all: UnsafePointer<ClipVersion>

  @_noLocks
  init(
    _ history: UnsafeMutablePointer<ClipHistory>, _ recording: Recording, _ overdub: Overdub,
    _ growth: Growth
  ) {
    pagesOfClip = history.pointee.memory.pagesOfClip
    outlines = history.pointee.memory.outlines
    versions = UnsafePointer(history.pointee.versions)
    count = history.pointee.count
    place = history.pointee.place
    if let version = recording.version { self.recording = version } else { self.recording = -1 }
    written = recording.written
    if let version = overdub.version { self.overdub = version } else { self.overdub = -1 }
    if case .some = growth.version { isGrowing = !growth.isPublished } else { isGrowing = false }
    touched = history.pointee.memory.touched
    tables = UnsafePointer(history.pointee.memory.tables)
    samples = UnsafePointer(history.pointee.memory.pages.pointee.samples)
    all = UnsafePointer(history.pointee.memory.versions)
  }

  /// Returns a version of the loop, in its history or not.
  package subscript(version: Int) -> ClipVersion { @_noLocks get { all[version] } }

  /// Returns the number of a version's page, or a negative value if it was never written.
  ///
  /// Shared pages have the same number.
  @_noLocks
  package func page(_ version: Int, _ index: Int) -> Int32 {
    tables[version &* pagesOfClip &+ index]
  }

  /// Returns the samples of a page: the left channel, then the right.
  @_noLocks
  package func sound(ofPage number: Int32) -> UnsafePointer<Float> {
    samples + Int(number) &* 2 &* ClipPages.frames
  }
}
