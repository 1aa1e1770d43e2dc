import DSP
import Engine
import Foundation
import TestSupport
import Testing

/// The ring of records between the audio thread and the journal's writer.
@Suite struct LoopJournalTests {
  /// The audio thread's end of a journal, with pages whose samples identify them.
  private final class Sender {
    private var inlet: JournalInlet
    private let samples: UnsafeMutablePointer<Float>

    init(_ journal: LoopJournal, pages: Int) {
      inlet = JournalInlet(journal)
      let count = 2 * LoopRecord.pageFrames
      samples = .allocate(capacity: pages * count)
      for number in 0..<pages {
        for index in 0..<count { samples[number * count + index] = Self.sample(number, index) }
      }
    }

    deinit { samples.deallocate() }

    private static func sample(_ number: Int, _ index: Int) -> Float {
      Float(number) + Float(index) / 2048
    }

    static func page(_ number: Int) -> [Float] {
      (0..<2 * LoopRecord.pageFrames).map { sample(number, $0) }
    }

    var room: Int { inlet.room }
    var pageRoom: Int { inlet.pageRoom }

    func release(most: Int) { inlet.release(most: most) }
    func write(_ record: LoopRecord) -> Bool { inlet.write(record) }

    func writePage(_ number: Int) -> Bool {
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
    let sender = Sender(journal, pages: 10)
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
    for record in written { #expect(sender.write(record)) }
    #expect(sender.writePage(9))
    let serials: [UInt32] = [5, 9, 4_000_000_000]
    for serial in serials {
      #expect(sender.write(LoopRecord(.history, slot: 1, count: 3, serial: serial, other: 2)))
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
    #expect(records[7].serial == 9 && records[7].other == 18 && sound == Sender.page(9))
    #expect(history == serials && records[8].other == 2 && records[8].serial == 0)
    #expect(sender.room == 32 - 11)
  }

  @Test func `a full journal refuses records, and keeps those it has`() {
    let journal = LoopJournal(pages: 4)
    let sender = Sender(journal, pages: 40)
    #expect(sender.pageRoom == 4)
    for number in 0..<4 { #expect(sender.writePage(number)) }
    #expect(sender.pageRoom == 0 && !sender.writePage(4))
    // Records without a page have more room, which ends as well.
    var records = 0
    while sender.write(LoopRecord(.recording, serial: 1)) { records += 1 }
    #expect(records == 12)
    let first = drain(journal)
    #expect(first.count == 16)
    for number in 0..<4 { #expect(first[number].floats == Sender.page(number)) }
    #expect(sender.room == 0, "what was read is not released yet")
    sender.release(most: 5)
    #expect(sender.room == 5 && sender.pageRoom == 4)
    sender.release(most: 100)
    // Round and round.
    for number in 10..<40 {
      #expect(sender.writePage(number))
      #expect(drain(journal).map(\.floats) == [Sender.page(number)])
      sender.release(most: 1)
    }
    #expect(sender.pageRoom == 4 && sender.room == 16)
  }

  @Test func `two threads pass a hundred thousand records without losing any`() {
    let journal = LoopJournal(pages: 16)
    let count = 100_000
    let done = DispatchSemaphore(value: 0)
    let writer = Thread {
      let sender = Sender(journal, pages: 4)
      for number in 0..<count {
        // A full ring is tried again, as the engine does in its next block.
        while !(number % 4 == 0
          ? sender.writePage(number / 4 % 4)
          : sender.write(LoopRecord(.recording, serial: UInt32(number))))
        {
          sched_yield()
          sender.release(most: 3)
        }
      }
      // The pages stay until they are read.
      while sender.pageRoom < 16 { sender.release(most: 3) }
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
