import Testing

@testable import Control

@Suite struct SpeechQueueTests {
  private var queue = SpeechQueue()

  @Test mutating func `the newest phrase of each subject is spoken, all in one`() {
    queue.add("loop 1 recording", about: .loops)
    queue.add("scene verse", about: .scene)
    queue.add("loop 1 playing", about: .loops)
    let next = queue.next()
    #expect(next?.text == "scene verse. loop 1 playing")
    #expect(next?.subjects == [.scene, .loops])
    #expect(queue.next() == nil && queue.isEmpty)
  }

  @Test mutating func `an answer replaces waiting phrases, and each fault is spoken once`() {
    queue.add("loop 1 recording", about: .loops)
    queue.add("loop 2, empty", about: .answer)
    queue.add("the disk is full", about: .fault)
    queue.add("the disk is full", about: .fault)
    queue.add("there are no scenes", about: .fault)
    #expect(queue.next()?.text == "loop 2, empty. the disk is full. there are no scenes")
    queue.add("the disk is full", about: .fault)
    queue.add("loop 3, empty", about: .answer)
    #expect(queue.next()?.text == "the disk is full. loop 3, empty")
  }
}
