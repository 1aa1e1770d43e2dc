import Control
import Dropouts
import OSC
import Posix
import TestSupport
import Testing

/// The warnings about the machine, as reported to clients.
@Suite struct WarningsTests {
  private let desk = Desk()
  private let state = Guarded(MachineState())
  private let said = Guarded<[String]>([])

  private func begin() {
    desk.node[Warnings.self].begin({ [state] in state.withLock { $0 } }) { [said] text in
      said.withLock { $0.append(text) }
    }
  }

  private func awaitWarnings(_ count: Int32) {
    desk.pass(until: "\(count) warnings are listed", seconds: 1) {
      desk.tell("/status/warnings").last == Received("/warnings/end", [.int32(count)])
    }
  }

  @Test func `a node that doesn't watch its machine has no warnings`() {
    desk.pass(seconds: 10)
    #expect(desk.tell("/status/warnings") == [Received("/warnings/end", [.int32(0)])])
  }

  @Test func `a warning is announced and logged once, and its end is announced`() throws {
    begin()
    let phone = Desk.client(9001)
    desk.tell("/subscribe", .string("/warning"), as: phone)
    desk.pass(seconds: 10)
    #expect(desk.take(phone).isEmpty)
    state.withLock { $0.governor = "powersave" }
    awaitWarnings(1)
    // A client that is silent for a minute is dropped.
    for _ in 0..<2 { desk.pass(seconds: 10) }
    let text = try #require(said.withLock { $0 }.first)
    #expect(text.contains("powersave") && said.withLock { $0.count } == 1)
    let row = Received("/warning", [.string("governor"), .string(text)])
    state.withLock { $0.governor = nil }
    awaitWarnings(0)
    #expect(
      desk.take(phone) == [row, Received("/warning", [.string("governor"), .string("")])])
  }

  @Test func `a new subscriber receives the present warnings`() {
    begin()
    state.withLock { $0.isUndervolted = true }
    awaitWarnings(1)
    let other = Desk.client(9001)
    let received = desk.tell("/subscribe", .string("/warning"), as: other)
    #expect(received.map(\.address) == ["/warning"])
    #expect(received.first?.arguments.first == .string("voltage"))
  }
}
