import Synchronization
import Testing

@testable import Drivers

@Suite final class BlockLogTests {
  private let log = BlockLog()

  private func note(_ frames: Range<UInt32>) {
    for frame in frames { log.note(BlockTiming(frame: frame)) }
  }

  @Test func `buffers come out in order`() {
    #expect(log.next() == nil)
    note(0..<3)
    #expect((0..<3).map { _ in log.next()?.frame } == [0, 1, 2])
    #expect(log.next() == nil)
  }

  @Test func `a full log drops the new ones, and goes on when it is read`() {
    note(0..<5000)
    var last: UInt32?
    var count = 0
    while let timing = log.next() {
      last = timing.frame
      count += 1
    }
    #expect(count == 4096 && last == 4095)
    note(7000..<7001)
    #expect(log.next()?.frame == 7000)
  }

  @Test func `the longest delay counts once, and one that JACK repeats doesn't`() {
    for delay: Float in [300, 900, 200] { log.noteXrun(microseconds: delay) }
    #expect(log.takeDelay() == 900 && log.takeDelay() == 0)
    log.noteXrun(microseconds: 200)
    #expect(log.takeDelay() == 0)
    log.noteXrun(microseconds: .nan)
    #expect(log.takeDelay() == 0 && log.xruns.load(ordering: .relaxed) == 5)
  }
}
