import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Sources of the beats, at the node's ports.
  @Suite struct TempoTests {
    // 120 beats per minute at 48 kHz.
    private static let period = 1000

    /// A program in place of `syrinx-link`: two others are in its session, which obeys.
    private static let session = """
      #!/usr/bin/env python3
      import select, sys, time
      now = lambda: time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) / 1000
      start, beat, tempo, playing = now(), 0.0, 97.0, 0
      while True:
          at = now()
          beat, start = beat + (at - start) * tempo / 60e6, at
          print(f"state {int(at)} {beat:.9f} {tempo:.9f} {playing} {int(at)} 2", flush=True)
          if not select.select([sys.stdin], [], [], 0.02)[0]:
              continue
          line = sys.stdin.readline()
          if not line:
              break
          words = line.split()
          if words[0] == "tempo": tempo = float(words[1])
          if words[0] in ("start", "stop"): playing = int(words[0] == "start")
      """

    @Test(.hangLimit, .nodeReports)
    func `MIDI clock is followed, and sent again without its jitter`() throws {
      let (server, node, phone) = try startNode()
      let clock = try MIDIProbe(server: server.name)
      defer { clock.close() }
      try clock.connect(to: "syrinx", listening: false, phone: phone)
      try clock.connect(to: "syrinx", listening: true, phone: phone)
      phone.send("/tempo/source", .string("midi"))
      phone.send("/tempo/send", .int32(1))
      #expect(phone.sync())
      // The jitter is that of a computer: a quarter of a millisecond each way, in turns.
      let start = Int(clock.frame) + 4800
      clock.play([0xFA], at: UInt32(start))
      var tick = 0
      func playBeats() {
        while start + tick * Self.period < Int(clock.frame) + 48_000 {
          clock.play([0xF8], at: UInt32(start + tick * Self.period + (tick % 2) * 24 - 12))
          tick += 1
        }
      }
      try waitUntil("the node is locked to the clock") {
        playBeats()
        return phone.ask("/tempo/locked")?.arguments == [.int32(1)]
      }
      #expect(phone.ask("/tempo/playing")?.arguments == [.int32(1)])
      var ticks: [Int] = []
      // Cycles that the server leaves out delay ticks; those of a later time count then.
      try waitUntil("four beats have a quarter of the received jitter, and the clock's tempo") {
        playBeats()
        ticks += clock.take().filter { $0.bytes == [0xF8] }.map { Int($0.frame) }
        let steady = zip(ticks, ticks.dropFirst()).suffix(96).count {
          abs($1 - $0 - Self.period) <= 6
        }
        let tempo = phone.ask("/tempo/bpm")?.arguments[0].number ?? 0
        return steady >= 80 && abs(tempo - 120) < 0.1
      }
      try clock.awaitPlayed()
      // The ticks have ended: the beats go on.
      try phone.awaitValue(of: "/tempo/locked", .int32(0))
      _ = clock.take()
      try waitUntil("ticks are sent without any received") { !clock.take().isEmpty }
      phone.send("/transport/follow", .int32(1))
      try phone.awaitValue(of: "/tempo/source", .string("jack"))
      phone.send("/transport/follow", .int32(0))
      try phone.awaitValue(of: "/tempo/source", .string("own"))
      #expect(node.end() == 0)
    }

    @Test(.hangLimit, .nodeReports)
    func `a session of Link keeps its tempo, obeys the node, and may return`() throws {
      let folder = try TemporaryFolder()
      try Data(Self.session.utf8).write(to: folder.url.appendingPathComponent("syrinx-link"))
      let program = folder.path("syrinx-link")
      #expect(chmod(program, 0o755) == 0)
      let (_, node, phone) = try startNode(
        ["--link", "--set", "/metronome/bpm=111"],
        environment: ["SYRINX_LINK": program])
      try phone.awaitValue(of: "/tempo/peers", .int32(2))
      #expect(phone.ask("/metronome/bpm")?.arguments == [.float(111)])
      phone.send("/tempo/source", .string("link"))
      try phone.awaitValue(of: "/metronome/bpm", .float(97))
      #expect(phone.ask("/tempo/locked")?.arguments == [.int32(1)])
      phone.send("/metronome/bpm", .float(133))
      try phone.awaitValue(of: "/tempo/bpm", .float(133))
      phone.send("/tempo/playing", .int32(1))
      try phone.awaitValue(of: "/tempo/playing", .int32(1))
      phone.send("/tempo/source", .string("own"))
      phone.send("/tempo/playing", .int32(0))
      #expect(phone.receive("/error")?.arguments[1] == .string("state"))
      #expect(node.end() == 0)
    }
  }
}
