import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The grid of the running node, played by a control surface.
  @Suite struct GridTests {
    private let server: JackServer
    private let node: NodeProcess
    private let phone: Phone

    init() throws { (server, node, phone) = try startNode() }

    private func message(_ address: String, _ arguments: Argument...) -> [UInt8] {
      [UInt8](address: address, arguments)
    }

    /// The layout and its cells, as a query returns them.
    private func layout(_ phone: Phone) throws -> (size: [Argument], cells: [[Argument]]) {
      phone.send("/grid/layout")
      phone.send("/sync", .int32(77))
      let told = phone.receive(untilOneOf: ["/synced"])
      let size = try #require(told.first { $0.address == "/grid/layout" }).arguments
      return (size, told.filter { $0.address == "/grid/cell" }.map(\.arguments))
    }

    /// Receives updates until a set of cells is lit, starting from the given ones.
    ///
    /// Returns whether it was reached.
    private func awaitLit(_ cells: Set<[Int]>, from before: Set<[Int]> = [], on watcher: Phone)
      -> Bool
    {
      let told = watcher.receive { lit($0, from: before) == cells }
      return lit(told, from: before) == cells
    }

    /// The lit cells, according to the updates.
    private func lit(_ told: [Received], from before: Set<[Int]> = []) -> Set<[Int]> {
      var lit = before
      for message in told where message.address == "/grid/lit" {
        let place = message.arguments[..<2].compactMap { $0.number.map { Int($0) } }
        if message.arguments[2] == .float(0) { lit.remove(place) } else { lit.insert(place) }
      }
      return lit
    }

    @Test(.hangLimit)
    func `E minor is laid out back and forth, and is sent again when it changes`() throws {
      let start = try layout(phone)
      #expect(start.size == [.int32(4), .int32(12)] && start.cells.count == 42)
      let watcher = try Phone(port: node.port)
      watcher.send("/subscribe", .string("/grid/cell"))
      #expect(watcher.sync())
      phone.send("/grid/root", .string("E"))
      phone.send("/grid/scale", .string("minor"))
      #expect(phone.sync())
      let names = try layout(phone).cells.prefix(14).map { $0[2] }
      #expect(
        names
          == ["E", "F#", "G", "A", "B", "C", "D", "D", "C", "B", "A", "G", "F#", "E"]
          .map(Argument.string))
      // The layout, and then its 25 cells.
      let told = watcher.receive { told in
        told.suffix(25).count { $0.address == "/grid/cell" } == 25
          && told.last { $0.address == "/grid/layout" }?.arguments == [.int32(4), .int32(7)]
      }
      #expect(told.last { $0.address == "/grid/layout" }?.arguments == [.int32(4), .int32(7)])
      #expect(told.suffix(25).allSatisfy { $0.address == "/grid/cell" })
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a touched cell is lit, a slide moves the light, and a new layout clears it`() throws {
      let watcher = try Phone(port: node.port)
      watcher.send("/subscribe", .string("/grid/lit"))
      #expect(watcher.sync())
      phone.send("/grid/touch", .int32(1), .int32(2), .float(0.5))
      #expect(
        watcher.receive("/grid/lit")?.arguments == [.int32(1), .int32(2), .float(0.5)])
      phone.send("/grid/slide", .int32(2), .int32(2))
      #expect(awaitLit([[2, 2]], from: [[1, 2]], on: watcher))
      phone.send("/grid/3/1", .float(1))
      #expect(awaitLit([[2, 2], [3, 1]], from: [[2, 2]], on: watcher))
      phone.send("/grid/size", .string("large"))
      #expect(awaitLit([], from: [[2, 2], [3, 1]], on: watcher))
      // No notes hang: only the new one is lit.
      phone.send("/grid/touch", .int32(1), .int32(1))
      #expect(awaitLit([[1, 1]], on: watcher))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `an invalid request is reported in one line, and the node runs on`() throws {
      for (packet, code) in [
        (message("/grid/touch", .int32(9), .int32(1)), "range"),
        (message("/grid/9/1", .float(1)), "range"),
        (message("/grid/scale", .string("none")), "missing"),
        (message("/grid/root", .string("H")), "range"),
        (message("/grid/size", .string("huge")), "range"),
        (message("/grid/tuning", .string("/etc/passwd")), "denied"),
        (message("/scale/user", .string("major"), .int32(1)), "state"),
        (message("/phrase/play"), "state"), (message("/note/on", .int32(128)), "range"),
      ] {
        phone.send(bytes: packet)
        let told = try #require(phone.receive("/error")).arguments
        #expect(told[1] == .string(code))
        #expect(told[2].text?.contains("\n") == false)
      }
      #expect(phone.sync())
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a thousand touches and releases in a bundle leave nothing lit`() throws {
      let watcher = try Phone(port: node.port)
      watcher.send("/subscribe", .string("/grid/lit"))
      #expect(watcher.sync())
      var packets: [[UInt8]] = []
      for number in 0..<1000 {
        let (row, column) = (Int32(number / 12 % 3 + 1), Int32(number % 12 + 1))
        packets.append(message("/grid/touch", .int32(row), .int32(column)))
      }
      phone.send(bytes: [UInt8](bundle: packets, at: .immediately))
      #expect(phone.sync())
      let all = Set((0..<36).map { [$0 / 12 + 1, $0 % 12 + 1] })
      #expect(awaitLit(all, on: watcher))
      for number in 0..<36 {
        let (row, column) = (Int32(number / 12 + 1), Int32(number % 12 + 1))
        packets.append(message("/grid/release", .int32(row), .int32(column)))
      }
      phone.send(bytes: [UInt8](bundle: packets, at: .immediately))
      #expect(phone.sync())
      #expect(awaitLit([], from: all, on: watcher))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `notes held by a connection end with it`() throws {
      let watcher = try Phone(port: node.port)
      watcher.send("/subscribe", .string("/grid/lit"))
      #expect(watcher.sync())
      var surface: StreamPhone? = try StreamPhone(port: node.port)
      surface?.send("/grid/touch", .int32(1), .int32(2), .float(0.5), style: .slip)
      surface?.send("/note/on", .int32(60), style: .slip)
      #expect(
        watcher.receive("/grid/lit")?.arguments == [.int32(1), .int32(2), .float(0.5)])
      surface = nil
      #expect(watcher.receive("/grid/lit")?.arguments == [.int32(1), .int32(2), .float(0)])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a phrase is recorded and reported note by note`() throws {
      let watcher = try Phone(port: node.port)
      watcher.send("/subscribe", .string("/phrase"))
      phone.send("/phrase/record")
      for column: Int32 in [1, 3, 5] {
        phone.send("/grid/touch", .int32(1), .int32(column))
        try phone.pass(seconds: 0.03, "the note's length")
        phone.send("/grid/release", .int32(1), .int32(column))
      }
      phone.send("/phrase/stop")
      #expect(phone.sync())
      #expect(phone.ask("/phrase/notes")?.arguments.map(\.text) == ["A", "B", "C#"])
      phone.send("/phrase/play")
      let told = watcher.receive { $0.count { $0.address == "/phrase/note" } == 3 }
        .filter { $0.address == "/phrase/note" }
      try waitUntil("the phrase has ended") {
        phone.ask("/phrase/state")?.arguments[0] == .string("stopped")
      }
      #expect(told.map { $0.arguments[0].text } == ["A", "B", "C#"])
      let state = try #require(phone.ask("/phrase/state")).arguments
      #expect(state[0] == .string("stopped") && state[3] == .int32(3))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `settings survive a restart`() throws {
      phone.send("/scale/user", .string("mine"), .int32(0), .int32(3), .int32(7))
      phone.send("/grid/scale", .string("mine"))
      phone.send("/grid/root", .string("Bb"))
      phone.send("/grid/randomize", .int32(12))
      phone.send("/grid/sustain", .int32(1))
      #expect(phone.sync())
      let before = try layout(phone)
      #expect(node.end() == 0)
      let (second, again) = try startNode(on: server, home: node.home)
      let after = try layout(again)
      #expect(after.size == before.size && after.cells == before.cells)
      #expect(again.ask("/grid/sustain")?.arguments == [.int32(1)])
      #expect(again.ask("/grid/root")?.arguments == [.string("Bb")])
      #expect(second.end() == 0)
    }
  }
}
