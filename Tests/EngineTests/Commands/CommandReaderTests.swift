import Testing

@testable import Engine

@Suite struct CommandReaderTests {
  @Test func `yields a command without a time at once, and a timed one on its frame`() {
    let queue = CommandQueue(capacity: 16)
    _ = queue.submit([Command(.sync(0), at: 200)])
    _ = queue.submit([Command(.sync(1))])
    var reader = CommandReader()
    reader.startBlock(frames: 64)
    let now = reader.nextReceived(from: queue, at: 100)
    #expect(now?.number == 1 && now?.wasTimed == false && now?.isLate == false)
    let nothing = reader.nextReceived(from: queue, at: 100)
    let early = reader.nextDue(by: 199, at: 164)
    #expect(nothing?.number == nil && early?.number == nil)
    let due = reader.nextDue(by: 200, at: 200)
    #expect(due?.number == 0 && due?.wasTimed == true && due?.isLate == false)
  }

  @Test func `a command is late if its frame has passed`() {
    let queue = CommandQueue(capacity: 16)
    _ = queue.submit([Command(.sync(0), at: 99)])
    _ = queue.submit([Command(.sync(1), at: 120)])
    var reader = CommandReader()
    reader.startBlock(frames: 64)
    let received = reader.nextReceived(from: queue, at: 100)
    #expect(received?.number == 0 && received?.isLate == true)
    _ = reader.nextReceived(from: queue, at: 100)
    // An xrun skipped the block of its frame.
    let due = reader.nextDue(by: 164, at: 164)
    #expect(due?.number == 1 && due?.isLate == true)
  }

  @Test func `the rest of a batch that exceeds the budget of a block is late`() {
    let queue = CommandQueue(capacity: 4096)
    _ = queue.submit((0..<2000).map { Command(.sync(UInt32($0))) })
    var reader = CommandReader()
    var counts: [Int] = []
    var lates: [Int] = []
    for block in 0..<2 {
      reader.startBlock(frames: 64)
      var (count, late) = (0, 0)
      while let due = reader.nextReceived(from: queue, at: Int64(block * 64)) {
        count += 1
        if due.isLate { late += 1 }
      }
      counts.append(count)
      lates.append(late)
    }
    #expect(counts.reduce(0, +) == 2000 && counts[0] < 2000)
    #expect(lates == [0, counts[1]])
  }
}
