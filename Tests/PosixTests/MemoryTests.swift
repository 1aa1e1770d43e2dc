import Foundation
import Posix
import Testing

@Suite struct MemoryTests {
  @Test func `the available memory is known, and no more than there is`() {
    let available = Memory.available
    #expect(available > 1 << 20)
    #expect(UInt64(available) <= ProcessInfo.processInfo.physicalMemory)
  }
}
