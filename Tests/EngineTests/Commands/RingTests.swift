import Foundation
import Testing

@testable import Engine

@Suite struct RingTests {
  @Test func `yields events in order, and reports when it is full`() {
    let queue = Ring(capacity: 4, filler: Event(kind: .faded, command: 0, wasTimed: false))
    for round in 0..<10 {
      for number in 0..<4 {
        #expect(
          queue.push(Event(kind: .synced(0), command: UInt64(round * 4 + number), wasTimed: false))
            == true)
      }
      #expect(queue.push(Event(kind: .faded, command: 0, wasTimed: false)) == false)
      for number in 0..<4 { #expect(queue.pop()?.command == UInt64(round * 4 + number)) }
      #expect(queue.pop() == nil)
    }
  }

  private final class Rig: Sendable {
    let queue = Ring(capacity: 64, filler: Event(kind: .faded, command: 0, wasTimed: false))
  }

  @Test func `one thread writes, another reads, nothing is lost`() {
    let rig = Rig()
    let count: UInt64 = 200_000
    Thread.detachNewThread {
      for number in 0..<count {
        while !rig.queue.push(
          Event(kind: .synced(UInt32(number)), command: number, wasTimed: false))
        {}
      }
    }
    var next: UInt64 = 0
    var faults = 0
    while next < count {
      guard let event = rig.queue.pop() else { continue }
      if event.command != next { faults += 1 }
      next += 1
    }
    #expect(faults == 0)
  }
}
