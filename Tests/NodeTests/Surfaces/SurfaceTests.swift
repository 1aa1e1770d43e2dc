import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// The layouts for TouchOSC on a simulated phone, page by page, against the running node.
  @Suite struct SurfaceTests {
    private static let screens = ["phone", "tablet"]

    @Test(.hangLimit, arguments: screens)
    func `it subscribes, shows all values, and reconnects to a restarted node`(
      screen: String
    ) throws {
      // All faders are moved from their defaults.
      var values: [String: Double] = [:]
      let addresses = [
        "/pitch/semitones", "/stretch/rate", "/echo/mix", "/echo/time", "/echo/feedback",
        "/reverb/mix", "/reverb/decay", "/reverb/size", "/in/gain", "/live/gain", "/grid/gain",
        "/music/gain", "/out/gain", "/harmony/gain", "/loop/semitones", "/loop/rate",
        "/loop/feedback", "/loop/gain",
        "/loop/1/gain", "/loop/2/gain", "/loop/3/gain", "/loop/4/gain", "/metronome/bpm",
      ]
      // It sends from another port than it receives on.
      let stage = try SurfaceStage(screen, sendsFromOwnSocket: true) { other in
        for address in addresses {
          other.send("/addresses", .string(address))
          let told = try #require(other.receive("/address")).arguments
          let (least, greatest) = (try #require(told[3].number), try #require(told[4].number))
          values[address] = (least + 0.37 * (greatest - least)).rounded()
          // Integers, since some addresses take no others; small ranges are not rounded.
          if greatest - least < 5 { values[address] = least + 0.37 * (greatest - least) }
          other.send(address, .float(Float(values[address]!)))
        }
        try #require(other.sync())
      }
      let faders = stage.phone.root.subtree.filter { $0.type == "FADER" && !$0.addresses.isEmpty }
      // The loop position is one more.
      #expect(Set(faders.flatMap(\.addresses)) == Set(addresses + ["/player/position"]))
      for fader in faders where fader.addresses != ["/player/position"] {
        let value = try #require(values[fader.addresses[0]])
        let text = try #require(fader.parent?.all(named: "value").first).text
        // Labels have at most two decimals.
        let shown = try #require(SurfaceStage.number(in: text))
        #expect(abs(shown - value) < 0.51, "\(fader.path): \(text), not \(value)")
        #expect((0.01...0.99).contains(fader.x), "\(fader.path) at \(fader.x)")
      }
      let pitch = try stage.control("Voice/pitch/fader")
      #expect(abs(pitch.x - (values["/pitch/semitones"]! + 24) / 48) < 1e-6)

      try stage.restart()
      stage.other.send("/pitch/semitones", .float(6))
      // Replies no longer reach it: it must miss the levels for twelve seconds, and checks every
      // five.
      #expect(try stage.phone.wait { abs(pitch.x - 30.0 / 48) < 1e-6 })
      // It has subscribed again.
      stage.other.send("/pitch/semitones", .float(-6))
      #expect(try stage.phone.wait { abs(pitch.x - 18.0 / 48) < 1e-6 })
      stage.end()
    }

    @Test(.hangLimit, arguments: screens)
    func `all pages control the node and show its state`(screen: String) throws {
      let stage = try SurfaceStage(screen)
      try voice(stage)
      try loop(stage)
      try loops(stage)
      try grid(stage)
      try takes(stage)
      try feed(stage)
      try menu(stage)
      try keeping(stage)
      stage.end()
    }

    @Test(.hangLimit, arguments: screens)
    func `the node accepts what every control sends`(screen: String) throws {
      let stage = try SurfaceStage(screen)
      let phone = stage.phone
      var touched: Set<String> = []
      for page in try stage.control("pages").children {
        try stage.open(page.name)
        for (count, control) in page.subtree.enumerated() where phone.canTouch(control) {
          // Now and then it receives the node's replies.
          if count % 16 == 0 { try phone.run(seconds: 0.02) }
          touched.formUnion(control.addresses)
          // Away from the faders' positions: an unmoved fader sends nothing.
          try phone.touch(control, at: control.point(0.43, 0.5)).lift()
        }
      }
      try phone.run(seconds: 0.5)
      let silent = touched.subtracting(phone.sent.map(\.address))
      #expect(silent.isEmpty, "\(silent.sorted().prefix(5))")
      #expect(touched.count > 80)
      // Undo without a recording is refused, everything else is accepted.
      let refused = phone.errors.filter { error in
        // There are no songs and scenes, either, and slow taps leave no room for bars to keep.
        ![" state ", " busy ", "/music/", "no scenes", "keep: too long"].contains {
          error.contains($0)
        }
      }
      #expect(refused.isEmpty, "\(refused.prefix(5))")
      #expect(phone.faults.isEmpty, "\(phone.faults.prefix(5))")
      #expect(phone.sent.count > 100)
      #expect(stage.node.end() == 0)
    }
  }
}
