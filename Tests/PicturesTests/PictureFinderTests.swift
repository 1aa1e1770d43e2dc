import HTTP
import Library
import Pictures
import Posix
import TestSupport
import Testing

/// The picture finder with well-behaved and misbehaving servers.
@Suite struct PictureFinderTests {
  private let server: PictureServer
  private let finder = PictureFinder(userAgent: "Tester/1 (here)", secondsBetween: 0)

  init() throws { server = try PictureServer() }

  private func find(
    after former: String? = nil, _ change: (inout PictureSearch) -> Void = { _ in }
  ) throws(PictureFault) -> FetchedPicture {
    var search = PictureSearch(of: "Blackbird", named: "Turdus merula")
    search.former = former
    search.iNaturalist = HTTPPlace(server.url)
    search.commons = HTTPPlace(server.url)
    change(&search)
    return try finder.find(search)
  }

  private func fault() -> PictureFault? {
    do throws(PictureFault) {
      _ = try find()
      return nil
    } catch {
      return error
    }
  }

  @Test
  func `pictures follow each other cyclically, starting with the first suitable one`()
    throws
  {
    server.haveSpecies(
      "Turdus merula",
      [.init(1, nil), .init(2, "cc-by", by: "Bo"), .init(3, "cc-by-nc"), .init(4, "cc0")])
    server.haveFile(5, licence: "CC BY-SA 4.0", author: "Cy")
    var keys: [String] = []
    for _ in 0..<4 { keys.append(try find(after: keys.last).credit.key) }
    #expect(keys == ["inaturalist:2", "inaturalist:4", "commons:5", "inaturalist:2"])
    #expect(
      try find(after: "inaturalist:2") { $0.allowsNoncommercial = true }.credit.key
        == "inaturalist:3")
    // If the last picture has disappeared, the cycle starts again.
    #expect(try find(after: "inaturalist:99").credit.key == "inaturalist:2")
    #expect(server.requests.allSatisfy { $0.userAgent == "Tester/1 (here)" })
    // One query per list, and one for the thumbnails.
    #expect(server.requests.filter { $0.target.hasPrefix("/v1/") }.count == 2)
    #expect(server.requests.filter { $0.target.hasPrefix("/w/") }.count == 2)
  }

  @Test func `a picture has its thumbnail and attribution`() throws {
    server.haveSpecies("Turdus merula", [.init(2, "cc-by-sa", by: "Bo")])
    let picture = try find()
    #expect(picture.image.bytes == PictureFile.png(width: 50, height: 40))
    // The extension follows the content, not the name.
    #expect(picture.image.ending == "png")
    #expect(picture.small?.bytes == PictureFile.png(width: 7, height: 7))
    let credit = picture.credit
    #expect([credit.author, credit.licence, credit.species] == ["Bo", "cc-by-sa", "Blackbird"])
    #expect(credit.licenceURL == "https://creativecommons.org/licenses/by-sa/4.0/")
    #expect(credit.source == "https://www.inaturalist.org/photos/2")
    #expect([credit.taxonID, credit.taxon] == ["12716", "Turdus merula"])
    #expect(server.requests[0].target.contains("q=Turdus%20merula&rank=species"))
  }

  @Test func `the second service is queried by scientific name`() throws {
    server.haveSpecies("Turdus merula", called: "Blackbird", [.init(1, nil)])
    server.haveFile(5, licence: "CC0", author: "")
    #expect(try find { $0.name = "Blackbird" }.credit.key == "commons:5")
    #expect(
      server.requests.contains { $0.target.contains("gsrsearch=intitle%3A%22Turdus%20merula%22") })
  }

  @Test func `a lack of suitable or further pictures is reported`() throws {
    server.haveSpecies("Turdus merula", [.init(1, nil), .init(2, "cc-by-nd")])
    server.haveNoFiles()
    #expect(fault()?.kind == .missing)
    server.haveSpecies("Turdus merula", [.init(3, "cc-by")])
    let finder = PictureFinder(userAgent: "Tester/1", secondsBetween: 0)
    var search = PictureSearch(of: "Blackbird", named: "Blackbird")
    (search.iNaturalist, search.commons) = (HTTPPlace(server.url), HTTPPlace(server.url))
    search.former = try finder.find(search).credit.key
    #expect(throws: PictureFault.self) { try finder.find(search) }
  }

  // MARK: - Misbehaving servers

  /// A species with one photo, which a server replaces.
  private func spoil(_ reply: PictureServer.Reply) -> PictureFault? {
    server.haveSpecies("Turdus merula", [.init(1, "cc-by")])
    server.haveNoFiles()
    server.serve("/photos/1/medium.jpg", reply)
    return fault()
  }

  @Test func `other content is rejected, whatever its declared type`() {
    #expect(
      spoil(.init("<!DOCTYPE html><title>Log in</title>", type: "image/jpeg"))?.message.contains(
        "is not a picture") == true)
  }

  @Test func `a picture of more than 2 MB is rejected, even with a smaller declared size`() {
    let large = PictureFile.png(width: 5, height: 5) + [UInt8](repeating: 0, count: 3 << 20)
    #expect(spoil(.init(large))?.message.contains("exceeds 2 MB") == true)
    var lying = PictureServer.Reply(large)
    lying.claimedLength = -1
    #expect(spoil(lying)?.message.contains("exceeds 2 MB") == true)
    var endless = PictureServer.Reply(PictureFile.png(width: 5, height: 5))
    endless.isEndless = true
    #expect(spoil(endless)?.message.contains("exceeds 2 MB") == true)
  }

  @Test func `a truncated picture is rejected`() {
    var short = PictureServer.Reply(PictureFile.png(width: 5, height: 5))
    short.claimedLength = 100_000
    #expect(spoil(short)?.kind == .unreachable)
  }

  @Test func `a small file with a huge picture is rejected`() {
    #expect(
      spoil(.init(PictureFile.png(saying: 10_000, 5001)))?.message.contains("10000 by 5001")
        == true)
    #expect(spoil(.init(PictureFile.png(saying: 10_000, 5000))) == nil)
  }

  @Test func `redirects to another server are not followed`() throws {
    let other = try PictureServer()
    other.serve("/a.png", .init(PictureFile.png(width: 5, height: 5)))
    #expect(spoil(.init(to: "\(other.url)/a.png"))?.message.contains("not allowed") == true)
    #expect(spoil(.init(to: "file:///etc/passwd")) != nil)
    #expect(other.requests.isEmpty)
    // Redirects on the same server are.
    server.serve("/b.png", .init(PictureFile.png(width: 5, height: 5)))
    #expect(spoil(.init(to: "\(server.url)/b.png")) == nil)
    #expect(spoil(.init(to: "\(server.url)/photos/1/medium.jpg"))?.kind == .unusable)
  }

  @Test func `a malformed response is a fault, and the second service is queried`() throws {
    server.serve("/v1/taxa", .init("<html>Busy</html>", type: "text/html"))
    server.haveNoFiles()
    #expect(fault()?.message.contains("invalid reply") == true)
    server.haveFile(5, licence: "CC0", author: "")
    #expect(
      try PictureFinder(userAgent: "Tester/1", secondsBetween: 0).find(both()).credit.key
        == "commons:5")
    var often = PictureServer.Reply("{}")
    often.status = 429
    server.serve("/v1/taxa", often)
    server.serve("/w/api.php", often)
    let fault = #expect(throws: PictureFault.self) {
      try PictureFinder(userAgent: "Tester/1", secondsBetween: 0).find(both())
    }
    #expect(fault?.kind == .unreachable)
    #expect(fault?.message.contains("too many requests") == true)
  }

  private func both() -> PictureSearch {
    var search = PictureSearch(of: "Blackbird", named: "Blackbird")
    (search.iNaturalist, search.commons) = (HTTPPlace(server.url), HTTPPlace(server.url))
    return search
  }

  @Test func `a malformed thumbnail is omitted`() throws {
    server.haveSpecies("Turdus merula", [.init(1, "cc-by")])
    server.serve("/photos/1/square.jpg", .init(PictureFile.png(width: 300, height: 20)))
    #expect(try find().small == nil)
    server.serve("/photos/1/square.jpg", .init("<html>"))
    #expect(try find().small == nil)
  }

  @Test func `requests to a host have a minimum interval`() throws {
    server.haveSpecies("Turdus merula", [.init(1, "cc-by")])
    let start = HostTime.steady
    _ = try PictureFinder(userAgent: "Tester/1", secondsBetween: 0.2).find(both())
    let times = server.requests.map(\.time)
    #expect(times.count == 4)
    for (index, time) in times.enumerated() {
      // A busy machine observes a request later than it was sent, which makes the time between two
      // shorter or longer, but never that since the start shorter.
      #expect(time - start >= Double(index) * 0.2e6)
    }
  }
}
