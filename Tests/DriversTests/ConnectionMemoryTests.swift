import Testing

@testable import Drivers

@Suite struct ConnectionMemoryTests {
  private static let (microphone, speaker) = (
    JackConnection(own: "in_1", other: "system:capture_1"),
    JackConnection(own: "out_1", other: "system:playback_1")
  )
  private static let app = JackConnection(own: "out_1", other: "app:in")
  private static let ports: Set<String> = ["system:capture_1", "system:playback_1", "app:in"]

  private var memory = ConnectionMemory()

  /// Tells the memory what is connected at a time, in seconds.
  private mutating func see(
    _ links: Set<JackConnection>, without missing: Set<String> = [], changed: Set<String> = [],
    at seconds: Double
  ) {
    memory.update(links, changed: changed, now: seconds * 1e6) {
      Self.ports.subtracting(missing).contains($0)
    }
  }

  @Test mutating func `what is connected is kept, and nothing is to be made`() {
    see([Self.app, Self.microphone], at: 0)
    #expect(memory.kept == [Self.microphone, Self.app])
    #expect(memory.wanted.isEmpty && !memory.isInDoubt)
  }

  @Test mutating func `what somebody takes away is forgotten a second later, and never made again`()
  {
    see([Self.app, Self.microphone], at: 0)
    see([Self.microphone], at: 1)
    #expect(memory.kept == [Self.microphone, Self.app] && memory.isInDoubt)
    #expect(memory.wanted.isEmpty)
    see([Self.microphone], at: 2.1)
    #expect(memory.kept == [Self.microphone] && !memory.isInDoubt)
    // Its port goes and comes: nobody wants it any more.
    see([Self.microphone], without: ["app:in"], at: 3)
    see([Self.microphone], changed: ["app:in"], at: 4)
    #expect(memory.wanted.isEmpty)
  }

  @Test mutating func `what lost its port is wanted until it is there again`() {
    see([Self.app, Self.microphone], at: 0)
    see([Self.microphone], without: ["app:in"], at: 1)
    #expect(memory.wanted == [Self.app] && memory.kept == [Self.app, Self.microphone])
    see([Self.microphone], without: ["app:in"], at: 100)
    see([Self.microphone], changed: ["app:in"], at: 101)
    #expect(memory.wanted == [Self.app])
    see([Self.app, Self.microphone], at: 101)
    #expect(memory.wanted.isEmpty)
  }

  @Test mutating func `a client that ends takes its connections apart before its ports`() {
    see([Self.app], at: 0)
    see([], at: 1)
    #expect(memory.wanted.isEmpty)
    see([], without: ["app:in"], at: 1.2)
    #expect(memory.wanted == [Self.app] && !memory.isInDoubt)
  }

  @Test mutating func `a client that ended and began between two looks is wanted`() {
    see([Self.app], at: 0)
    see([], changed: ["app:in"], at: 1)
    #expect(memory.wanted == [Self.app])
  }

  @Test mutating func `a client that is only paused is wanted, though its ports have their names`()
  {
    see([Self.app], at: 0)
    // It goes off and takes its connections apart, and is back within the second.
    see([], changed: ["app:in"], at: 1)
    #expect(memory.wanted == [Self.app] && !memory.isInDoubt)
  }

  @Test mutating func `a port that has another name is the same one`() {
    see([Self.app], at: 0)
    memory.rename([("app:in", "app:left"), ("app:left", "system:playback_1")])
    #expect(memory.kept == [Self.speaker])
    see([Self.speaker], at: 1)
    #expect(memory.kept == [Self.speaker] && !memory.isInDoubt)
    see([], without: ["system:playback_1"], at: 2)
    memory.rename([("system:playback_1", "app:in")])
    #expect(memory.wanted == [Self.app])
  }

  @Test mutating func `what had a connection at any time is known, and whether all of it waits`() {
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

  @Test mutating func `a server that goes takes away nothing`() {
    see([Self.app, Self.microphone, Self.speaker], at: 0)
    see([Self.microphone, Self.speaker], at: 1)
    see([Self.speaker], at: 2.1)
    see([], at: 2.2)
    memory.serverIsGone(now: 2.5e6)
    // The first was taken away by somebody, more than a second before.
    #expect(Set(memory.wanted) == [Self.microphone, Self.speaker])
    #expect(memory.kept == memory.wanted)
  }

  @Test mutating func `what was there before is wanted, and there can't be ever more of it`() {
    memory = ConnectionMemory([Self.app])
    #expect(memory.wanted == [Self.app] && memory.kept == [Self.app])
    #expect(memory.hasHadConnection(of: ["out_1", "out_2"]))
    #expect(!memory.hasHadConnection(of: ["in_1"]))
    see([], without: ["app:in"], at: 0)
    #expect(memory.wanted == [Self.app])
    let many = (0..<300).map { JackConnection(own: "in_1", other: "gone:\($0)") }
    see(Set(many), without: [], at: 1)
    see([], at: 2)
    #expect(memory.wanted.count == ConnectionMemory.mostWanted && !memory.wanted.contains(Self.app))
  }
}
