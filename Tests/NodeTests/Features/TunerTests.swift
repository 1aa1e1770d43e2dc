import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// The tuner of the running node, with a tone in its input.
  @Suite struct TunerTests {
    // An E2 that is 12 cents flat, from the server's frame count, which wraps after a day.
    private static let hertz = 440 * exp2((40 - 69 - 0.12) / 12)
    private static let tone: @Sendable (UInt32) -> Float = { frame in
      let place = (hertz * Double(frame) / 48_000).truncatingRemainder(dividingBy: 1)
      return Float(0.3 * sin(2 * .pi * place) + 0.1 * sin(4 * .pi * place))
    }

    private func frame(_ phone: Phone) throws -> Int64 {
      guard case .int64(let frame)? = phone.ask("/clock")?.arguments.first else {
        throw Fault("no reply with a frame")
      }
      return frame
    }

    @Test(.hangLimit)
    func `it reports the input's tone twelve times per second`() throws {
      let (server, node, phone) = try startNode()
      let probe = try Probe(server: server.name, plays: Self.tone)
      try probe.connect(to: "syrinx")
      let ear = try Phone(port: node.port)
      ear.send("/subscribe", .string("/tuner"))
      try waitUntil("the tone is reported") {
        ear.receive("/tuner")?.arguments.first == .int32(40)
      }
      let (start, began) = (try frame(phone), HostTime.steady)
      var told: [Received] = []
      while try frame(phone) < start + 3 * 48_000 {
        if let message = ear.receive("/tuner") { told.append(message) }
      }
      // On a busy machine, a second of frames takes longer than one.
      let ofFrames = Double(try frame(phone) - start) / 48_000
      let ofTime = (HostTime.steady - began) / 1e6
      #expect(Double(told.count) >= 10 * ofFrames, "\(told.count) in \(ofFrames) s of frames")
      #expect(Double(told.count) <= 14 * ofTime, "\(told.count) in \(ofTime) s")
      let cents = told.filter { $0.arguments[0] == .int32(40) }
        .compactMap { $0.arguments[1].number }.sorted()
      try #require(!cents.isEmpty)
      #expect(abs(cents[cents.count / 2] + 12) < 0.1)
      probe.close()
      #expect(node.end() == 0)
    }
  }
}
