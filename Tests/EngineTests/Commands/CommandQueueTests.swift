import Foundation
import Synchronization
import Testing

@testable import Engine

@Suite struct CommandQueueTests {
  private func token(_ command: Command?) -> UInt32? {
    if case .sync(let token)? = command?.action { token } else { nil }
  }

  @Test func `yields commands in order, also where it wraps around`() {
    let queue = CommandQueue(capacity: 8)
    for number in 0..<100 {
      #expect(queue.submit([Command(.sync(UInt32(number)))]) == UInt64(number))
      #expect(token(queue.command(number: UInt64(number))) == UInt32(number))
      #expect(queue.command(number: UInt64(number) + 1) == nil)
      queue.returnCredits(1)
    }
  }

  @Test func `accepts a batch completely or not at all`() {
    let queue = CommandQueue(capacity: 8)
    #expect(queue.submit(Array(repeating: Command(.sync(1)), count: 6)) == 0)
    #expect(queue.submit(Array(repeating: Command(.sync(2)), count: 3)) == nil)
    #expect(queue.command(number: 6) == nil)
    #expect(queue.submit(Array(repeating: Command(.sync(3)), count: 2)) == 6)
    #expect(queue.free == 0)
    queue.returnCredits(8)
    #expect(queue.free == 8)
  }

  @Test func `reports how much of its batch follows each command`() {
    let queue = CommandQueue(capacity: 8)
    _ = queue.submit(Array(repeating: Command(.sync(0)), count: 3))
    #expect((0..<3).map { queue.command(number: $0)!.following } == [2, 1, 0])
  }

  private final class Rig: Sendable {
    let queue = CommandQueue(capacity: 256)
    let writersLeft: Atomic<Int>
    init(writers: Int) { writersLeft = Atomic(writers) }
  }

  @Test func `many threads write, and every batch arrives complete and in its writer's order`() {
    let writers = 4
    let batches = 5000
    let rig = Rig(writers: writers)
    for writer in 0..<writers {
      Thread.detachNewThread {
        for batch in 0..<batches {
          // Batches of 1 to 5 commands. Each command contains its writer, its batch and its index.
          let size = 1 + batch % 5
          let commands = (0..<size).map { place in
            Command(.sync(UInt32(writer << 28 | batch << 8 | place)))
          }
          while rig.queue.submit(commands) == nil { usleep(1) }
        }
        rig.writersLeft.subtract(1, ordering: .releasing)
      }
    }
    var next: UInt64 = 0
    var nextBatch = [Int](repeating: 0, count: writers)
    var expectedPlace = 0
    var faults = 0
    while true {
      let isLast = rig.writersLeft.load(ordering: .acquiring) == 0
      guard let command = rig.queue.command(number: next) else {
        if isLast { break }
        continue
      }
      let value = Int(token(command)!)
      let (writer, batch, place) = (value >> 28, value >> 8 & 0xFFFFF, value & 0xFF)
      if place != expectedPlace || batch != nextBatch[writer] { faults += 1 }
      // When the first command of a batch is visible, all of it is.
      if place == 0 {
        for ahead in 0...UInt64(command.following)
        where rig.queue.command(number: next + ahead) == nil {
          faults += 1
        }
      }
      if command.following == 0 {
        nextBatch[writer] += 1
        expectedPlace = 0
      } else {
        expectedPlace += 1
      }
      next += 1
      rig.queue.returnCredits(1)
    }
    #expect(faults == 0)
    #expect(nextBatch.allSatisfy { $0 == batches })
  }
}
