import Control
import Engine
import OSC
import Testing

@Suite struct AddressTableTests {
  private let table = AddressTable.node

  @Test func `every parameter of the engine has one address, and those of the first loop a number`()
  {
    let widest = AddressTable.widest
    // /tempo/range has two.
    let combined: [Parameter] = [.beat(.slowest), .beat(.fastest)]
    for parameter in Parameter.allCases where !combined.contains(parameter) {
      let paths = widest.addresses.filter { $0.parameter == parameter }.map(\.path)
      let numbered = paths.filter { $0.hasPrefix("/loop/1/") }
      if case .loop(_, 0) = parameter {
        #expect(numbered.count == 1 && paths.count <= 2, "\(paths)")
      } else {
        #expect(numbered.isEmpty && paths.count == 1, "\(paths)")
      }
      #expect(widest.address(of: parameter)?.path == paths.first)
    }
  }

  @Test func `an alias has the types, range, unit and initial value of its target`() throws {
    for (path, target) in [
      ("/loop/gain", "/loop/1/gain"), ("/player/direction", "/loop/1/direction"),
      ("/loop/overdub", "/loop/1/overdub"), ("/player/next", "/loop/1/next"),
      ("/player/position", "/loop/1/position"), ("/loop/selected/rate", "/loop/1/rate"),
    ] {
      let (alias, address) = (try #require(table[path]), try #require(table[target]))
      #expect(alias.types == address.types && alias.unit == address.unit, "\(path)")
      #expect(alias.range == address.range && alias.words == address.words, "\(path)")
      #expect(
        alias.allowsZero == address.allowsZero && alias.help.hasPrefix(address.help), "\(path)")
    }
    #expect(table["/loop/gain"]?.parameter == table["/loop/1/gain"]?.parameter)
    #expect(table["/loop/selected/gain"]?.parameter == nil)
  }

  @Test func `there are as many numbered addresses as loops`() {
    for count in [1, 4, 16] {
      let table = AddressTable(loops: LoopSetup(count: count))
      let records = table.addresses.map(\.path).filter {
        $0.hasPrefix("/loop/") && $0.hasSuffix("/record")
      }
      #expect(records == (1...count).map { "/loop/\($0)/record" } + ["/loop/selected/record"])
    }
  }

  @Test func `each address is found, and no other path`() {
    let paths = Set(table.addresses.map(\.path))
    for (index, address) in table.addresses.enumerated() {
      #expect(table.index(of: address.path) == index)
      #expect(table[address.path]?.path == address.path)
      let near = [
        address.path + "/", address.path + "x", String(address.path.dropFirst()),
        String(address.path.dropLast()), address.path.uppercased(), "/" + address.path,
        String(address.path.reversed()),
      ]
      for path in near where !paths.contains(path) {
        #expect(table.index(of: path) == nil, "\(path)")
        #expect(table[path] == nil, "\(path)")
      }
    }
    #expect(table.index(of: "") == nil)
  }

  @Test func `each address has help that fits a line, and an initial value in its range`() {
    for address in table.addresses {
      #expect(!address.help.isEmpty && address.help.utf8.count < 240)
      #expect(!address.help.hasSuffix("."))
      if let initial = address.initial, address.types != "s" {
        #expect(initial >= address.range.least && initial <= address.range.greatest)
      }
    }
  }

  @Test(arguments: ["live", "loop", "grid", "music"])
  func `routes are those of the engine, in the same order`(source: String) {
    #expect(table["/\(source)/route"]?.words == Route.allCases.map { "\($0)" })
  }

  @Test func `all three formats contain every address`() {
    let json = Reference.json(table.addresses)
    for address in table.addresses { #expect(json.contains("\"\(address.path)\"")) }
    for form in [Reference.text, Reference.markdown] {
      let text = form(table.addresses)
      for path in table.addresses.compactMap(\.pathForAll) { #expect(text.contains(path)) }
      // Addresses of all loops are listed once.
      #expect(text.contains("/loop/N/pedal/long") && !text.contains("/loop/2/"))
    }
  }
}
