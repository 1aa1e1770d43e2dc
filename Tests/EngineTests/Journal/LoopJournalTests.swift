import Engine
import Foundation
import TestSupport
import Testing

/// What the audio thread tells of loops, on its way through memory.
@Suite struct LoopJournalTests {
  /// A page whose samples say which one it is.
  private func page(_ number: Int) -> [Float] {
    (0..<2 * LoopRecord.pageFrames).map { Float(number) + Float($0) / 2048 }
  }

  private func tell(_ number: Int, to pointer: LoopJournalPointer) -> Bool {
    page(number).withUnsafeBufferPointer {
      pointer.page(
        3, UInt32(number), index: number * 2, left: $0.baseAddress!,
        right: $0.baseAddress! + LoopRecord.pageFrames)
    }
  }

  private func drain(_ journal: LoopJournal) -> [(record: LoopRecord, floats: [Float])] {
    var all: [(LoopRecord, [Float])] = []
    while journal.take({ record, bytes in
      let floats = record.kind == .page ? Array(bytes.bindMemory(to: Float.self)) : []
      all.append((record, floats))
    }) {}
    return all
  }

  @Test func `each record comes as it was told, in its order`() {
    let journal = LoopJournal(pages: 8)
    let pointer = journal.pointer
    #expect(pointer.rate(96_000, telling: 7))
    #expect(pointer.begin(2, version: 5, like: 4))
    #expect(tell(9, to: pointer))
    #expect(pointer.hole(1, 5, index: 3, pages: 17))
    #expect(pointer.length(1, 5, frames: 1000, round: 999.5, layers: 3, clip: 12))
    let serials: [UInt32] = [5, 9, 4_000_000_000]
    #expect(pointer.history(1, place: 2, serials, count: 3))
    #expect(pointer.making(15, 6))
    #expect(pointer.adding(2, 8))
    #expect(pointer.phase(4, isPlaying: true, beginning: -77))
    var history: [UInt32] = []
    var records: [LoopRecord] = []
    var sound: [Float] = []
    while journal.take({ record, bytes in
      records.append(record)
      if record.kind == .page { sound = Array(bytes.bindMemory(to: Float.self)) }
      if record.kind == .history { history = Array(bytes.bindMemory(to: UInt32.self)) }
    }) {}
    #expect(
      records.map(\.kind)
        == [.rate, .begin, .page, .hole, .length, .history, .making, .adding, .phase])
    #expect(records.map(\.slot) == [0, 2, 3, 1, 1, 1, 15, 2, 4])
    #expect(records[0].frames == 96_000 && records[0].other == 7)
    #expect(records[1].serial == 5 && records[1].other == 4)
    #expect(records[2].serial == 9 && records[2].other == 18 && sound == page(9))
    #expect(records[3].other == 3 && records[3].frames == 17)
    #expect(records[4].frames == 1000 && records[4].round == 999.5)
    #expect(records[4].layers == 3 && records[4].clip == 12)
    #expect(history == serials && records[5].other == 2)
    #expect(records[6].serial == 6)
    #expect(records[7].serial == 8 && records[7].other == .max)
    #expect(records[8].count == 1 && records[8].frames == -77)
  }

  @Test func `what finds no room is refused, and all else is as it was told`() {
    let journal = LoopJournal(pages: 4)
    let pointer = journal.pointer
    #expect(pointer.room == 4)
    for number in 0..<4 { #expect(tell(number, to: pointer)) }
    #expect(pointer.room == 0 && !tell(4, to: pointer))
    #expect(!pointer.history(0, place: 0, [1], count: 1))
    // Records without a page have room of their own, which ends as well.
    var records = 0
    while pointer.making(0, 1) { records += 1 }
    #expect(records == 12 && !pointer.begin(0, version: 1, like: 0))
    let first = drain(journal)
    #expect(first.count == 16)
    for number in 0..<4 { #expect(first[number].floats == page(number)) }
    // Round and round.
    for number in 10..<40 {
      #expect(tell(number, to: pointer))
      #expect(drain(journal).map(\.floats) == [page(number)])
    }
    #expect(pointer.room == 4)
  }

  @Test(.timeLimit(.minutes(10)))
  func `two threads pass a hundred thousand records without losing any`() {
    let journal = LoopJournal(pages: 16)
    let pointer = journal.pointer
    let count = 100_000
    let done = DispatchSemaphore(value: 0)
    let teller = Thread {
      let sound = [Float](repeating: 0, count: 2 * LoopRecord.pageFrames)
      sound.withUnsafeBufferPointer { sound in
        let left = sound.baseAddress!
        for number in 0..<count {
          // Whoever has no room tries again, as the engine does with its next block.
          while !(number % 4 == 0
            ? pointer.page(
              0, UInt32(number), index: number, left: left, right: left + LoopRecord.pageFrames)
            : pointer.making(0, UInt32(number)))
          { sched_yield() }
        }
      }
      done.signal()
    }
    teller.start()
    var next: UInt32 = 0
    var isInOrder = true
    while next < count {
      let came = journal.take { record, bytes in
        isInOrder =
          isInOrder && record.serial == next
          && bytes.count == (next % 4 == 0 ? LoopRecord.pageBytes : 0)
        next += 1
      }
      if !came { sched_yield() }
    }
    done.wait()
    #expect(isInOrder && next == count)
  }

  @Test func `a telling that is wanted is known on both sides`() {
    let journal = LoopJournal(pages: 4)
    #expect(journal.wanted == 0)
    journal.want(3)
    #expect(journal.wanted == 3)
  }
}
