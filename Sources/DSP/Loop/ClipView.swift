/// The versions of a loop's clip as they lie in memory, to be read page by page.
///
/// It holds for as long as nothing is done with the loop.
package struct ClipView: BitwiseCopyable, @unchecked Sendable {
  /// How many pages a version has a place for.
  package let pagesOfClip: Int
  /// How often a version was begun, or its length changed.
  package let outlines: Int
  /// The versions in the history, the oldest first.
  package let versions: UnsafePointer<Int>
  /// How many those are, and which of them is heard.
  package let count: Int, place: Int
  /// The version that is being recorded, negative where none is, and how many frames of it are written.
  package let making: Int, written: Int
  /// The version that is being added to, negative where none is.
  package let adding: Int

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
    if let version = recording.version { making = version } else { making = -1 }
    written = recording.written
    if let version = overdub.version { adding = version } else { adding = -1 }
    tables = UnsafePointer(history.pointee.memory.tables)
    samples = UnsafePointer(history.pointee.memory.pages.pointee.samples)
    serials = UnsafePointer(history.pointee.memory.serials)
    lengths = UnsafePointer(history.pointee.memory.lengths)
    rounds = UnsafePointer(history.pointee.memory.rounds)
    layers = UnsafePointer(history.pointee.memory.layers)
    clips = UnsafePointer(history.pointee.memory.clips)
  }

  /// The number of a version among all that there were.
  @_noLocks
  package func serial(_ version: Int) -> UInt32 { serials[version] }

  /// The length of a version, in frames.
  @_noLocks
  package func length(_ version: Int) -> Int { lengths[version] }

  /// The length of a round of a version, in frames.
  @_noLocks
  package func round(_ version: Int) -> Double { rounds[version] }

  /// How many times something was added to a version.
  @_noLocks
  package func layers(_ version: Int) -> Int { layers[version] }

  /// The number of the clip of a version.
  @_noLocks
  package func clip(_ version: Int) -> Int { clips[version] }

  /// The number of a page of a version, the same where they have it in common; negative where there
  /// is none.
  @_noLocks
  package func page(_ version: Int, _ index: Int) -> Int32 {
    tables[version &* pagesOfClip &+ index]
  }

  /// The sound of a page: its left frames, and then its right ones.
  @_noLocks
  package func sound(ofPage number: Int32) -> UnsafePointer<Float> {
    samples + Int(number) &* 2 &* ClipPages.frames
  }
}
