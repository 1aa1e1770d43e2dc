import Control
import OSC
import Posix
import TestSupport
import Testing

/// The live input, held off the mix by clients.
@Suite struct LiveHoldsTests {
  private let desk = Desk()
  private let phone = Desk.client(9000, host: "192.0.2.7")
  private let tablet = Desk.client(9001, host: "192.0.2.8")

  init() { desk.tell("/live/route", .string("direct")) }

  /// The level of the live input in the mix, after all fades.
  private var heard: Float {
    let tone = Tone.sine(500, frames: 9600)
    _ = desk.play(tone)
    let output = desk.play(tone)
    // The stem is not affected.
    #expect(Measure.peak(output.live) > 0.4)
    return Measure.peak(output.left)
  }

  private func hold(_ isOn: Int32, as client: Client) {
    #expect(desk.tell("/live/off", .int32(isOn), as: client).isEmpty)
  }

  private var value: Argument? { desk.tell("/live/off").first?.arguments.first }

  @Test func `the live input is not heard while a client holds it off, and its route stays`() {
    #expect(heard > 0.4)
    hold(1, as: phone)
    #expect(heard == 0)
    #expect(value == .int32(1))
    #expect(desk.tell("/live/route") == [Received("/live/route", [.string("direct")])])
    // Another route is followed as soon as the hold ends.
    desk.tell("/live/route", .string("off"))
    desk.tell("/live/route", .string("direct"))
    #expect(heard == 0)
    hold(0, as: phone)
    #expect(heard > 0.4)
    #expect(value == .int32(0))
  }

  @Test func `each client ends its own hold only`() {
    hold(1, as: phone)
    hold(1, as: phone)
    hold(1, as: tablet)
    hold(0, as: phone)
    #expect(heard == 0)
    #expect(value == .int32(1))
    hold(0, as: Desk.client(9002, host: "192.0.2.9"))
    #expect(value == .int32(1))
    hold(0, as: tablet)
    #expect(heard > 0.4)
  }

  @Test func `a connection that ends gives the live input back, unless it is back within a second`()
  {
    let page = Client(
      endpoint: Endpoint(address: IPAddress("192.0.2.7")!, port: 9000),
      transport: .stream(connection: 3))
    hold(1, as: page)
    #expect(heard == 0)
    desk.node.forget(phone)
    #expect(heard == 0)
    desk.node.forget(page)
    #expect(heard == 0)
    desk.pass(seconds: 1.6)
    desk.pass()
    #expect(heard > 0.4)
    // A page that is loaded again comes back on another connection.
    hold(1, as: page)
    desk.node.forget(page)
    desk.pass(seconds: 1)
    let again = Client(
      endpoint: Endpoint(address: IPAddress("192.0.2.7")!, port: 9001),
      transport: .stream(connection: 4))
    hold(1, as: again)
    desk.pass(seconds: 5)
    desk.pass()
    #expect(heard == 0)
  }

  @Test func `a silent client gives it back after a minute, and any message renews it`() {
    hold(1, as: phone)
    hold(1, as: tablet)
    for _ in 0..<3 {
      desk.pass(seconds: 30)
      desk.tell("/ping", as: phone)
      desk.node.renewLease(of: tablet)
    }
    #expect(heard == 0)
    desk.pass(seconds: 31)
    desk.tell("/ping", as: phone)
    desk.pass(seconds: 31)
    #expect(value == .int32(1))
    desk.pass(seconds: 31)
    #expect(value == .int32(0))
    #expect(heard > 0.4)
  }

  @Test func `clients without a subscription on the same host share their hold`() {
    // As `syrinx send` twice.
    hold(1, as: Desk.client(9001))
    hold(0, as: Desk.client(9002))
    #expect(heard > 0.4)
    // A subscriber's is its own.
    desk.tell("/subscribe", .string("/live/off"), as: Desk.client(9003))
    hold(1, as: Desk.client(9003))
    hold(0, as: Desk.client(9002))
    #expect(heard == 0)
    desk.node.forget(Desk.client(9003))
    desk.pass(seconds: 1.6)
    desk.pass()
    #expect(heard > 0.4)
  }

  @Test func `a hold of the node itself stays until the node ends it`() throws {
    try desk.node.set("/live/off=1")
    desk.pass(seconds: 61)
    hold(0, as: phone)
    #expect(heard == 0)
    try desk.node.set("/live/off=0")
    #expect(heard > 0.4)
  }

  @Test func `subscribers receive changes, and forged senders can't fill the memory`() {
    desk.tell("/subscribe", .string("/live/off"))
    _ = desk.take()
    for port in 0..<64 { hold(1, as: Desk.client(UInt16(10_000 + port), host: "192.0.2.7")) }
    desk.pass()
    #expect(desk.take() == [Received("/live/off", [.int32(1)])])
    let one = Desk.client(20_000, host: "192.0.2.7")
    #expect(desk.tell("/live/off", .int32(1), as: one).first?.arguments[1] == .string("busy"))
    desk.pass(seconds: 61)
    desk.pass()
    desk.pass()
    #expect(heard > 0.4)
  }

  @Test func `a refused packet changes no hold`() {
    hold(1, as: phone)
    // More changes than a bundle may have.
    let changes = (0..<5000).map { _ in [UInt8](address: "/live/gain", [.float(0)]) }
    let end = [UInt8](address: "/live/off", [.int32(0)])
    let told = desk.give([UInt8](bundle: [end] + changes, at: .immediately), as: phone)
    #expect(told.contains { $0.address == "/error" })
    desk.pass()
    hold(1, as: tablet)
    hold(0, as: tablet)
    #expect(heard == 0)
  }
}
