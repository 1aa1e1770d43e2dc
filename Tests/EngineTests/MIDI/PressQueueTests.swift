import Foundation
import Testing

@testable import Engine

@Suite struct PressQueueTests {
  private static func news(_ number: UInt64, after events: UInt64 = 0) -> PressNews {
    PressNews(
      .answered(binding: UInt16(truncatingIfNeeded: number), .done), frame: Int64(number),
      eventsBefore: events)
  }

  @Test func `yields events in order, and counts those lost for lack of room`() {
    let queue = PressQueue()
    for round in 0..<3 {
      for number in 0..<1024 {
        let hasRoom = queue.hasRoom
        #expect(hasRoom)
        queue.push(Self.news(UInt64(round * 1024 + number)))
      }
      queue.push(Self.news(0))
      let lost = queue.lostCount
      #expect(lost == UInt64(round + 1))
      for number in 0..<1024 {
        let frame = queue.pop(behind: 0)?.frame
        #expect(frame == Int64(round * 1024 + number))
      }
      let rest = queue.pop(behind: 0)?.frame
      #expect(rest == nil)
    }
  }

  @Test func `press events after a command event wait until that has been read`() {
    let queue = PressQueue()
    queue.push(Self.news(1, after: 3))
    let (early, later) = (queue.pop(behind: 2)?.frame, queue.pop(behind: 3)?.frame)
    #expect(early == nil && later == 1)
  }

  private final class Rig: Sendable {
    let queue = PressQueue()
  }

  @Test func `one thread writes, another reads, nothing is lost`() {
    let rig = Rig()
    let count: UInt64 = 200_000
    Thread.detachNewThread {
      for number in 0..<count {
        while !rig.queue.hasRoom {}
        rig.queue.push(Self.news(number))
      }
    }
    var next: UInt64 = 0
    var faults = 0
    while next < count {
      guard let news = rig.queue.pop(behind: 0) else { continue }
      if news.frame != Int64(next) { faults += 1 }
      next += 1
    }
    let lost = rig.queue.lostCount
    #expect(faults == 0 && lost == 0)
  }
}
