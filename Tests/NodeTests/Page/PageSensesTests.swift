import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The page's accessibility: keyboard, screen readers, contrast, and reduced motion.
  @Suite struct PageSensesTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws {
      stage = try PageStage.ready()
    }

    @Test(.hangLimit)
    func `keys reach every control of every page`() throws {
      // Arrow keys change values, too; these are not sent to the node.
      try browser.run(
        """
        const { send } = WebSocket.prototype;
        WebSocket.prototype.send = function (data) {
          const isPing = data instanceof Uint8Array && new TextDecoder().decode(data).startsWith("/ping");
          if (isPing || typeof data === "string") send.call(this, data);
        };
        """)
      for page in PageStage.pages {
        try stage.turn(to: page)
        let faults = try browser.keyboardFaults()
        #expect(faults == [], "\(page)")
      }
      try stage.open("voice")
    }

    @Test(.hangLimit)
    func `each focusable control has a unique accessible name on its page`() throws {
      for size in [Browser.Size.phone, .laptop] {
        try browser.resize(size)
        for page in PageStage.pages {
          try stage.turn(to: page)
          try stage.awaitRest()
          let spoken = try browser.spoken()
          #expect(spoken.count > 10)
          let unnamed = spoken.filter(\.name.isEmpty)
          #expect(unnamed == [], "\(page) at \(size)")
          let alike = Dictionary(grouping: spoken) { $0 }.filter { $1.count > 1 }.map(\.key)
          #expect(alike == [], "\(page) at \(size)")
        }
      }
    }

    @Test(.hangLimit, arguments: ["dark", "light"])
    func `all text has enough contrast`(_ scheme: String) throws {
      try browser.prefer(["prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"])
      // No intermediate color between these two.
      for size in [Browser.Size.phone, .laptop] {
        try browser.resize(size)
        for page in PageStage.pages {
          try stage.turn(to: page)
          try stage.awaitRest()
          let faults = try browser.contrastFaults()
          #expect(faults == [], "\(page) at \(size), \(scheme)")
        }
      }
    }

    @Test(.hangLimit)
    func `with reduced motion nothing is animated`() throws {
      try browser.prefer(["prefers-reduced-motion": "reduce"])
      // Without the preference, queued states blink.
      stage.phone.send("/loop/lateness", .float(0))
      stage.phone.send("/loop/quantize", .string("bar"))
      stage.phone.send("/player/record")
      for page in PageStage.pages {
        try stage.turn(to: page)
        let faults = try browser.motionFaults()
        #expect(faults == [], "\(page)")
      }
      stage.phone.send("/loop/cancel")
      stage.phone.send("/player/stop")
    }
  }
}
