import Control
import OSC
import TestSupport
import Testing

/// The addresses of the feedback suppressor.
@Suite struct HowlingGuardTests {
  private let desk = Desk()

  @Test func `the suppressor is initially off, and holds for a minute`() {
    #expect(desk.tell("/guard/on") == [Received("/guard/on", [.int32(0)])])
    #expect(desk.tell("/guard/hold") == [Received("/guard/hold", [.float(60)])])
    #expect(desk.tell("/guard/notches") == [Received("/guard/notches", [])])
  }
}
