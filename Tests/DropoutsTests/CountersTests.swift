import Testing

@testable import Dropouts

/// The kernel's counters as texts.
@Suite struct CountersTests {
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// A thread whose name contains what separates fields.
  private static let stat =
    "4711 (a (b) c) S 1 2 3 0 -1 4194304 99 0 7 0 11 12 0 0 -61 0 3 0 148 1000 39 "
    + "18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 1 50 1 25 0 0\n"

  @Test func `a thread has its times, faults, policy and wait for the disk`() throws {
    let thread = try #require(
      ThreadCounters(
        schedstat: Self.bytes("165608651 11790072 209\n"), stat: Self.bytes(Self.stat),
        ticksPerSecond: 100))
    #expect(thread.run == 165_608.651 && thread.wait == 11_790.072 && thread.turns == 209)
    #expect(thread.minorFaults == 99 && thread.majorFaults == 7)
    #expect(thread.isRealtime && thread.diskWait == 250_000)
  }

  @Test func `an ended thread has no counters, and one of a kernel with few has its times`() throws
  {
    #expect(ThreadCounters(schedstat: [], stat: [], ticksPerSecond: 100) == nil)
    #expect(ThreadCounters(schedstat: Self.bytes("1 2\n"), stat: [], ticksPerSecond: 100) == nil)
    let thread = try #require(
      ThreadCounters(schedstat: Self.bytes("1000 2000 3\n"), stat: [], ticksPerSecond: 100))
    #expect(thread.run == 1 && thread.wait == 2 && !thread.isRealtime)
  }

  @Test func `the machine has its steal, interrupts, stalls and swapped pages`() {
    var system = SystemCounters()
    system.parse(
      stat: Self.bytes(
        "cpu  100 0 50 900 7 3 5 20 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 12345 1 2 3\nctxt 9\n"),
      ticksPerSecond: 100)
    #expect(system.steal == 200_000 && system.interrupts == 80_000)
    #expect(system.interruptCount == 12_345)
    system.parse(vmstat: Self.bytes("nr_free_pages 1\npswpin 42\npswpout 7\n"))
    #expect(system.swappedIn == 42)
    let pressure =
      "some avg10=5.99 avg60=5.89 avg300=8.17 total=6230\nfull avg10=0.00 avg60=0 avg300=0 total=1\n"
    #expect(SystemCounters.stall(Self.bytes(pressure)) == 6230)
    #expect(SystemCounters.stall([]) == 0)
  }

  @Test func `an invalid text of the kernel is no crash`() {
    var system = SystemCounters()
    for text in ["", "cpu ", "cpu  1\nintr \n", "intr x", "pswpin \n", "\n\n", "cpu  -"] {
      system.parse(stat: Self.bytes(text), ticksPerSecond: 100)
      system.parse(vmstat: Self.bytes(text))
      #expect(SystemCounters.stall(Self.bytes(text)) == 0)
      #expect(
        ThreadCounters(
          schedstat: Self.bytes(text), stat: Self.bytes(text), ticksPerSecond: 100) == nil)
    }
    #expect(system == SystemCounters())
  }

  // MARK: - Differences

  /// A sample at a time in seconds with one client, whose only thread has used the CPU for a time.
  private static func sample(_ seconds: Double, run: Double, turns: Int) -> Sample {
    var sample = Sample()
    sample.time = seconds * 1e6
    var thread = ThreadCounters()
    (thread.run, thread.turns) = (run, turns)
    sample.clients = [ProcessCounters(id: 7, name: "metro", threads: [70: thread])]
    sample.system.steal = run
    return sample
  }

  @Test func `an episode has what a client did beyond the usual`() throws {
    var usual = UsualRates()
    for second in 0..<8 {
      usual.learn(
        from: Self.sample(Double(second), run: Double(second) * 1e5, turns: second * 200),
        to: Self.sample(
          Double(second + 1), run: Double(second + 1) * 1e5, turns: (second + 1) * 200))
    }
    var episode = LateEpisode()
    episode.compare(
      Self.sample(8, run: 8e5, turns: 1600), Self.sample(9, run: 8e5 + 1.3e5, turns: 1790),
      usual: usual)
    let client = try #require(episode.clients.first)
    #expect(client.name == "metro" && client.threads.count == 1)
    #expect(abs(client.excess - 30_000) < 1 && abs(client.missing - 10) < 1e-6)
    #expect(episode.server == nil && abs(episode.system.steal - 1.3e5) < 1)
  }

  @Test func `a client that has just joined has no usual use, and an earlier one is left out`() {
    var episode = LateEpisode()
    episode.compare(
      Self.sample(8, run: 0, turns: 0), Self.sample(9, run: 5e5, turns: 10), usual: UsualRates())
    #expect(episode.clients.first?.excess == 0 && episode.clients.first?.missing == 0)
    episode.compare(Sample(), Self.sample(9, run: 5e5, turns: 10), usual: UsualRates())
    #expect(episode.clients.isEmpty)
  }
}
