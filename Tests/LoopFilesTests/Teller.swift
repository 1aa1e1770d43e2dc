import Engine
import LoopFiles
import Testing

/// Writes a journal in place of an engine.
final class Teller {
  let journal: LoopJournal
  private var pointer: LoopJournalPointer { journal.pointer }
  private var sound = [Float](repeating: 0, count: 2 * LoopRecord.pageFrames)

  init(_ journal: LoopJournal = LoopJournal(pages: 256)) { self.journal = journal }

  /// Passes the written records on.
  func pass(to store: LoopStore) throws {
    while try journal.take({ record, bytes in
      let isTaken = try store.take(record, bytes)
      #expect(isTaken)
    }) {}
    try store.flush()
  }

  func rate(_ hertz: Int = 48_000, telling: UInt32 = 1) {
    #expect(pointer.rate(hertz, telling: telling))
  }

  func begin(_ slot: Int, _ serial: UInt32, like other: UInt32 = 0) {
    #expect(pointer.begin(slot, version: serial, like: other))
  }

  /// Writes a page of one value.
  func page(_ slot: Int, _ serial: UInt32, _ index: Int, _ value: Float) {
    for frame in sound.indices { sound[frame] = value }
    sound.withUnsafeBufferPointer {
      let isTold = pointer.page(
        slot, serial, index: index, left: $0.baseAddress!,
        right: $0.baseAddress! + LoopRecord.pageFrames)
      #expect(isTold)
    }
  }

  func hole(_ slot: Int, _ serial: UInt32, _ index: Int, count: Int) {
    #expect(pointer.hole(slot, serial, index: index, pages: count))
  }

  func length(_ slot: Int, _ serial: UInt32, _ frames: Int, layers: Int = 0, clip: Int = 1) {
    #expect(
      pointer.length(
        slot, serial, frames: frames, round: Double(frames) - 0.25, layers: layers, clip: clip))
  }

  func history(_ slot: Int, _ serials: [UInt32], place: Int? = nil) {
    #expect(
      pointer.history(slot, place: place ?? serials.count - 1, serials, count: serials.count))
  }

  func making(_ slot: Int, _ serial: UInt32) { #expect(pointer.making(slot, serial)) }

  func adding(_ slot: Int, _ serial: UInt32) { #expect(pointer.adding(slot, serial)) }

  func phase(_ slot: Int, _ isPlaying: Bool, _ beginning: Int64) {
    #expect(pointer.phase(slot, isPlaying: isPlaying, beginning: beginning))
  }

  /// Writes the history of two slots: recorded, overdubbed, undone, cleared, recorded again.
  func tellALife() {
    rate()
    begin(0, 1)
    length(0, 1, 0, clip: 0)
    history(0, [1])
    begin(0, 2)
    making(0, 2)
    page(0, 2, 0, 0.1)
    page(0, 2, 1, 0.2)
    length(0, 2, 1024)
    page(0, 2, 2, 0.3)
    length(0, 2, 1300)
    history(0, [1, 2])
    making(0, 0)
    phase(0, true, 4711)
    begin(0, 3, like: 2)
    length(0, 3, 1300, layers: 1)
    history(0, [1, 2, 3])
    adding(0, 3)
    page(0, 3, 1, 0.5)
    page(0, 3, 1, 0.6)
    adding(0, 0)
    begin(7, 4)
    page(7, 4, 0, 0.7)
    length(7, 4, 500, clip: 9)
    history(7, [4])
    history(0, [1, 2, 3], place: 1)
    hole(0, 3, 1, count: 1)
    begin(0, 5)
    making(0, 5)
    page(0, 5, 0, 0.8)
    length(0, 5, 512)
    phase(0, false, 0)
  }
}

/// The contents of an archive, for comparison.
struct Contents: Equatable, CustomStringConvertible {
  struct Version: Equatable {
    let frames: Int
    let round: Double
    let layers: Int
    let clip: Int
    /// The value of each page; nil if it has none.
    let pages: [Float?]
  }

  struct Slot: Equatable {
    let number: Int
    let place: Int
    let rate: Int
    let beginning: Int64?
    let versions: [Version]
  }

  let slots: [Slot]

  init(_ archive: LoopArchive) throws {
    var sound = [Float](repeating: 0, count: 2 * LoopRecord.pageFrames)
    slots = try archive.slots.map { slot in
      Slot(
        number: slot.number, place: slot.place, rate: slot.rate,
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
            frames: version.frames, round: version.round, layers: version.layers,
            clip: version.clip, pages: pages)
        })
    }
  }

  var description: String {
    slots.map { "\($0.number): at \($0.place) of \($0.versions.map { ($0.frames, $0.pages) })" }
      .joined(separator: "; ")
  }
}
