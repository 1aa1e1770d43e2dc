import Foundation
import OSC
import TestSupport
import Testing

/// The included layout on a simulated phone, with messages from the test instead of a node.
@Suite struct ShippedSurfaceTests {
  private let phone: TouchPhone
  private let node: Phone

  init() throws {
    let file = Project.file("Presets/touchosc/syrinx-phone.tosc")
    // The port of discard: nothing listens.
    phone = try TouchPhone(node: 9) { _ in file.path }
    node = try Phone(port: phone.port)
  }

  private func control(_ path: String) throws -> TouchControl {
    var found = [phone.root]
    for name in path.split(separator: "/") {
      found = found.flatMap { $0.children.filter { $0.name == String(name) } }
    }
    return try #require(found.first, "\(path)")
  }

  private func count(_ address: String) -> Int { phone.sent.count { $0.address == address } }

  private func levels() {
    let levels = Array(repeating: Argument.float(-20), count: 11)
    node.send(bytes: [UInt8](address: "/meter", levels))
  }

  @Test func `levels prove a subscription, replies don't`() throws {
    let (lamp, status) = (try control("bar/lamp"), try control("bar/status"))
    // Its first ping.
    #expect(try phone.wait { count("/ping") == 1 })
    node.send("/pong", .int32(0), .string("syrinx"), .string("1.0"), .int32(7))
    #expect(try phone.wait { phone.received.contains { $0.address == "/pong" } })
    #expect(status.text == "not connected" && lamp.color[0] > lamp.color[1])
    levels()
    #expect(try phone.wait { status.text == "syrinx 1.0" })
    #expect(lamp.color[0] < lamp.color[1])
  }

  @Test func `a lost cell is queried, at most three times`() throws {
    func tell(without lost: Int) {
      node.send("/grid/layout", .int32(3), .int32(4))
      // The last row has a single one.
      for cell in 0..<9 where cell != lost {
        node.send(
          "/grid/cell", .int32(Int32(cell / 4 + 1)), .int32(Int32(cell % 4 + 1)), .string("A"),
          .int32(60))
      }
    }
    tell(without: -1)
    try phone.run(seconds: 0.6)
    #expect(count("/grid/layout") == 0)
    for asked in [1, 2, 3, 3] {
      tell(without: 2)
      try phone.run(seconds: 0.6)
      #expect(count("/grid/layout") == asked)
    }
    // A complete layout ends the queries, and the next gap is counted separately.
    tell(without: -1)
    try phone.run(seconds: 0.6)
    tell(without: 8)
    #expect(try phone.wait { count("/grid/layout") == 4 })
    #expect(phone.faults.isEmpty, "\(phone.faults)")
  }

  @Test func `a cell hidden under a finger is released, and its note ends`() throws {
    func tell() {
      node.send("/grid/layout", .int32(1), .int32(1))
      node.send("/grid/cell", .int32(1), .int32(1), .string("A"), .int32(60))
    }
    tell()
    let pages = try control("pages").children.map(\.name)
    let tab = try #require(pages.firstIndex(of: "Grid")) + 1
    try phone.tap(try control("tabs/tab-\(tab)"))
    let cell = try control("pages/Grid/cells/cell 1 1")
    #expect(try phone.wait { phone.canTouch(cell) })
    let finger = try phone.touch(cell)
    tell()
    #expect(try phone.wait { phone.sent.last == Received("/grid/1/1", [.float(0)]) })
    #expect(cell.x == 0)
    try finger.lift()
    #expect(phone.sent.count { $0.address == "/grid/1/1" } == 2)
  }

  @Test func `refused takes are not queried repeatedly`() throws {
    node.send("/takes/total", .int32(3))
    #expect(try phone.wait { count("/takes") == 1 })
    node.send("/error", .string("/takes"), .string("state"), .string("no takes"))
    // Without a reply it would query again after two seconds.
    for _ in 1...30 {
      levels()
      try phone.run(seconds: 0.1)
    }
    #expect(count("/takes") == 1)
    node.send("/takes/total", .int32(4))
    #expect(try phone.wait { count("/takes") == 2 })
    for _ in 1...30 where count("/takes") == 2 {
      levels()
      try phone.run(seconds: 0.1)
    }
    #expect(count("/takes") == 3)
  }

  @Test func `an exponential fader sends touches, and not received values`() throws {
    let fader = try control("pages/Voice/rate/fader")
    node.send("/stretch/rate", .float(2))
    #expect(try phone.wait { fader.x > 0 })
    #expect(phone.sent.allSatisfy { $0.address != "/stretch/rate" })
    let place = fader.x
    let finger = try phone.touch(fader, at: fader.point(0.25, 0.5))
    let sent = try #require(phone.sent.last { $0.address == "/stretch/rate" })
    #expect(sent.arguments.count == 1)
    // Messages during a touch change nothing.
    node.send("/stretch/rate", .float(3))
    try phone.run(seconds: 0.2)
    #expect(abs(fader.x - 0.25) < 1e-6)
    // A touch at the received position is sent, too.
    phone.forget()
    try finger.move(to: fader.point(place, 0.5))
    #expect(phone.sent.map(\.address) == ["/stretch/rate"])
    try finger.lift()
  }
}
