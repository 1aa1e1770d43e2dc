import Foundation
import TestSupport
import Testing

extension NodeTests.PageTests {
  /// The delivery of the page: small, from the node only, and cached.
  @Suite struct PageDeliveryTests {
    private let stage: PageStage
    private var browser: Browser { stage.browser }

    init() throws { stage = try PageStage.ready(.laptop) }

    /// The page's requests since it was opened, whether they succeeded or not.
    private func requests() throws -> [String] {
      try browser.run(
        "return performance.getEntriesByType('resource').map((one) => one.name)") as? [String] ?? []
    }

    @Test(.hangLimit)
    func `everything is fetched from the node`() throws {
      for page in PageStage.pages {
        try stage.turn(to: page)
        try stage.awaitRest()
      }
      let requests = try requests()
      #expect(requests.count > 20)
      #expect(requests.filter { !$0.hasPrefix(stage.address) && !$0.hasPrefix("blob:") } == [])
      var faults = try browser.takeFaults()
      #expect(faults == [])
      // External requests are recorded, including those that the policy blocks.
      try browser.run(
        """
        new Image().src = "https://tile.openstreetmap.org/0/0/0.png";
        fetch("https://swift.org/").catch(() => {});
        """)
      try browser.await(
        "performance.getEntriesByType('resource').some((one) => one.name.includes('openstreetmap'))"
      )
      try waitUntil("a violation of the policy is reported") {
        faults += try browser.takeFaults()
        return faults.contains { $0.contains("Content Security Policy") }
      }
    }

    @Test(.hangLimit)
    func `all modules that the page imports are preloaded, and no others`() throws {
      func names(_ script: String) throws -> Set<String> {
        Set(try browser.run("return \(script)") as? [String] ?? [])
      }
      // Before anything is imported on demand.
      try stage.open("voice")
      let fetched = try requests().filter { $0.hasSuffix(".js") }
      let preloaded = try names(
        "[...document.querySelectorAll('link[rel=modulepreload]')].map((one) => one.href)")
      #expect(preloaded.count > 40)
      #expect(Set(fetched) == preloaded)
    }

    @Test(.hangLimit)
    func `it is less than 200 kB, compressed, and is fetched again only if changed`()
      throws
    {
      let folder = PageStage.files.standardizedFileURL
      let files = try #require(
        FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      )
      .compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
      .map { "/page" + $0.standardizedFileURL.path.dropFirst(folder.path.count) }
      #expect(files.count > 20)
      var (bytes, first) = (0, 0)
      // The first of its files is inlined in the page.
      for path in ["/"] + files.filter({ !["/page/index.html", "/page/page.css"].contains($0) }) {
        let asking = ["Accept": "text/html", "Accept-Encoding": "gzip"]
        let phone = try WebPhone(port: stage.node.webPort)
        let answer = try phone.get(path, asking)
        #expect(answer.status == 200, "\(path)")
        bytes += answer.body.count
        if path == "/" { first = answer.body.count }
        let tag = try #require(answer.headers["etag"])
        let again = try phone.get(path, asking.merging(["If-None-Match": tag]) { $1 })
        #expect(again.status == 304 && again.body == [], "\(path)")
        let other = try phone.get(path, asking.merging(["If-None-Match": "\"old\""]) { $1 })
        #expect(other.status == 200 && other.body == answer.body, "\(path)")
      }
      print("the page has \(bytes) bytes, compressed, \(first) of them before the first paint")
      #expect(bytes < 200_000)
      // Ten packets: the network's first burst.
      #expect(first < 14_600)
    }
  }
}
