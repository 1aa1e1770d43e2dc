import Control
import Engine
import OSC
import TestSupport
import Testing

@Suite struct AddressTableTests {
  private let table = AddressTable.node

  @Test func `every parameter of the engine has one address`() {
    for parameter in Parameter.allCases {
      #expect(table.addresses.filter { $0.parameter == parameter }.count == 1)
    }
  }

  @Test func `each address is found, and nothing else`() {
    for (index, address) in table.addresses.enumerated() {
      #expect(table.index(of: address.path) == index)
      #expect(table.index(of: address.path + "/") == nil)
      #expect(
        table.index(of: String(address.path.dropLast())) == nil || address.path.count < 3
          || table[String(address.path.dropLast())] != nil)
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

  @Test func `routes are the engine's, in its order`() {
    #expect(table["/live/route"]?.words == Route.allCases.map { "\($0)" })
  }

  @Test func `the three forms hold every address`() {
    for form in [Reference.text, Reference.json, Reference.markdown] {
      let text = form(table.addresses)
      for address in table.addresses { #expect(text.contains(address.path)) }
    }
  }

  @Test func `initial values are those that the engine has by itself`() {
    let sound = Tone.noise(frames: 4096)
    // All that can be switched on is, so that each value is heard.
    let on: [Parameter: Float] = [
      .echoOn: 1, .reverbOn: 1, .pitchSemitones: 5, .echoTime: 0.02, .stretchRate: 0.9,
    ]
    func render(_ more: [Command]) -> [Float] {
      let host = OfflineHost()
      for command in more { host.send(command) }
      for (parameter, value) in on.sorted(by: { $0.key.number < $1.key.number }) {
        host.send(Command(.set(parameter, value)))
      }
      return host.render(sound + sound, block: 64).left
    }
    let initial = table.addresses.compactMap { address -> Command? in
      guard let parameter = address.parameter, let value = address.initial else { return nil }
      return on[parameter] == nil ? Command(.set(parameter, value)) : nil
    }
    #expect(Measure.firstDifference(render(initial), render([])) == nil)
  }
}
