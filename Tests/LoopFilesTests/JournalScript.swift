import Engine
import LoopFiles
import Testing

/// A writer of journal records that stands in for an engine.
final class JournalScript {
  let journal: LoopJournal
  private var inlet: JournalInlet
  // Pages of one value each, by the bits of the value. They stay allocated, because the journal may be read
  // later.
  private var pages: [UInt32: UnsafeMutablePointer<Float>] = [:]

  init(_ journal: LoopJournal = LoopJournal(pages: 256)) {
    self.journal = journal
    inlet = JournalInlet(journal)
  }

  /// Whether there is room for this many pages, after freeing those that were read.
  func hasRoom(_ pages: Int) -> Bool {
    inlet.release(most: 1 << 20)
    return inlet.pageRoom > pages
  }

  /// Publishes the written records.
  func pass(to store: LoopStore) throws {
    while try journal.next({ record, bytes in
      let isApplied = try store.append(record, bytes)
      #expect(isApplied)
    }) {}
    try store.flush()
  }

  func write(_ record: LoopRecord) {
    inlet.release(most: 1 << 20)
    let isWritten = inlet.write(record)
    #expect(isWritten)
  }

  func rate(_ hertz: Int = 48_000, snapshot: UInt32 = 1) {
    write(LoopRecord(.rate, other: Int(snapshot), frames: hertz))
  }

  func version(_ slot: Int, _ serial: UInt32, like other: UInt32 = 0) {
    write(LoopRecord(.version, slot: slot, serial: serial, other: Int(other)))
  }

  /// Writes a page of one value.
  func page(_ slot: Int, _ serial: UInt32, _ index: Int, _ value: Float) {
    let samples =
      pages[value.bitPattern]
      ?? {
        let page = UnsafeMutablePointer<Float>.allocate(capacity: 2 * LoopRecord.pageFrames)
        page.initialize(repeating: value, count: 2 * LoopRecord.pageFrames)
        pages[value.bitPattern] = page
        return page
      }()
    inlet.release(most: 1 << 20)
    let isWritten = inlet.write(
      LoopRecord(.page, slot: slot, serial: serial, other: index), page: 0, samples)
    #expect(isWritten)
  }

  func hole(_ slot: Int, _ serial: UInt32, _ index: Int, count: Int) {
    write(LoopRecord(.hole, slot: slot, serial: serial, other: index, frames: count))
  }

  func length(_ slot: Int, _ serial: UInt32, _ frames: Int, layers: Int = 0, clip: Int = 1) {
    write(
      LoopRecord(
        .length, slot: slot, serial: serial, layers: layers, frames: frames,
        round: Double(frames) - 0.25, clip: clip))
  }

  func history(_ slot: Int, _ serials: [UInt32], place: Int? = nil) {
    for serial in serials {
      write(
        LoopRecord(
          .history, slot: slot, count: serials.count, serial: serial,
          other: place ?? serials.count - 1))
    }
  }

  func recording(_ slot: Int, _ serial: UInt32) {
    write(LoopRecord(.recording, slot: slot, serial: serial))
  }

  func overdub(_ slot: Int, _ serial: UInt32) {
    write(LoopRecord(.overdub, slot: slot, serial: serial, other: -1))
  }

  func phase(_ slot: Int, _ isPlaying: Bool, _ beginning: Int) {
    write(LoopRecord(.phase, slot: slot, count: isPlaying ? 1 : 0, frames: beginning))
  }

  /// Writes the history of two slots: recorded, overdubbed, undone, cleared, recorded again.
  func writeHistory() {
    rate()
    version(0, 1)
    length(0, 1, 0, clip: 0)
    history(0, [1])
    version(0, 2)
    recording(0, 2)
    page(0, 2, 0, 0.1)
    page(0, 2, 1, 0.2)
    length(0, 2, 1024)
    page(0, 2, 2, 0.3)
    length(0, 2, 1300)
    history(0, [1, 2])
    recording(0, 0)
    phase(0, true, 4711)
    version(0, 3, like: 2)
    length(0, 3, 1300, layers: 1)
    history(0, [1, 2, 3])
    overdub(0, 3)
    page(0, 3, 1, 0.5)
    page(0, 3, 1, 0.6)
    overdub(0, 0)
    version(7, 4)
    page(7, 4, 0, 0.7)
    length(7, 4, 500, clip: 9)
    history(7, [4])
    history(0, [1, 2, 3], place: 1)
    hole(0, 3, 1, count: 1)
    version(0, 5)
    recording(0, 5)
    page(0, 5, 0, 0.8)
    length(0, 5, 512)
    phase(0, false, 0)
  }
}

/// The contents of an archive, for comparison.
struct Contents: Equatable, CustomStringConvertible {
  struct Version: Equatable {
    let rate: Int
    let frames: Int
    let round: Double
    let layers: Int
    let clip: Int
    /// The value of each page, or nil.
    let pages: [Float?]
  }

  struct Slot: Equatable {
    let number: Int
    let place: Int
    let beginning: Int?
    let versions: [Version]
  }

  let slots: [Slot]

  init(_ archive: LoopArchive) throws {
    var sound = [Float](repeating: 0, count: 2 * LoopRecord.pageFrames)
    slots = try archive.slots.map { slot in
      Slot(
        number: slot.number, place: slot.place,
        beginning: slot.isPlaying ? slot.beginning : nil,
        versions: try slot.versions.map { version in
          var pages: [Float?] = try (0..<version.pageCount).map { index in
            guard let place = version.page(index) else { return nil }
            try sound.withUnsafeMutableBufferPointer {
              try archive.read(place, into: $0.baseAddress!)
            }
            #expect(sound.first == sound.last)
            return sound[0]
          }
          while pages.last == .some(nil) { pages.removeLast() }
          return Version(
            rate: version.rate, frames: version.frames, round: version.round,
            layers: version.layers,
            clip: version.clip, pages: pages)
        })
    }
  }

  var description: String {
    slots.map { "\($0.number): at \($0.place) of \($0.versions.map { ($0.frames, $0.pages) })" }
      .joined(separator: "; ")
  }
}
