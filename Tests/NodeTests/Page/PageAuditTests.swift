import Foundation
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The audit of pages finds faults.
  @Suite struct PageAuditTests {
    private func withPage(_ body: String, _ look: (Browser) throws -> Void) throws {
      let browser = try PageStage.ready().browser
      let page =
        "<!doctype html><title>Faults</title><meta name=viewport content='width=device-width'><body style='margin:0'>\(body)"
      try browser.withAnotherWindow(.phone) {
        try browser.open("data:text/html;base64,\(Data(page.utf8).base64EncodedString())")
        try look(browser)
      }
    }

    @Test(.hangLimit)
    func `the audit finds a page's faults, and nothing else`() throws {
      try withPage(
        """
        <button style='position:absolute;left:0;top:0;width:60px;height:60px'>A</button>
        <button style='position:absolute;left:50px;top:50px;width:60px;height:60px'>B</button>
        <button style='position:absolute;left:150px;top:0;width:20px;height:60px'>C</button>
        <button style='position:absolute;left:200px;top:0;width:60px;height:60px'>D</button>
        <div style='position:absolute;left:200px;top:0;width:60px;height:60px'></div>
        <p style='position:absolute;top:220px;background:linear-gradient(#fff,#eee);color:#888'>faint</p>
        <p style='position:absolute;top:260px;background:#fff;color:#888;font-size:24px'>large</p>
        <p style='position:absolute;top:320px;background:#fff;color:#555'>strong</p>
        <p style='position:absolute;top:360px;background:#fff;opacity:0.4'>pale</p>
        <p style='position:absolute;top:400px;animation:a 2s infinite'>moves</p>
        <style>@keyframes a { to { opacity: 0.99 } }</style>
        <input style='position:absolute;top:440px;width:60px;height:60px' tabindex='-1'>
        """
      ) { browser in
        #expect(
          try browser.overlapFaults() == [
            #"button "A" and button "B" share 10.0 x 10.0"#, #"button "D" lies under div """#,
          ])
        #expect(try browser.targets(below: 24) == [#"button "C" 20.0 x 60.0"#])
        let contrast = try browser.contrastFaults()
        #expect(contrast.count == 2, "\(contrast)")
        #expect(contrast.first?.hasPrefix(#""faint" 3."#) ?? false)
        #expect(contrast.last?.hasPrefix(#""pale" "#) ?? false)
        #expect(try browser.motionFaults().contains { $0.hasPrefix(#"a of p "moves""#) })
        #expect(try browser.keyboardFaults() == [#"input """#])
        let names = try browser.spoken().map(\.name)
        #expect(try browser.widthFaults() == [])
        // Last: a phone then shows the whole page, smaller.
        try browser.run("document.body.append('a'.repeat(100))")
        #expect(try browser.widthFaults().count == 1)
        #expect(names == ["A", "B", "C", "D", ""], "\(names)")
      }
    }
  }
}
