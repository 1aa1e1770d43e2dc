import Foundation
import TestSupport
import Testing

@testable import Feed

/// The worker threads of a board.
@Suite struct WorkersTests {
  @Test func `the queue is limited, and accepted work is done`() throws {
    let workers = Workers("test", threads: 2, heavy: 1, waiting: 4)
    let gate = DispatchSemaphore(value: 0)
    let done = Collected<Int>()
    for number in 0..<2 {
      #expect(
        workers.leave(.light) {
          gate.wait()
          done.add(number)
        })
    }
    // Both threads have taken work by now, or will.
    try waitUntil("all workers are busy") { workers.waiting == 0 }
    let taken = (2..<10).filter { number in workers.leave(.light) { done.add(number) } }
    #expect(taken.count == 4)
    #expect(workers.leave(.heavy, goesOn: true) { done.add(99) })
    gate.signal()
    gate.signal()
    workers.close()
    #expect(Set(done.all) == Set([0, 1, 99] + taken))
    #expect(!workers.leave(.light) {})
  }

  @Test func `few heavy jobs run in parallel, and light ones run next to them`() throws {
    let workers = Workers("test", threads: 8, heavy: 2, waiting: 100)
    let (gate, light) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let begun = Collected<Int>()
    for number in 0..<6 {
      _ = workers.leave(.heavy) {
        begun.add(number)
        gate.wait()
      }
    }
    try waitUntil("two jobs have started") { begun.all.count == 2 }
    _ = workers.leave(.light) { light.signal() }
    light.wait()
    #expect(begun.all.count == 2)
    for _ in 0..<6 { gate.signal() }
    workers.close()
    #expect(begun.all.count == 6)
  }
}
