import Foundation
import Library
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Pictures of species in the running node, which queries the test's own server.
  @Suite struct PictureTests {
    private let server: PictureServer
    private let home: TakesHome

    init() throws {
      server = try PictureServer()
      home = try TakesHome()
    }

    private var settings: [String] {
      [
        "--set", "/settings/pictures/inaturalist=\(server.url)",
        "--set", "/settings/pictures/commons=\(server.url)",
      ]
    }

    /// Returns the contents of `/reply` or `/error`, and the messages before it.
    private func ask(_ phone: Phone, _ address: String, _ arguments: Argument...) -> [Received] {
      phone.send(bytes: [UInt8](address: address, arguments))
      return phone.receive(untilOneOf: ["/reply", "/error"])
    }

    @Test(.hangLimit)
    func `a picture is fetched, served as a thumbnail, and survives node and database`() throws {
      server.haveSpecies("Erithacus rubecula", called: "Robin", [.init(4, "cc-by-sa")])
      server.haveNoFiles()
      let id = try home.add("Dawn") { $0.species = "Robin" }.id
      do {
        let (node, phone) = try startNode(
          on: try JackServer(), settings, home: home.home, hasPage: true)
        let last = ask(phone, "/take/picture", .string(id)).last
        #expect(last?.arguments.last == .string("https://www.inaturalist.org/photos/4"), "\(last)")
        let web = try WebPhone(port: node.webPort)
        let files = "/files/takes/\(id)"
        let small = try web.get("\(files)/small")
        #expect(small.body == PictureFile.png(width: 7, height: 7))
        #expect(small.headers["content-type"] == "image/png")
        #expect(try web.get("\(files)/image").body == PictureFile.png(width: 50, height: 40))
        #expect(node.end() == 0)
        #expect(!node.errors.contains("picture"), "\(node.errors)")
      }
      #expect(try home.takes("reindex").code == 0)
      let source = "https://www.inaturalist.org/photos/4"
      #expect(try home.lines("show", id).contains("picture   Ann Lee, cc-by-sa, \(source)"))
      #expect(
        try home.lines("show", "--json", id).first?.contains("\"source\":\"\(source)\"") == true)
      let (_, node, phone) = try startNode(home: home.home)
      let shown = ask(phone, "/take/show", .string(id))
      #expect(
        shown.first { $0.address == "/take/picture" }?.arguments[1...2]
          == [.string("Ann Lee"), .string("cc-by-sa")])
      #expect(ask(phone, "/take/picture/remove", .string(id)).last?.address == "/reply")
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a server that never ends its reply delays neither messages nor the exit`() throws {
      server.haveSpecies("Wren", [.init(1, "cc-by")])
      server.haveNoFiles()
      var slow = PictureServer.Reply(PictureFile.png(width: 5, height: 5))
      slow.isHeld = true
      server.serve("/photos/1/medium.jpg", slow)
      let id = try home.add("Dawn") { $0.species = "Wren" }.id
      let (_, node, phone) = try startNode(settings, home: home.home)
      phone.send("/take/picture", .string(id))
      try waitUntil("the picture is requested") {
        server.requests.contains { $0.target.hasSuffix("medium.jpg") }
      }
      #expect(phone.sync())
      #expect(ask(phone, "/take/title", .string(id), .string("Dusk")).last?.address == "/reply")
      let start = Date()
      #expect(node.end() == 0)
      // Less than the limit of 20 s for a request.
      #expect(Date().timeIntervalSince(start) < 15)
    }

    @Test(.hangLimit)
    func `invalid replies of a server are refused in one line`() throws {
      let elsewhere = try PictureServer()
      elsewhere.serve("/a.png", .init(PictureFile.png(width: 5, height: 5)))
      let id = try home.add("Dawn") { $0.species = "Wren" }.id
      let (_, node, phone) = try startNode(settings, home: home.home)
      server.haveNoFiles()
      var endless = PictureServer.Reply(PictureFile.png(width: 5, height: 5))
      endless.isEndless = true
      for (reply, words) in [
        (.init("<html>", type: "image/jpeg"), "is not a picture"),
        (.init(to: "\(elsewhere.url)/a.png"), "not allowed"), (endless, "2 MB"),
      ] as [(PictureServer.Reply, String)] {
        server.haveSpecies("Wren", [.init(1, "cc-by")])
        server.serve("/photos/1/medium.jpg", reply)
        let last = ask(phone, "/take/picture", .string(id)).last
        #expect(last?.arguments[1] == .string("io"))
        #expect(last?.arguments[2].text?.contains(words) == true, "\(last)")
      }
      #expect(elsewhere.requests.isEmpty)
      #expect(try home.library().take(id).image.isEmpty)
      #expect(node.end() == 0)
    }
  }
}
