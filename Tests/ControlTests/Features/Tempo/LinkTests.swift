import Control
import Engine
import OSC
import TestSupport
import Testing

/// A session of Link, whose program a test plays.
@Suite struct LinkTests {
  /// The lines that the program would receive.
  private final class Session: LinkSession {
    var lines: [String] = []
    var beats: [(beat: Double, at: Double)] = []

    func setTempo(_ beatsPerMinute: Float) { lines.append("tempo \(beatsPerMinute)") }
    func bringTempo(_ beatsPerMinute: Float) { lines.append("bring \(beatsPerMinute)") }
    func bringBeat(_ beat: Double, at microseconds: Double) { beats.append((beat, microseconds)) }
    func setQuantum(_ beats: Int) { lines.append("quantum \(beats)") }
    func setPlaying(_ value: Bool) { lines.append(value ? "start" : "stop") }
  }

  private let session = Session()
  private let desk = Desk()

  init() { desk.node[Tempo.self].join(session) }

  /// A report of the program at the present time.
  private func report(_ tempo: Double, peers: Int) {
    let now = desk.host.engine.shared.clockReading
    let line = "state \(Int64(now.microseconds)) 0.0 \(tempo) 0 0 \(peers)"
    let report = LinkReport(line[...], lead: 0)
    desk.host.engine.shared.link.put(report?.reading)
    desk.node[Tempo.self].take(report)
    for _ in 0..<3 { desk.pass() }
  }

  private var tempo: Double? { desk.tell("/metronome/bpm").first?.arguments.first?.number }

  @Test func `alone, it brings its tempo and its beats, and only if it is still alone then`() {
    desk.tell("/metronome/bpm", .float(100))
    desk.pass(seconds: 1)
    report(120, peers: 0)
    // The program decides whether it is alone: the report may be old.
    #expect(session.lines == ["bring 100.0"])
    #expect(session.beats.count == 1)
    // In time, no beat is sent again.
    for _ in 0..<20 { desk.pass(seconds: 0.1) }
    #expect(session.beats.count == 1)
    // A bar that starts anew moves the beats.
    desk.tell("/metronome/on", .int32(1))
    for _ in 0..<5 { desk.pass(seconds: 0.1) }
    #expect(session.beats.count == 2)
    report(130, peers: 2)
    desk.tell("/metronome/bpm", .float(90))
    for _ in 0..<5 { desk.pass(seconds: 0.1) }
    #expect(session.lines == ["bring 100.0"])
    #expect(session.beats.count == 2)
  }

  @Test func `a tempo out of the node's range is followed, and that of the session stays`() {
    desk.tell("/tempo/source", .string("link"))
    report(130, peers: 2)
    #expect(tempo == 130)
    report(999, peers: 2)
    for _ in 0..<5 { desk.pass() }
    #expect(tempo == 130)
    #expect(desk.tell("/tempo/bpm").first?.arguments == [.float(999)])
    #expect(session.lines.isEmpty)
    // One that is set here is passed on.
    desk.tell("/metronome/bpm", .float(140))
    for _ in 0..<3 { desk.pass() }
    #expect(session.lines == ["tempo 140.0"])
  }
}
