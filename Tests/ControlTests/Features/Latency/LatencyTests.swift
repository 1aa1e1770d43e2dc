import Control
import Engine
import Foundation
import OSC
import Posix
import TestSupport
import Testing

/// The latency of the sound card that JACK doesn't report.
@Suite struct LatencyTests {
  private let folder: TemporaryFolder
  private let desk: Desk
  private var home: String { folder.url.path }

  private static let card = SoundRoute(card: "alsa_pcm:hw:USB", rate: 48_000, block: 64)

  init() throws {
    folder = try TemporaryFolder()
    desk = Desk(home: folder.url.path)
  }

  private var extra: Float? {
    desk.tell("/latency/extra").first?.arguments.first?.number.map { Float($0) }
  }

  @Test func `it is divided between the input and the output`() {
    let shared = desk.host.engine.shared
    shared.setInputDelay(100)
    shared.setOutputDelay(200)
    for (extra, input) in [(0, 100), (51, 125), (-50, 75), (-240, 0), (-300, 0)] {
      desk.tell("/latency/extra", .float(Float(extra)))
      #expect(shared.extraDelayFrames == extra)
      #expect(shared.inputDelayFrames == input)
      #expect(shared.inputDelayFrames + shared.outputDelayFrames == 300 + extra)
    }
  }

  @Test func `a card uses its measurement, and one without has none`() throws {
    try MeasuredLatencies.add(
      MeasuredLatencies.Entry(extra: 123.5), for: Self.card, home: home)
    desk.pass()
    #expect(extra == 0)
    desk.route = Self.card
    desk.pass()
    #expect(extra == 123.5)
    // The card disappears, and returns with another buffer size.
    desk.route = nil
    desk.pass()
    #expect(extra == 123.5)
    var other = Self.card
    other.block = 128
    desk.route = other
    desk.pass()
    #expect(extra == 0)
    desk.route = Self.card
    desk.pass()
    #expect(extra == 123.5)
  }

  @Test func `a card whose server was restarted is measured again, and keeps its value until then`()
    throws
  {
    var checked: [SoundRoute] = []
    desk.node[Latency.self].whenRouteChanged = { route, _ in checked.append(route) }
    try MeasuredLatencies.add(MeasuredLatencies.Entry(extra: 123.5), for: Self.card, home: home)
    desk.route = Self.card
    desk.pass()
    #expect(checked == [Self.card])
    desk.tell("/latency/extra", .float(77))
    // Only its connections change.
    desk.route = nil
    desk.pass()
    desk.route = Self.card
    desk.pass()
    #expect(checked == [Self.card])
    desk.route = nil
    desk.isServerRunning = false
    desk.pass()
    desk.isServerRunning = true
    desk.route = Self.card
    desk.pass()
    #expect(checked == [Self.card, Self.card])
    #expect(extra == 77)
  }

  @Test func `a session's value holds for its own card only`() {
    desk.route = Self.card
    desk.pass()
    desk.tell("/latency/extra", .float(77))
    let state = desk.node.keeper.state
    #expect(state.text.contains("/latency/extra=77.0 48000 64 alsa_pcm:hw:USB"))

    let same = Desk()
    #expect(same.node.keeper.resume(state).isEmpty)
    same.route = Self.card
    same.pass()
    #expect(same.tell("/latency/extra") == [Received("/latency/extra", [.float(77)])])

    let another = Desk()
    #expect(another.node.keeper.resume(state).isEmpty)
    another.route = SoundRoute(card: "alsa_pcm:hw:PCH", rate: 48_000, block: 64)
    another.pass()
    #expect(another.tell("/latency/extra") == [Received("/latency/extra", [.float(0)])])
  }

  @Test func `subscribers receive the value of another card`() throws {
    try MeasuredLatencies.add(MeasuredLatencies.Entry(extra: 9), for: Self.card, home: home)
    desk.tell("/subscribe", .string("/latency/extra"))
    desk.pass()
    _ = desk.take()
    desk.route = Self.card
    desk.pass()
    #expect(desk.take() == [Received("/latency/extra", [.float(9)])])
  }

  @Test func `the file keeps all cards, and their cables`() throws {
    var file = MeasuredLatencies()
    let cable = MeasuredLatencies.Cable(output: "system:playback_3", input: "system:capture_3")
    file[Self.card] = MeasuredLatencies.Entry(extra: -12.25, cable: cable)
    let other = SoundRoute(card: "A card\twith a tab", rate: 44_100, block: 256)
    file[other] = MeasuredLatencies.Entry(extra: 3)
    let read = MeasuredLatencies(file.text + "damaged\n48000\t64\tnan\t-\t-\tcard\n")
    #expect(read == file)
    #expect(read[other]?.extra == 3)
    #expect(read.cable(of: Self.card.card) == cable)
    #expect(read.cable(of: other.card) == nil)
    try MeasuredLatencies.add(MeasuredLatencies.Entry(extra: 5), for: Self.card, home: home)
    try MeasuredLatencies.add(MeasuredLatencies.Entry(extra: 6), for: other, home: home)
    #expect(MeasuredLatencies.read(home: home)[Self.card]?.extra == 5)
  }

  @Test func `a measurement that comes late is not used for another card`() {
    desk.route = Self.card
    desk.pass()
    let latency = desk.node[Latency.self]
    var other = Self.card
    other.rate = 96_000
    latency.use(MeasuredLatencies.Entry(extra: 40), of: other)
    #expect(extra == 0)
    latency.use(MeasuredLatencies.Entry(extra: 40), of: Self.card)
    #expect(extra == 40)
  }
}
