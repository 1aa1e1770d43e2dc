import Control
import Foundation
import Library
import OSC
import Posix
import TestSupport
import Testing

/// Pictures of species, as requested by a client.
@Suite final class PicturesTests {
  private let folder: TemporaryFolder
  private let server: PictureServer
  private let desk: Desk
  private let library: TakeLibrary
  private let id: String
  private static let other = Desk.client(9001)

  init() throws {
    folder = try TemporaryFolder()
    server = try PictureServer()
    library = try TakeLibrary(home: folder.path("home"))
    let path = folder.path("a.wav")
    try SoundFixture.write(path, [Tone.constant(0.1, frames: 480)], samples: .integer16)
    id = try library.importFile(path).id
    desk = Desk(home: folder.path("home"))
    desk.tell("/settings/pictures/inaturalist", .string(server.url))
    desk.tell("/settings/pictures/commons", .string(server.url))
    desk.tell("/subscribe", .string("/take"), as: Self.other)
    desk.pass()
    desk.awaitDisk()
    _ = desk.take()
    _ = desk.take(Self.other)
  }

  private func code(_ received: [Received]) -> String? {
    received.first { $0.address == "/error" }?.arguments[1].text
  }

  /// Waits without moving the clock, since subscriptions expire after a minute.
  private func wait(until what: String, _ isSo: () -> Bool) {
    desk.wait(until: what) {
      _ = desk.node.tick()
      return isSo()
    }
  }

  /// Requests a picture, and returns the reply.
  private func find() -> Received? {
    var all = desk.tell("/take/picture", .string(id))
    wait(until: "/take/picture is answered") {
      all += desk.take()
      return all.contains { ["/reply", "/error"].contains($0.address) }
    }
    return all.last
  }

  /// The updates for subscribers.
  private func news() -> [[Argument]] {
    desk.take(Self.other).filter { $0.address == "/take/picture" }.map(\.arguments)
  }

  private func origin() throws -> ImageOrigin { library.imageOrigin(try library.take(id)) }

  private func setSpecies(_ name: String) {
    #expect(desk.ask("/take/species", .string(id), .string(name)).last?.address == "/reply")
  }

  // MARK: - Requests

  @Test func `a picture is found, credited, shown, replaced and removed`() throws {
    server.haveSpecies(
      "Turdus merula", [.init(1, nil), .init(2, "cc-by"), .init(3, "cc0", by: "Bo")])
    server.haveNoFiles()
    setSpecies("Turdus merula")
    let found = find()
    let page = "https://www.inaturalist.org/photos/2"
    #expect(
      found
        == Received("/reply", [.string("/take/picture"), .string(id), .string(page)]))
    let told = try #require(news().first)
    #expect(
      told[..<5] == [
        .string(id), .string("Ann Lee"), .string("cc-by"),
        .string("https://creativecommons.org/licenses/by/4.0/"), .string(page),
      ])
    let date = try #require(ZonedDate(told[5].text ?? ""))
    #expect(abs(date.microseconds - ZonedDate.now.microseconds) < 60_000_000)
    #expect(
      server.requests.allSatisfy { $0.userAgent.hasPrefix("Syrinx/\(Version.text) (") })
    let shown = desk.ask("/take/show", .string(id))
    #expect(shown.first { $0.address == "/take/picture" }?.arguments == told)
    #expect(shown.first { $0.address == "/take/image" }?.arguments[1] == .string("\(id).png"))
    // The next picture, from lists already fetched.
    #expect(find()?.arguments[2].text?.hasSuffix("/3") == true)
    #expect(news().last?[1] == .string("Bo"))
    #expect(desk.ask("/take/picture/remove", .string(id)).last?.address == "/reply")
    #expect(news().last == [.string(id)] + Array(repeating: Argument.string(""), count: 5))
    #expect(try origin() == .none)
    #expect(!desk.ask("/take/show", .string(id)).contains { $0.address == "/take/picture" })
    #expect(code(desk.ask("/take/picture/remove", .string(id))) == "missing")
  }

  @Test func `impossible requests are refused in a line, without a query to a service`() throws {
    #expect(code(desk.ask("/take/picture", .string(id))) == "state")
    #expect(code(desk.ask("/take/picture", .string(Take.newID()))) == "missing")
    setSpecies("Wren")
    try Data(PictureFile.png(width: 3, height: 3)).write(
      to: URL(filePath: folder.path("home/own.png")))
    #expect(
      desk.ask("/take/image", .string(id), .string("own.png")).last?.address == "/reply")
    #expect(code(desk.ask("/take/picture", .string(id))) == "denied")
    #expect(code(desk.ask("/take/picture/remove", .string(id))) == "denied")
    #expect(try origin() == .own)
    #expect(code(Desk().ask("/take/picture", .string(id))) == "state")
    #expect(server.requests.isEmpty)
  }

  @Test func `a user's image replaces a fetched one, and removes its credit`() throws {
    server.haveSpecies("Wren", [.init(1, "cc-by")])
    server.haveNoFiles()
    setSpecies("Wren")
    #expect(find()?.address == "/reply")
    #expect(news().count == 1)
    try Data([1, 2, 3]).write(to: URL(filePath: folder.path("home/own.png")))
    _ = desk.ask("/take/image", .string(id), .string("own.png"))
    #expect(news().last?[2] == .string(""))
    #expect(try origin() == .own)
  }

  @Test func `a failing service is reported, and the take is unchanged`() throws {
    server.serve("/v1/taxa", .init("<html>", type: "text/html"))
    server.haveNoFiles()
    setSpecies("Wren")
    let answer = try #require(find())
    #expect(code([answer]) == "io")
    #expect(answer.arguments[2].text?.contains("127.0.0.1") == true)
    #expect(try origin() == .none)
    #expect(news().isEmpty)
  }

  @Test func `one search runs at a time, and the node does not wait for it at exit`() throws {
    server.haveSpecies("Wren", [.init(1, "cc-by")])
    server.haveNoFiles()
    var slow = PictureServer.Reply(PictureFile.png(width: 3, height: 3))
    slow.isHeld = true
    server.serve("/photos/1/medium.jpg", slow)
    setSpecies("Wren")
    desk.tell("/take/picture", .string(id))
    wait(until: "the picture is asked for") {
      server.requests.contains { $0.target.hasSuffix("medium.jpg") }
    }
    #expect(code(desk.ask("/take/picture", .string(id))) == "busy")
    #expect(!desk.node.isWriting)
    // The species has changed, so the picture is not used.
    setSpecies("Owl")
    server.goOn()
    wait(until: "the search is over") { code(desk.take()) == "state" }
    #expect(try origin() == .none)
  }

  // MARK: - Automatic search

  @Test func `no species is disclosed unless enabled`() throws {
    server.haveSpecies("Wren", [.init(1, "cc-by")])
    server.haveNoFiles()
    #expect(desk.tell("/settings/pictures") == [Received("/settings/pictures", [.int32(0)])])
    setSpecies("Wren")
    desk.awaitDisk()
    desk.pass()
    #expect(server.requests.isEmpty)
    desk.tell("/settings/pictures", .int32(1))
    setSpecies("wren")
    wait(until: "there is a picture") { !news().isEmpty }
    #expect(try origin().credit?.species == "wren")
    // The same species again has its picture.
    let count = server.requests.count
    setSpecies("wren")
    desk.awaitDisk()
    desk.pass()
    #expect(server.requests.count == count)
  }

  @Test func `a user's image is not replaced, and the reason for no picture is reported`() throws {
    desk.tell("/settings/pictures", .int32(1))
    setSpecies("Wren")
    wait(until: "it is told") {
      desk.take().contains { $0.address == "/error" && $0.arguments[0] == .string("/take/picture") }
    }
    server.haveSpecies("Owl", [.init(1, "cc-by")])
    try Data([1, 2, 3]).write(to: URL(filePath: folder.path("home/own.png")))
    _ = desk.ask("/take/image", .string(id), .string("own.png"))
    let count = server.requests.count
    setSpecies("Owl")
    desk.awaitDisk()
    desk.pass()
    #expect(server.requests.count == count)
    #expect(try origin() == .own)
  }

  // MARK: - Settings and names

  @Test func `servers are set by URL, and persisted`() throws {
    for text in ["ftp://x", "http://", "http://a:b@x", "http://x/?a=", "/x", "http://x/#a"] {
      #expect(
        code(desk.tell("/settings/pictures/commons", .string(text))) == "range", "\(text)")
    }
    #expect(
      desk.tell("/settings/pictures/commons")
        == [Received("/settings/pictures/commons", [.string(server.url)])])
    desk.node[Takes.self].open { _ in }
    desk.tell("/settings/pictures/noncommercial", .int32(1))
    desk.tell("/settings/pictures/commons", .string(""))
    desk.awaitDisk()
    let next = Desk(home: folder.path("home"))
    next.node[Takes.self].open { _ in }
    next.awaitDisk()
    for (path, value) in [
      ("/settings/pictures", .int32(0)), ("/settings/pictures/noncommercial", .int32(1)),
      ("/settings/pictures/commons", .string("")),
      ("/settings/pictures/inaturalist", .string(server.url)),
    ] as [(String, Argument)] {
      #expect(next.tell(path) == [Received(path, [value])], "\(path)")
    }
  }

  @Test func `species are completed from takes and from the list`() throws {
    setSpecies("Blackbird")
    try Data("Blackcap; Sylvia atricapilla\nOwl\n".utf8).write(
      to: URL(filePath: folder.path("home/species.txt")))
    func names(_ text: String) -> [Received] {
      desk.ask("/species", .string(text), until: ["/species/end"])
    }
    #expect(
      names("bla") == [
        Received("/species/name", [.string("Blackbird")]),
        Received("/species/name", [.string("Blackcap")]), Received("/species/end", [.int32(2)]),
      ])
    #expect(names("syl").first == Received("/species/name", [.string("Sylvia atricapilla")]))
    #expect(names("x") == [Received("/species/end", [.int32(0)])])
    #expect(desk.ask("/species", until: ["/species/end"]).count == 4)
  }

  @Test func `services are queried by the scientific name in the list`() throws {
    try Data("Schwarzkopf; Sylvia atricapilla\n".utf8).write(
      to: URL(filePath: folder.path("home/species.txt")))
    server.haveSpecies("Sylvia atricapilla", [.init(1, "cc-by")])
    setSpecies("Schwarzkopf")
    #expect(find()?.address == "/reply")
    #expect(server.requests[0].target.contains("q=Sylvia%20atricapilla&"))
    #expect(try origin().credit?.species == "Schwarzkopf")
  }
}
