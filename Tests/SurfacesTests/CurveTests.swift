import Foundation
import OSC
import TestSupport
import Testing

@testable import Control
@testable import Surfaces

/// The faders and knobs of an address share one curve.
@Suite struct CurveTests {
  private static let table = AddressTable.node

  /// The addresses with a range, of loops only the first two.
  private static let addresses = table.addresses.filter { address in
    let isOther = address.path.hasPrefix("/loop/") && address.path.contains(/\/[3-9]\//)
    return !isOther && !address.standsForMany && ["i", "f"].contains(address.types)
      && address.range.least < address.range.greatest
  }

  private func middle(of address: Address) -> Double {
    address.curve.value(at: 0.5, in: address.forms[0].range)
  }

  private func isClose(_ value: Double, _ other: Double) -> Bool {
    abs(value - other) <= 1e-5 * max(1, abs(other))
  }

  @Test func `levels, ratios and other values have their curves`() {
    let wanted: [(String, Address.Curve)] = [
      ("/live/gain", .level), ("/loop/2/threshold", .level), ("/echo/tone", .exponential),
      ("/echo/time", .exponential), ("/stretch/rate", .exponential),
      ("/loop/2/rate", .exponential), ("/metronome/bpm", .exponential),
      ("/grid/reference", .linear), ("/reverb/predelay", .linear), ("/echo/mix", .linear),
      ("/loop/2/pan", .linear), ("/pitch/semitones", .linear), ("/metronome/beats", .linear),
    ]
    for (path, curve) in wanted { #expect(Self.table[path]?.curve == curve, "\(path)") }
    for address in Self.addresses where address.curve == .exponential {
      #expect(address.range.least > 0, "\(address.path)")
    }
  }

  @Test func `a curve rises from one end of its range to the other`() {
    for address in Self.addresses {
      let range = address.forms[0].range
      let values = (0...100).map { address.curve.value(at: Double($0) / 100, in: range) }
      #expect(values.first == range.lowerBound && values.last == range.upperBound)
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "\(address.path)")
    }
  }

  @Test func `a knob at 64 sends the value at the middle of the curve`() throws {
    #expect(Self.addresses.count > 60)
    for address in Self.addresses {
      let turned = try #require(address.argument(turnedTo: 64)?.number, "\(address.path)")
      let middle = middle(of: address)
      if address.types == "f" {
        #expect(isClose(turned, middle), "\(address.path)")
      } else {
        #expect(turned == middle.rounded() || !address.allowsZero, "\(address.path)")
      }
      #expect(address.argument(turnedTo: 0)?.number == Double(address.range.least))
      #expect(address.argument(turnedTo: 127)?.number == Double(address.range.greatest))
    }
  }

  @Test func `a TouchOSC fader at 0.5 sends that value, and moves there when it is received`()
    throws
  {
    let addresses = Self.addresses.filter { $0.types == "f" }
    let faders = try addresses.enumerated().map { index, address in
      try ControlMaker(table: Self.table)(.fader, address.path, "fader-\(index)", "")
    }
    let rows = stride(from: 0, to: faders.count, by: 4).map { first in
      Row(1, of: Array(faders[first..<min(faders.count, first + 4)]))
    }
    let surface = Surface(
      pages: try Surface.syrinx().pages + [SurfacePage("All", blocks: [Block(rows: rows)])])
    let folder = try TemporaryFolder()
    let path = folder.path("all.tosc")
    let xml = try TouchOSCLayout.xml(of: surface, .tablet)
    try Data(Deflate.packed(Array(xml.utf8))).write(to: URL(fileURLWithPath: path))
    // The port of discard: nothing listens.
    let phone = try TouchPhone(node: 9) { _ in path }
    let node = try Phone(port: phone.port)
    let tab = try #require(phone.root.all(named: "tab-\(surface.pagesWithTabs.count)").first)
    try phone.tap(tab)
    for (index, address) in addresses.enumerated() {
      let group = try #require(phone.root.all(named: "fader-\(index)").first)
      let fader = try #require(group.all(named: "fader").first)
      phone.forget()
      try phone.touch(fader, at: fader.point(0.5, 0.5)).lift()
      let sent = phone.sent.first { $0.address == address.path }?.arguments.first?.number
      #expect(
        isClose(try #require(sent, "\(address.path)"), middle(of: address)), "\(address.path)")
      for position in [0, 0.25, 0.5, 1.0] {
        let value = address.curve.value(at: position, in: address.forms[0].range)
        node.send(address.path, .float(Float(value)))
        #expect(
          try phone.wait { abs(fader.x - position) < 1e-4 }, "\(address.path): \(fader.x)")
      }
    }
    #expect(phone.faults.isEmpty, "\(phone.faults.prefix(3))")
  }

  @Test func `an Open Stage Control fader at 0.5 has that value`() throws {
    for address in Self.addresses where address.types == "f" {
      let control = try ControlMaker(table: Self.table)(.fader, address.path, "one", "")
      let page = SurfacePage("All", Block(Row(1, control)))
      let builder = SessionBuilder(surface: Surface(pages: [page]), table: Self.table)
      let json = try builder.widget(control, on: page).value.json()
      let widget = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let parts = try #require(widget?["widgets"] as? [[String: Any]])
      let fader = try #require(parts.first { $0["type"] as? String == "fader" })
      let range = try #require(fader["range"] as? [String: Double])
      let (least, greatest) = (try #require(range["min"]), try #require(range["max"]))
      let value = range["50%"] ?? (least + greatest) / 2
      #expect(isClose(value, middle(of: address)), "\(address.path)")
      #expect((range.count > 2) == (address.curve != .linear), "\(address.path)")
      // It is linear between these.
      for step in 0...20 {
        let position = Double(step) / 20
        let key = step == 0 ? "min" : step == 20 ? "max" : "\(step * 5)%"
        let wanted = address.curve.value(at: position, in: address.forms[0].range)
        let shown = range[key] ?? least + (greatest - least) * position
        #expect(isClose(shown, wanted), "\(address.path) at \(position)")
      }
    }
  }
}
