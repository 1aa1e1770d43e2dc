import Control
import Engine
import OSC
import Testing

@Suite struct AddressTableTests {
  private let table = AddressTable.node

  @Test func `every parameter of the engine has one address`() {
    for parameter in Parameter.allCases {
      #expect(table.addresses.filter { $0.parameter == parameter }.count == 1)
    }
  }

  @Test func `each address is found, and nothing else`() {
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

  @Test func `each has help that fits a line, and an initial value that it takes itself`() {
    for address in table.addresses {
      #expect(!address.help.isEmpty && address.help.utf8.count < 240)
      #expect(!address.help.hasSuffix("."))
      if let initial = address.initial, address.types != "s" {
        #expect(initial >= address.range.least && initial <= address.range.greatest)
      }
    }
  }

  @Test(arguments: ["live", "loop", "grid", "music"])
  func `routes are the engine's, in its order`(source: String) {
    #expect(table["/\(source)/route"]?.words == Route.allCases.map { "\($0)" })
  }

  @Test func `the three forms hold every address`() {
    for form in [Reference.text, Reference.json, Reference.markdown] {
      let text = form(table.addresses)
      for address in table.addresses { #expect(text.contains(address.path)) }
    }
  }
}
