import Foundation
import OSC
import Posix
import TestSupport
import Testing

extension NodeTests {
  /// The latency through the page compared with a datagram: printed by `scripts/bench page`, and
  /// not tested.
  @Suite(.serialized, .whereChromiumIs, .whereFiguresAreWanted, OnStage())
  struct PageFigures {
    private static func row(_ label: String, _ times: [Double]) -> String {
      let sorted = times.sorted()
      func share(_ part: Double) -> Double {
        sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
      }
      return label.padding(toLength: 34, withPad: " ", startingAt: 0)
        + [share(0.5), share(0.99), sorted.last ?? 0]
        .map { String(format: "%9.2f", $0 / 1e3) }.joined()
    }

    /// The time of a note's first sample, in microseconds of the host's clock.
    private final class Ear: @unchecked Sendable {
      // The server's thread writes, the test reads.
      private let began = Guarded<Double?>(nil)
      private let isSilent = Guarded(false)

      init(_ probe: Probe) {
        probe.listen { [began, isSilent] _, samples in
          let now = HostTime.steady
          let first = samples.firstIndex { abs($0) > 1e-5 }
          isSilent.withLock { $0 = first == nil }
          if let first { began.withLock { $0 = $0 ?? now + Double(first) / 48_000 * 1e6 } }
        }
      }

      func awaitSilence() throws {
        try waitUntil("the output is silent", every: 0.0005) { isSilent.withLock { $0 } }
        began.withLock { $0 = nil }
      }

      func awaitSound() throws -> Double {
        try waitUntil("the note sounds", every: 0.0005) { began.withLock { $0 != nil } }
        return began.withLock { $0 ?? 0 }
      }
    }

    @Test(.hangLimit)
    func `from touch to sound, by the page and by a datagram`() throws {
      let stage = try #require(PageStage.current)
      let browser = stage.browser
      try stage.turn(to: "grid")
      let probe = try Probe(server: stage.server.name)
      try probe.connect(to: "syrinx", output: "grid_1")
      let ear = Ear(probe)
      try browser.run(
        """
        addEventListener('pointerdown', (event) => { window.touchedAt = event.timeStamp }, true)
        """)
      // The page's clock, from the fastest of many replies.
      var clock = (width: Double.infinity, offset: 0.0)
      for _ in 0..<200 {
        let before = HostTime.steady
        let page = try browser.numbers("return [performance.now()]")[0] * 1e3
        let width = HostTime.steady - before
        if width < clock.width { clock = (width, before + width / 2 - page) }
      }
      let place = try browser.place("[data-row='1'][data-column='3']")
      var (byPage, byDatagram): ([Double], [Double]) = ([], [])
      for _ in 0..<100 {
        try ear.awaitSilence()
        try browser.press(at: place)
        let heard = try ear.awaitSound()
        try browser.lift()
        let touched = try browser.numbers("return [window.touchedAt]")[0] * 1e3 + clock.offset
        byPage.append(heard - touched)
        try ear.awaitSilence()
        let sent = HostTime.steady
        stage.phone.send("/grid/touch", .int32(1), .int32(3), .float(0.8))
        byDatagram.append(try ear.awaitSound() - sent)
        stage.phone.send("/grid/release", .int32(1), .int32(3))
      }
      probe.close()
      print("from touch to sound, ms                median      99 %  longest")
      print(Self.row("by a datagram", byDatagram))
      print(Self.row("by the page, in Chromium", byPage))
      print(
        String(
          format: "a buffer of 256 frames is 5.33 ms; the page's clock is known to %.2f ms\n",
          clock.width / 2e3))
    }

  }

  /// The load of the page's server on the machine.
  @Suite(.serialized, .whereFiguresAreWanted) struct DoorPageFigures {
    @Test(.hangLimit)
    func `sixty-four sockets compared with none`() throws {
      let server = try JackServer(block: 64)
      let (node, phone) = try startNode(on: server, hasPage: true)
      func figures() throws -> (xruns: Double, messages: Double) {
        func value(_ name: String) throws -> Double {
          try #require(phone.ask("/status/\(name)")?.arguments.first?.number)
        }
        return (try value("xruns"), try value("messages"))
      }
      print("64 sockets, buffers of 64 frames, 20 s each            xruns  messages a second")
      for count in [0, 64, 0, 64] {
        let sockets = try (0..<count).map { _ in
          let socket = try WebPhone(port: node.webPort)
          try socket.open()
          return socket
        }
        let before = try figures()
        let start = HostTime.steady
        for turn in 0..<1200 {
          for (index, socket) in sockets.enumerated() {
            socket.send("/live/gain", .float(-Float((turn + index) % 60) / 10))
          }
          let left = start + Double(turn + 1) / 60 * 1e6 - HostTime.steady
          if left > 0 { letPass(seconds: left / 1e6, "sixty a second") }
        }
        let seconds = (HostTime.steady - start) / 1e6
        let after = try figures()
        print(
          "\(count) sockets".padding(toLength: 48, withPad: " ", startingAt: 0)
            + String(
              format: "%12.0f %18.0f", after.xruns - before.xruns,
              (after.messages - before.messages) / seconds))
      }
      print("")
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `memory and start, with the page and without`() throws {
      let server = try JackServer(block: 64)
      func ownMemory(_ node: NodeProcess) throws -> Double {
        let status = try String(contentsOfFile: "/proc/\(node.id)/status", encoding: .utf8)
        return Double(try #require(status.firstMatch(of: /RssAnon:\s+(\d+)/)).1).map { $0 / 1024 }
          ?? 0
      }
      print("with and without the page              ready, ms    memory, MB   after a visit")
      for hasPage in [false, true] {
        var (starts, memories, visited): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<10 {
          let begin = HostTime.steady
          let node = try NodeProcess(
            server: server, environment: ["SYRINX_SOUNDFONTS": "none"], hasPage: hasPage)
          starts.append((HostTime.steady - begin) / 1e3)
          memories.append(try ownMemory(node))
          if hasPage {
            let visitor = try WebPhone(port: node.webPort)
            let text = try visitor.get("/", ["Accept": "text/html"]).text
            for file in text.matches(of: /"(\/page\/[^"]+)"/) {
              _ = try visitor.get(String(file.1), ["Accept-Encoding": "gzip"])
            }
            _ = try visitor.get("/")
            visited.append(try ownMemory(node))
          }
          #expect(node.end() == 0)
        }
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        print(
          (hasPage ? "with" : "without").padding(toLength: 36, withPad: " ", startingAt: 0)
            + String(format: "%12.0f %13.2f", middle(starts), middle(memories))
            + (visited.isEmpty ? "" : String(format: " %15.2f", middle(visited))))
      }
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// The tests print figures, for `scripts/bench page`.
  fileprivate static var whereFiguresAreWanted: Self {
    .enabled(
      if: ProcessInfo.processInfo.environment["SYRINX_PAGE_FIGURES"] != nil, "only for a bench")
  }
}
