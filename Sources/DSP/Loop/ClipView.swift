/// A read-only view of a loop's versions, page by page.
///
/// It is valid until the loop is next modified.
package struct ClipView: BitwiseCopyable, @unchecked Sendable {
  /// The number of page table entries per version.
  package let pagesOfClip: Int
  /// Counts new versions and changes of length.
  package let outlines: Int
  /// The versions in the undo history, oldest first.
  package let versions: UnsafePointer<Int>
  /// The number of versions, and the index of the current one.
  package let count: Int, place: Int
  /// The version being recorded, or -1, and the number of frames written to it.
  package let recording: Int, written: Int
  /// The version being overdubbed, or -1.
  package let overdub: Int
  /// The pages written to.
  package let touched: UnsafeMutablePointer<TouchedPages>

  private let tables: UnsafePointer<Int32>
  private let samples: UnsafePointer<Float>
  private let serials: UnsafePointer<UInt32>
  private let lengths: UnsafePointer<Int>
  private let rounds: UnsafePointer<Double>
  private let layers: UnsafePointer<Int>
  private let clips: UnsafePointer<Int>

  @_noLocks
  init(_ history: UnsafeMutablePointer<ClipHistory>, _ recording: Recording, _ overdub: Overdub) {
    pagesOfClip = history.pointee.memory.pagesOfClip
    outlines = history.pointee.memory.outlines
    versions = UnsafePointer(history.pointee.versions)
    count = history.pointee.count
    place = history.pointee.place
    if let version = recording.version { self.recording = version } else { self.recording = -1 }
    written = recording.written
    if let version = overdub.version { self.overdub = version } else { self.overdub = -1 }
    touched = history.pointee.memory.touched
    tables = UnsafePointer(history.pointee.memory.tables)
    samples = UnsafePointer(history.pointee.memory.pages.pointee.samples)
    serials = UnsafePointer(history.pointee.memory.serials)
    lengths = UnsafePointer(history.pointee.memory.lengths)
    rounds = UnsafePointer(history.pointee.memory.rounds)
    layers = UnsafePointer(history.pointee.memory.layers)
    clips = UnsafePointer(history.pointee.memory.clips)
  }

  /// Returns the serial number of a version.
  @_noLocks
  package func serial(_ version: Int) -> UInt32 { serials[version] }

  /// Returns the length of a version, in frames.
  @_noLocks
  package func length(_ version: Int) -> Int { lengths[version] }

  /// Returns the exact loop length of a version, in frames.
  @_noLocks
  package func round(_ version: Int) -> Double { rounds[version] }

  /// Returns the number of overdubs in a version.
  @_noLocks
  package func layers(_ version: Int) -> Int { layers[version] }

  /// Returns the number of a version's clip.
  @_noLocks
  package func clip(_ version: Int) -> Int { clips[version] }

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
