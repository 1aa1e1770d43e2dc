import Control
import Engine
import OSC
import TestSupport
import Testing

/// The node's ports on the sound server, as reported to clients.
@Suite struct SoundPortsTests {
  private let desk = Desk()

  private func ports(_ input: [String], _ midi: [String] = []) -> [SoundPort] {
    [
      SoundPort(name: "in_1", isMIDI: false, isInput: true, connections: input),
      SoundPort(name: "midi_out", isMIDI: true, isInput: false, connections: midi),
    ]
  }

  private func row(_ words: String...) -> Received { Received("/port", words.map(Argument.string)) }

  @Test func `each port is listed with its type and connections`() {
    desk.ports = ports(["system:capture_1", "system:capture_2"])
    #expect(
      desk.tell("/ports") == [
        row("in_1", "audio", "in", "system:capture_1", "system:capture_2"),
        row("midi_out", "midi", "out"), Received("/ports/end", [.int32(2)]),
      ])
  }

  @Test func `without a server there are no ports`() {
    #expect(desk.tell("/ports") == [Received("/ports/end", [.int32(0)])])
  }

  @Test func `subscribers are notified when connections of a port change`() {
    desk.ports = ports(["system:capture_1"])
    desk.pass()
    desk.tell("/subscribe", .string("/port"))
    desk.pass()
    #expect(desk.take().isEmpty)
    desk.ports = ports(["system:capture_1"], ["synth:in"])
    desk.pass()
    #expect(desk.take() == [row("midi_out", "midi", "out", "synth:in")])
    desk.ports = ports([], ["synth:in"])
    desk.pass()
    #expect(desk.take() == [row("in_1", "audio", "in")])
    // The server stops and restarts.
    desk.ports = []
    desk.pass()
    #expect(desk.take() == [row("midi_out", "midi", "out")])
    desk.ports = ports([])
    desk.pass()
    #expect(desk.take().isEmpty)
    desk.ports = ports(["system:capture_1"])
    desk.pass()
    #expect(desk.take() == [row("in_1", "audio", "in", "system:capture_1")])
  }
}
