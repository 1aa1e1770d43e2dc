import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// The ring of records between the audio thread and the journal's writer.
@Suite struct LoopJournalTests {
  /// Pages whose samples identify them, as an engine's pool has them.
  private final class Pages {
    private let samples: UnsafeMutablePointer<Float>

    init(_ count: Int) {
      samples = .allocate(capacity: count * 2 * LoopRecord.pageFrames)
      for number in 0..<count {
        for (index, sample) in page(number).enumerated() {
          samples[number * 2 * LoopRecord.pageFrames + index] = sample
        }
      }
    }

    deinit { samples.deallocate() }

    func page(_ number: Int) -> [Float] {
      (0..<2 * LoopRecord.pageFrames).map { Float(number) + Float($0) / 2048 }
    }

    func write(_ number: Int, to inlet: inout JournalInlet) -> Bool {
      inlet.write(
        LoopRecord(.page, slot: 3, serial: UInt32(number), other: 2 * number),
        page: Int32(number), samples + number * 2 * LoopRecord.pageFrames)
    }
  }

  private func drain(_ journal: LoopJournal) -> [(record: LoopRecord, floats: [Float])] {
    var all: [(LoopRecord, [Float])] = []
    while journal.next({ record, bytes in
      let floats = record.kind == .page ? Array(bytes.bindMemory(to: Float.self)) : []
      all.append((record, floats))
    }) {}
    return all
  }

  @Test func `records are read as they were written, in order`() {
    let journal = LoopJournal(pages: 8)
    var inlet = JournalInlet(journal)
    let pages = Pages(10)
    let written = [
      LoopRecord(.rate, other: 7, frames: 96_000),
      LoopRecord(.version, slot: 2, serial: 5, other: 4),
      LoopRecord(.hole, slot: 1, serial: 5, other: 3, frames: 17),
      LoopRecord(
        .length, slot: 1, serial: 5, layers: 3, frames: 1000, round: 999.5, clip: 12),
      LoopRecord(.recording, slot: 15, serial: 6),
      LoopRecord(.overdub, slot: 2, serial: 8, other: -1),
      LoopRecord(.phase, slot: 4, count: 1, frames: -77),
    ]
    for record in written { #expect(inlet.write(record)) }
    #expect(pages.write(9, to: &inlet))
    let serials: [UInt32] = [5, 9, 4_000_000_000]
    for serial in serials {
      #expect(inlet.write(LoopRecord(.history, slot: 1, count: 3, serial: serial, other: 2)))
    }
    var history: [UInt32] = []
    var records: [LoopRecord] = []
    var sound: [Float] = []
    while journal.next({ record, bytes in
      records.append(record)
      if record.kind == .page { sound = Array(bytes.bindMemory(to: Float.self)) }
      if record.kind == .history { history = Array(bytes.bindMemory(to: UInt32.self)) }
    }) {}
    #expect(
      records.map(\.kind)
        == [.rate, .version, .hole, .length, .recording, .overdub, .phase, .page, .history])
    #expect(records.map(\.slot) == [0, 2, 1, 1, 15, 2, 4, 3, 1])
    #expect(records[0].frames == 96_000 && records[0].other == 7)
    #expect(records[1].serial == 5 && records[1].other == 4)
    #expect(records[2].other == 3 && records[2].frames == 17)
    #expect(records[3].frames == 1000 && records[3].round == 999.5)
    #expect(records[3].layers == 3 && records[3].clip == 12)
    #expect(records[4].serial == 6)
    #expect(records[5].serial == 8 && records[5].other == .max)
    #expect(records[6].count == 1 && records[6].frames == -77)
    #expect(records[7].serial == 9 && records[7].other == 18 && sound == pages.page(9))
    #expect(history == serials && records[8].other == 2 && records[8].serial == 0)
  }

  @Test func `a full journal refuses records, and keeps those it has`() {
    let journal = LoopJournal(pages: 4)
    var inlet = JournalInlet(journal)
    let pages = Pages(40)
    #expect(inlet.pageRoom == 4)
    for number in 0..<4 { #expect(pages.write(number, to: &inlet)) }
    #expect(inlet.pageRoom == 0 && !pages.write(4, to: &inlet))
    // Records without a page have more room, which ends as well.
    var records = 0
    while inlet.write(LoopRecord(.recording, serial: 1)) { records += 1 }
    #expect(records == 12)
    let first = drain(journal)
    #expect(first.count == 16)
    for number in 0..<4 { #expect(first[number].floats == pages.page(number)) }
    #expect(inlet.room == 0, "what was read is not released yet")
    inlet.release(most: 5)
    #expect(inlet.room == 5 && inlet.pageRoom == 4)
    inlet.release(most: 100)
    // Round and round.
    for number in 10..<40 {
      #expect(pages.write(number, to: &inlet))
      #expect(drain(journal).map(\.floats) == [pages.page(number)])
      inlet.release(most: 1)
    }
    #expect(inlet.pageRoom == 4 && inlet.room == 16)
  }

  @Test(.timeLimit(.minutes(10)))
  func `two threads pass a hundred thousand records without losing any`() {
    let journal = LoopJournal(pages: 16)
    let count = 100_000
    let done = DispatchSemaphore(value: 0)
    let writer = Thread {
      var inlet = JournalInlet(journal)
      let pages = Pages(4)
      for number in 0..<count {
        // A full ring is tried again, as the engine does in its next block.
        while !(number % 4 == 0
          ? pages.write(number / 4 % 4, to: &inlet)
          : inlet.write(LoopRecord(.recording, serial: UInt32(number))))
        {
          sched_yield()
          inlet.release(most: 3)
        }
      }
      // The pages stay until they are read.
      while inlet.pageRoom < 16 { inlet.release(most: 3) }
      done.signal()
    }
    writer.start()
    var next = 0
    var isInOrder = true
    while next < count {
      let came = journal.next { record, bytes in
        if next % 4 == 0 {
          let number = next / 4 % 4
          isInOrder =
            isInOrder && record.serial == number && bytes.count == LoopRecord.pageBytes
            && bytes.loadUnaligned(as: Float.self) == Float(number)
        } else {
          isInOrder = isInOrder && record.serial == next && bytes.isEmpty
        }
        next += 1
      }
      if !came { sched_yield() }
    }
    done.wait()
    #expect(isInOrder && next == count)
  }

  @Test func `a requested snapshot is known on both sides`() {
    let journal = LoopJournal(pages: 4)
    #expect(journal.requestedSnapshot == 0)
    journal.request(snapshot: 3)
    #expect(journal.requestedSnapshot == 3)
  }
}
