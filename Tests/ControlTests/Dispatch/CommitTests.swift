import Control
import Engine
import Foundation
import OSC
import TestSupport
import Testing

/// A refused packet leaves nothing but its replies.
@Suite struct CommitTests {
  private func message(_ address: String, _ arguments: Argument...) -> [UInt8] {
    [UInt8](address: address, arguments)
  }

  /// A bundle of these messages and more changes than it can hold.
  private func tooLarge(_ messages: [UInt8]...) -> [UInt8] {
    let filling = Array(
      repeating: message("/mute", .int32(0)), count: CommandQueue.largestBatch + 1)
    return [UInt8](bundle: messages + filling, at: .immediately)
  }

  private func errors(_ received: [Received]) -> [String] {
    received.filter { $0.address == "/error" }.compactMap { $0.arguments[1].text }
  }

  /// A node with the persisted settings of a data directory.
  private func started(in home: String) -> Desk {
    let desk = Desk(home: home)
    desk.node[Takes.self].open { _ in }
    desk.awaitDisk()
    return desk
  }

  @Test func `a refused bundle leaves grid, replies and updates unchanged`() {
    let desk = Desk()
    let phone = Desk.client(9001)
    desk.tell("/subscribe", .string("/grid/octaves"), as: phone)
    desk.pass()
    _ = desk.take(phone)
    let layout = desk.tell("/grid/layout")
    #expect(errors(desk.give(tooLarge(message("/grid/octaves", .int32(5))))) == ["busy"])
    desk.pass(frames: 9600)
    #expect(desk.tell("/grid/octaves") == [Received("/grid/octaves", [.int32(0)])])
    #expect(desk.tell("/grid/layout") == layout)
    #expect(desk.take(phone).isEmpty)
  }

  @Test(arguments: [
    ("/grid/octaves", Argument.int32(5)), ("/grid/root", .string("E")),
    ("/grid/scale", .string("blues")), ("/grid/size", .string("large")),
    ("/grid/order", .string("random")), ("/grid/seed", .int32(7)), ("/grid/names", .int32(0)),
    ("/grid/reference", .float(432)), ("/piano/octave", .int32(2)),
    ("/settings/autoplay", .int32(1)),
  ])
  func `a refused bundle persists no setting`(path: String, value: Argument)
    throws
  {
    let folder = try TemporaryFolder()
    let before: [Received]
    do {
      let desk = started(in: folder.url.path)
      before = desk.tell(path)
      let state = desk.node.keeper.sessionState
      #expect(errors(desk.give(tooLarge(message(path, value)))) == ["busy"])
      desk.awaitDisk()
      #expect(desk.node.keeper.sessionState == state)
    }
    #expect(started(in: folder.url.path).tell(path) == before)
  }

  @Test func `a refused bundle creates no scale`() throws {
    let folder = try TemporaryFolder()
    do {
      let desk = started(in: folder.url.path)
      let scale = message("/scale/user", .string("mine"), .int32(0), .int32(3), .int32(7))
      #expect(errors(desk.give(tooLarge(scale))) == ["busy"])
      desk.awaitDisk()
      #expect(desk.tell("/scales").first?.arguments.contains(.string("mine")) == false)
    }
    let scales = started(in: folder.url.path).tell("/scales").first?.arguments
    #expect(scales?.contains(.string("mine")) == false)
  }

  @Test func `queries in a refused bundle are answered with the current values`() {
    let desk = Desk()
    let told = desk.give(
      tooLarge(
        message("/ping", .int32(3)), message("/grid/octaves", .int32(5)),
        message("/grid/octaves"), message("/live/gain"), message("/settings/autoplay")))
    #expect(errors(told) == ["busy"])
    #expect(
      told.filter { $0.address != "/error" && $0.address != "/pong" } == [
        Received("/grid/octaves", [.int32(0)]), Received("/live/gain", [.float(0)]),
        Received("/settings/autoplay", [.int32(0)]),
      ])
    #expect(told.first { $0.address == "/pong" }?.arguments[0] == .int32(3))
  }

  @Test func `a refused bundle neither records nor persists a setting next to it`() throws {
    let folder = try TemporaryFolder()
    let desk = started(in: folder.url.path)
    let told = desk.give(
      tooLarge(message("/player/record"), message("/settings/autoplay", .int32(1))))
    #expect(errors(told) == ["busy"])
    desk.awaitDisk()
    desk.pass()
    #expect(desk.tell("/player/state").first?.arguments.first == .string("start"))
    #expect(desk.tell("/settings/autoplay") == [Received("/settings/autoplay", [.int32(0)])])
  }

  @Test func `a refused bundle has no effect on the control side`() {
    let desk = Desk()
    let phone = Desk.client(9001)
    let told = desk.give(
      tooLarge(
        message("/midi/learn", .string("/echo/mix"), .int32(20)),
        message("/location", .float(50), .float(8)), message("/quit")),
      as: phone)
    #expect(errors(told) == ["busy"])
    #expect(told.count == 1)
    #expect(desk.tell("/midi/bindings") == [Received("/midi/bindings/end", [.int32(0)])])
    #expect(!desk.node.isQuitting)
  }
}
