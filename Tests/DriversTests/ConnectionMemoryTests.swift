import Engine
import Testing

@testable import Drivers

@Suite struct ConnectionMemoryTests {
  private static let (microphone, speaker) = (
    SoundConnection(own: "in_1", other: "system:capture_1"),
    SoundConnection(own: "out_1", other: "system:playback_1")
  )
  private static let app = SoundConnection(own: "out_1", other: "app:in")
  private static let ports: Set<String> = ["system:capture_1", "system:playback_1", "app:in"]

  private var memory = ConnectionMemory()

  /// Updates the memory with the connections at a time, in seconds.
  private mutating func see(
    _ links: Set<SoundConnection>, without missing: Set<String> = [], changed: Set<String> = [],
    at seconds: Double
  ) {
    memory.update(links, changed: changed, now: seconds * 1e6) {
      Self.ports.subtracting(missing).contains($0)
    }
  }

  @Test mutating func `existing connections are stored, and none is to be made`() {
    see([Self.app, Self.microphone], at: 0)
    #expect(memory.kept == [Self.microphone, Self.app])
    #expect(memory.wanted.isEmpty && !memory.isInDoubt)
  }

  @Test mutating func `a connection removed by the user is dropped after a second`() {
    see([Self.app, Self.microphone], at: 0)
    see([Self.microphone], at: 1)
    #expect(memory.kept == [Self.microphone, Self.app] && memory.isInDoubt)
    #expect(memory.wanted.isEmpty)
    see([Self.microphone], at: 2.1)
    #expect(memory.kept == [Self.microphone] && !memory.isInDoubt)
    // Its port goes and comes back: it is no longer wanted.
    see([Self.microphone], without: ["app:in"], at: 3)
    see([Self.microphone], changed: ["app:in"], at: 4)
    #expect(memory.wanted.isEmpty)
  }

  @Test mutating func `a connection that lost its port is wanted until the port is back`() {
    see([Self.app, Self.microphone], at: 0)
    see([Self.microphone], without: ["app:in"], at: 1)
    #expect(memory.wanted == [Self.app] && memory.kept == [Self.app, Self.microphone])
    see([Self.microphone], without: ["app:in"], at: 100)
    see([Self.microphone], changed: ["app:in"], at: 101)
    #expect(memory.wanted == [Self.app])
    see([Self.app, Self.microphone], at: 101)
    #expect(memory.wanted.isEmpty)
  }

  @Test mutating func `a client that exits removes its connections before its ports`() {
    see([Self.app], at: 0)
    see([], at: 1)
    #expect(memory.wanted.isEmpty)
    see([], without: ["app:in"], at: 1.2)
    #expect(memory.wanted == [Self.app] && !memory.isInDoubt)
  }

  @Test mutating func `a client restarted between two updates is wanted`() {
    see([Self.app], at: 0)
    see([], changed: ["app:in"], at: 1)
    #expect(memory.wanted == [Self.app])
  }

  @Test mutating func `a client that only pauses is wanted, though its ports keep their names`() {
    see([Self.app], at: 0)
    // It deactivates, which removes its connections, and is back within the second.
    see([], changed: ["app:in"], at: 1)
    #expect(memory.wanted == [Self.app] && !memory.isInDoubt)
  }

  @Test mutating func `a renamed port stays the same port`() {
    see([Self.app], at: 0)
    memory.rename([("app:in", "app:left"), ("app:left", "system:playback_1")])
    #expect(memory.kept == [Self.speaker])
    see([Self.speaker], at: 1)
    #expect(memory.kept == [Self.speaker] && !memory.isInDoubt)
    see([], without: ["system:playback_1"], at: 2)
    memory.rename([("system:playback_1", "app:in")])
    #expect(memory.wanted == [Self.app])
  }

  @Test mutating func `ports that ever had a connection are known, and whether all of them wait`() {
    memory = ConnectionMemory([], connectedPorts: ["in_2"])
    #expect(
      memory.hasHadConnection(of: ["in_1", "in_2"]) && !memory.hasHadConnection(of: ["out_1"]))
    see([Self.app, Self.speaker], at: 0)
    #expect(!memory.isWaiting(for: ["out_1"]))
    see([Self.speaker], without: ["app:in"], at: 1)
    #expect(!memory.isWaiting(for: ["out_1"]))
    see([], without: ["app:in", "system:playback_1"], at: 2)
    #expect(memory.isWaiting(for: ["out_1"]) && !memory.isWaiting(for: ["in_1"]))
    see([Self.app], at: 3)
    see([], at: 4)
    see([], at: 6)
    #expect(memory.hasHadConnection(of: ["out_1"]))
  }

  @Test mutating func `a server shutdown removes nothing`() {
    see([Self.app, Self.microphone, Self.speaker], at: 0)
    see([Self.microphone, Self.speaker], at: 1)
    see([Self.speaker], at: 2.1)
    see([], at: 2.2)
    memory.serverIsGone(now: 2.5e6)
    // The first was removed by the user, more than a second before.
    #expect(Set(memory.wanted) == [Self.microphone, Self.speaker])
    #expect(memory.kept == memory.wanted)
  }

  @Test mutating func `earlier connections are wanted, up to a limit`() {
    memory = ConnectionMemory([Self.app])
    #expect(memory.wanted == [Self.app] && memory.kept == [Self.app])
    #expect(memory.hasHadConnection(of: ["out_1", "out_2"]))
    #expect(!memory.hasHadConnection(of: ["in_1"]))
    see([], without: ["app:in"], at: 0)
    #expect(memory.wanted == [Self.app])
    let many = (0..<300).map { SoundConnection(own: "in_1", other: "gone:\($0)") }
    see(Set(many), without: [], at: 1)
    see([], at: 2)
    #expect(memory.wanted.count == ConnectionMemory.mostWanted && !memory.wanted.contains(Self.app))
  }

  // MARK: - Devices

  private static let pedal = SoundConnection(own: "midi_in", other: "system:midi_capture_3")

  private static func port(_ name: String, _ device: String, isSource: Bool = true) -> DevicePort {
    DevicePort(name: name, device: device, isSource: isSource)
  }

  @Test mutating func `a device that is plugged in again is found at another port`() {
    see([Self.pedal], at: 0)
    memory.find([Self.port("system:midi_capture_3", "alsa_pcm:Pedal/midi_capture_1")])
    see([], changed: ["system:midi_capture_3"], at: 1)
    memory.find([])
    #expect(memory.due == [Self.pedal])
    // An output of the same name is none of its sources.
    memory.find([
      Self.port("system:midi_playback_4", "alsa_pcm:Pedal/midi_capture_1", isSource: false),
      Self.port("system:midi_capture_4", "alsa_pcm:Pedal/midi_capture_1"),
    ])
    #expect(memory.due == [SoundConnection(own: "midi_in", other: "system:midi_capture_4")])
    #expect(memory.kept == memory.due)
  }

  @Test mutating func `a port that another device has now is not connected`() {
    see([Self.pedal], at: 0)
    memory.find([Self.port("system:midi_capture_3", "alsa_pcm:Pedal/midi_capture_1")])
    see([], changed: ["system:midi_capture_3"], at: 1)
    let keyboard = Self.port("system:midi_capture_3", "alsa_pcm:Keys/midi_capture_1")
    memory.find([keyboard])
    #expect(memory.due.isEmpty && memory.wanted == [Self.pedal])
    // And is, when its own device is back, wherever.
    memory.find([keyboard, Self.port("system:midi_capture_4", "alsa_pcm:Pedal/midi_capture_1")])
    #expect(memory.due == [SoundConnection(own: "midi_in", other: "system:midi_capture_4")])
  }

  @Test mutating func `a saved connection is found by the device in its name`() {
    func pedal(_ number: Int) -> String { "a2j:Pedal [\(number)] (capture): Pedal MIDI 1" }
    memory = ConnectionMemory([SoundConnection(own: "midi_in", other: pedal(24))])
    memory.find([Self.port(pedal(28), "a2j:Pedal (capture): Pedal MIDI 1")])
    #expect(memory.due == [SoundConnection(own: "midi_in", other: pedal(28))])
  }

  @Test mutating func `two devices of one name are two connections`() {
    func pedal(_ number: Int) -> SoundConnection {
      SoundConnection(own: "midi_in", other: "a2j:Pedal [\(number)] (capture): Pedal MIDI 1")
    }
    func ports(_ numbers: Int...) -> [DevicePort] {
      numbers.map { Self.port(pedal($0).other, "a2j:Pedal (capture): Pedal MIDI 1") }
    }
    see([pedal(24), pedal(28)], at: 0)
    memory.find(ports(24, 28))
    see([], changed: [pedal(24).other, pedal(28).other], at: 1)
    memory.find(ports(32))
    #expect(memory.due.contains(pedal(32)))
    memory.find(ports(32, 36))
    #expect(Set(memory.due) == [pedal(32), pedal(36)])
  }
}
