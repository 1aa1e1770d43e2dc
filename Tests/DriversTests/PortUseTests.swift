import Engine
import Testing

@testable import Drivers

@Suite struct PortUseTests {
  @Test func `a port is in use with its group, and a stem with its loop`() {
    let use = PortUse(names: ["in_2", "midi_out", "loop_1", "loop16_2"])
    #expect(use.has(.input) && use.has(.midiOut))
    #expect(use.has(.stem(ofLoop: 0)) && use.has(.stem(ofLoop: 15)))
    for other: PortUse in [.output, .live, .grid, .click, .midiIn, .stem(ofLoop: 1)] {
      #expect(!use.has(other))
    }
  }

  @Test func `names of no port of the node mean none`() {
    #expect(PortUse(names: ["loop17_1", "loop0_1", "loop1_1", "loops", "in_3", ""]).isEmpty)
  }

  @Test func `every port of a node with all loops has a bit`() {
    for port in PortPlan.all(loops: 16) { #expect(!PortUse(names: [port.name]).isEmpty) }
  }
}
