import Testing

@testable import Dropouts

/// The cause of a late buffer, from counters as a machine shows them.
@Suite struct VerdictTests {
  /// An episode of one late buffer of 5 ms, in which the server, the node and a client did what they usually do.
  private static func episode(_ change: (inout LateEpisode) -> Void = { _ in }) -> LateEpisode {
    var episode = LateEpisode()
    episode.period = 5000
    episode.blocks = 1
    (episode.took, episode.apart, episode.tookOthers) = (600, 80, 30_000)
    episode.own.run = 31_000
    episode.own.turns = 50
    episode.own.isRealtime = true
    episode.server = process("the sound server")
    change(&episode)
    return episode
  }

  /// A process with an audio thread and a thread that sleeps.
  private static func process(
    _ name: String, _ change: (inout ThreadChange) -> Void = { _ in }
  ) -> ProcessChange {
    var audio = ThreadChange()
    audio.isRealtime = true
    (audio.run, audio.turns) = (3000, 50)
    change(&audio)
    return ProcessChange(name: name, threads: [audio, ThreadChange()])
  }

  /// A process that was stopped for some cycles, which gave each thread the CPU.
  private static func stopped(_ name: String) -> ProcessChange {
    var process = process(name) { $0.missing = 6 }
    process.threads[1].turns = 2
    return process
  }

  // MARK: - The node's own processing

  /// The node's processing took 12 ms.
  private static func long(_ change: (inout LateEpisode) -> Void) -> LateEpisode {
    episode {
      ($0.took, $0.tookLong) = (12_000, 12_000)
      change(&$0)
    }
  }

  @Test func `processing that used the CPU for longer than a buffer is the node's own`() {
    let verdict = Self.long { $0.own.run = 42_000 }.verdict
    #expect(verdict == Verdict(.own, "the node's processing took 12 ms of 5.0 ms"))
  }

  @Test func `processing without a CPU that nobody is known to have had is the node's own`() {
    #expect(Self.long { _ in }.verdict.cause == .own)
  }

  @Test func `processing that was preempted was delayed by other programs`() {
    let verdict = Self.long { $0.own.wait = 11_000 }.verdict
    #expect(verdict == Verdict(.cpu, "other programs had the CPU for 11 ms"))
  }

  @Test func `pages from the disk are a page fault, and lack of memory while pages are swapped`() {
    let fault = Self.long { $0.own.majorFaults = 1 }
    #expect(fault.verdict == Verdict(.fault, "the node waited for 1 page from the disk"))
    let memory = Self.long {
      $0.own.majorFaults = 3
      $0.system.swappedIn = 40
    }
    #expect(memory.verdict.cause == .memory)
    let pressure = Self.long {
      $0.own.majorFaults = 3
      $0.system.memoryStall = 8000
    }
    #expect(pressure.verdict.cause == .memory)
  }

  @Test func `many pages that are new are a page fault, and few are not`() {
    func verdict(_ faults: Int) -> LostCause {
      Self.long {
        $0.own.run = 42_000
        $0.own.minorFaults = faults
      }.verdict.cause
    }
    #expect(verdict(4000) == .fault)
    #expect(verdict(20) == .own)
  }

  @Test func `a slow CPU explains processing that used it`() {
    func verdict(_ change: (inout LateEpisode) -> Void) -> LostCause {
      Self.long {
        $0.own.run = 42_000
        change(&$0)
      }.verdict.cause
    }
    #expect(verdict { $0.frequency = 0.3 } == .frequency)
    #expect(verdict { $0.frequency = 0.95 } == .own)
    #expect(verdict { $0.system.throttles = 1 } == .heat)
    #expect(
      verdict {
        $0.isUndervolted = true
        $0.frequency = 0.3
      } == .power)
  }

  @Test func `a CPU that was taken from all programs explains processing without one`() {
    #expect(Self.long { $0.system.steal = 10_000 }.verdict.cause == .steal)
    #expect(Self.long { $0.system.interrupts = 10_000 }.verdict.cause == .interrupt)
    #expect(Self.long { $0.own.diskWait = 10_000 }.verdict.cause == .disk)
    // A tenth of the delay explains nothing.
    #expect(Self.long { $0.system.steal = 1000 }.verdict.cause == .own)
  }

  // MARK: - Stops

  @Test func `a node that was continued was stopped, whatever else there is`() {
    let verdict = Self.long {
      $0.system.continues = 1
      $0.own.run = 42_000
    }.verdict
    #expect(verdict == Verdict(.stopped, "the node was stopped by a signal or a debugger"))
    let both = Self.episode {
      $0.system.continues = 1
      $0.server = Self.stopped("the sound server")
    }
    #expect(both.verdict.detail == "the node and the sound server were stopped")
  }

  @Test func `a suspended machine comes before all`() {
    let verdict = Self.episode {
      $0.system.suspended = 3_600_000_000
      $0.system.continues = 1
    }.verdict
    #expect(verdict == Verdict(.suspend, "the machine was suspended for 3600000 ms"))
  }

  // MARK: - The server

  /// The server was 30 ms late.
  private static func late(_ change: (inout LateEpisode) -> Void) -> LateEpisode {
    episode {
      $0.apart = 30_000
      change(&$0)
    }
  }

  @Test func `a server whose threads were all given the CPU was stopped`() {
    let verdict = Self.late { $0.server = Self.stopped("the sound server") }.verdict
    #expect(verdict == Verdict(.server, "the sound server was stopped for 30 ms"))
  }

  @Test func `a server without a CPU was delayed by other programs, or by a client that used it`() {
    let waiting = Self.process("the sound server") { $0.wait = 29_000 }
    #expect(Self.late { $0.server = waiting }.verdict.cause == .cpu)
    let hog = Self.process("hog") { $0.excess = 28_000 }
    let verdict = Self.late {
      $0.server = waiting
      ($0.clients, $0.clientCount) = ([Self.process("metro"), hog], 2)
    }.verdict
    #expect(verdict == Verdict(.client, "hog used the CPU for 28 ms"))
  }

  @Test func `a server that waited for pages has its own cause`() {
    let waiting = Self.process("the sound server") { $0.majorFaults = 2 }
    let verdict = Self.late { $0.server = waiting }.verdict
    #expect(verdict == Verdict(.fault, "the sound server waited for 2 pages from the disk"))
  }

  @Test func `a late cycle that nothing explains is the card's if the server has one`() {
    #expect(Self.late { $0.hasCard = true }.verdict.cause == .card)
    #expect(Self.late { _ in }.verdict.cause == .server)
    // A server without a card waits only for its clients.
    #expect(Self.late { $0.clientCount = 1 }.verdict.cause == .client)
    #expect(Self.late { $0.system.steal = 20_000 }.verdict.cause == .steal)
  }

  // MARK: - Other clients

  @Test func `a client that used the CPU is named`() {
    let verdict = Self.episode {
      $0.clients = [Self.process("metro"), Self.process("hog") { $0.excess = 20_000 }]
      $0.clientCount = 2
    }.verdict
    #expect(verdict == Verdict(.client, "hog used the CPU for 20 ms"))
  }

  @Test func `a client that slept or was stopped misses cycles`() {
    func verdict(_ client: ProcessChange) -> Verdict {
      Self.episode { ($0.clients, $0.clientCount) = ([Self.process("metro"), client], 2) }.verdict
    }
    #expect(
      verdict(Self.process("sleeper") { $0.missing = 4 }) == Verdict(.client, "sleeper was late"))
    #expect(verdict(Self.stopped("owl")) == Verdict(.client, "owl was stopped"))
  }

  @Test func `if the server and the node were in time, another client was late`() {
    func verdict(_ names: [String], count: Int) -> Verdict {
      Self.episode { ($0.clients, $0.clientCount) = (names.map { Self.process($0) }, count) }
        .verdict
    }
    #expect(verdict(["metro"], count: 1) == Verdict(.client, "metro was late"))
    #expect(
      verdict(["metro", "hog"], count: 2).detail == "another client was late: one of metro, hog")
    #expect(verdict([], count: 1) == Verdict(.client, "another client was late"))
    #expect(verdict([], count: 0).cause == .unknown)
  }

  @Test func `changed clients explain what nothing else does`() {
    #expect(Self.episode { $0.isGraphChanged = true }.verdict.cause == .graph)
    let verdict = Self.long {
      $0.isGraphChanged = true
      $0.own.run = 42_000
    }.verdict
    #expect(verdict.cause == .own)
  }

  @Test func `a thread that was woken late had no CPU`() {
    let verdict = Self.episode {
      $0.apart = 9000
      $0.own.wait = 8800
    }.verdict
    #expect(verdict == Verdict(.cpu, "other programs had the CPU for 8.8 ms"))
  }

  // MARK: - Lengths

  @Test func `the gap is as long as the longest known delay, and at least one buffer`() {
    #expect(Self.episode().milliseconds == 5)
    #expect(Self.late { _ in }.milliseconds == 30)
    #expect(Self.long { _ in }.milliseconds == 7)
    #expect(Self.episode { $0.span = 40_000 }.milliseconds == 45)
  }
}
