import HTTP
import JSON
import Testing

@testable import Pictures

/// Parsing of the services' responses.
@Suite struct ServicesTests {
  private let iNaturalist = INaturalist(base: INaturalist.real)
  private let commons = WikimediaCommons(base: WikimediaCommons.real)

  private func json(_ text: String) throws -> JSON { try JSON(Array(text.utf8)) }

  // MARK: - iNaturalist

  @Test func `an exact match of the taxon's name wins, else the first result`() throws {
    let found = try json(
      """
      {"results": [
        {"id": 1, "name": "Troglodytes aedon", "preferred_common_name": "House Wren"},
        {"id": 2, "name": "Troglodytes troglodytes", "preferred_common_name": "Wren"},
        {"id": 3, "name": "Pica pica", "matched_term": "Elster"}]}
      """)
    #expect(INaturalist.taxon(of: "wren", in: found) == 2)
    #expect(INaturalist.taxon(of: "Elster", in: found) == 3)
    #expect(INaturalist.taxon(of: "wr", in: found) == 1)
    #expect(INaturalist.taxon(of: "wren", in: try json("{\"results\": []}")) == nil)
    #expect(INaturalist.taxon(of: "wren", in: try json("[1, null]")) == nil)
  }

  private func photo(
    _ id: Int, _ licence: String,
    url: String = "https://static.inaturalist.org/photos/9/square.jpg",
    attribution: String = "(c) Ann Lee, some rights reserved (CC BY)"
  ) -> String {
    """
    {"id": \(id), "license_code": \(licence), "attribution": "\(attribution)", "url": "\(url)"}
    """
  }

  private func offers(_ photos: [String]) throws -> [PictureOffer] {
    let others = photos.map { "{\"photo\": \($0)}" }.joined(separator: ",")
    return iNaturalist.list(
      in: try json(
        """
        {"results": [{"id": 12716, "name": "Turdus merula", "default_photo": \(photos[0]),
          "taxon_photos": [\(others)]}]}
        """)
    ).offers
  }

  @Test func `each suitable photo is offered once, with its attribution`() throws {
    let offers = try offers([
      photo(7, "\"cc-by-sa\""), photo(8, "null"), photo(9, "\"cc-by-nd\""),
      photo(10, "\"cc-by-nc\""),
      photo(11, "\"cc0\"", attribution: "no rights reserved"),
    ])
    #expect(offers.map(\.key) == ["inaturalist:7", "inaturalist:10", "inaturalist:11"])
    let first = try #require(offers.first)
    #expect(first.author == "Ann Lee")
    #expect(first.licence.code == "cc-by-sa")
    #expect(first.page == "https://www.inaturalist.org/photos/7")
    #expect(first.image.text == "https://static.inaturalist.org/photos/9/medium.jpg")
    #expect(first.small?.text == "https://static.inaturalist.org/photos/9/square.jpg")
    #expect([first.taxonID, first.taxon] == ["12716", "Turdus merula"])
    #expect(offers.map(\.licence.isNoncommercial) == [false, true, false])
    #expect(offers.last?.author == "")
  }

  @Test func `photos on other servers, or without a required author, are not offered`()
    throws
  {
    let places = [
      "https://live.staticflickr.com/1/square.jpg", "http://static.inaturalist.org/1/square.jpg",
      "https://static.inaturalist.org:444/1/square.jpg", "https://127.0.0.1/square.jpg",
      "https://static.inaturalist.org@10.0.0.1/square.jpg", "file:///etc/passwd",
    ]
    #expect(try offers(places.map { photo(1, "\"cc-by\"", url: $0) }) == [])
    #expect(try offers([photo(1, "\"cc-by\"", attribution: "")]) == [])
    #expect(try offers([photo(1, "\"cc-by\"")]).count == 1)
  }

  @Test(arguments: [
    ("(c) Ann Lee, some rights reserved (CC BY-NC)", "Ann Lee"),
    ("© Ann, Bob &amp; Co, all rights reserved", "Ann, Bob & Co"),
    ("no rights reserved, uploaded by Ann Lee", "Ann Lee"),
    ("Ann Lee, no rights reserved (CC0)", "Ann Lee"), ("no rights reserved", ""),
  ])
  func `the author is extracted from the attribution`(line: String, author: String) {
    #expect(INaturalist.author("", line) == author)
    #expect(INaturalist.author("Cy <b>", line) == "Cy <b>")
  }

  // MARK: - Wikimedia Commons

  private func page(
    _ id: Int, index: Int, licence: String, artist: String = "<a href='/x'>Ann <b>Lee</b></a>",
    mime: String = "image/jpeg", host: String = "upload.wikimedia.org"
  ) -> String {
    """
    {"pageid": \(id), "ns": 6, "title": "File:\(id).jpg", "index": \(index), "imageinfo": [
      {"mime": "\(mime)", "thumburl": "https://\(host)/thumb/\(id)/640px.jpg",
       "url": "https://\(host)/\(id).jpg",
       "descriptionurl": "https://commons.wikimedia.org/wiki/File:\(id).jpg",
       "extmetadata": {"Artist": {"value": "\(artist)"}, "LicenseShortName": {"value": "\(licence)"},
         "LicenseUrl": {"value": "https://creativecommons.org/licenses/by-sa/3.0"}}}]}
    """
  }

  private func hits(_ pages: [String]) throws -> JSON {
    try json("{\"query\": {\"pages\": [\(pages.joined(separator: ","))]}}")
  }

  @Test func `files are offered in search order, with attribution in plain text`()
    throws
  {
    let hits = try hits([
      page(5, index: 2, licence: "CC BY-SA 3.0"), page(6, index: 1, licence: "Public domain"),
      page(7, index: 3, licence: "GFDL"), page(8, index: 4, licence: "CC0", mime: "image/svg+xml"),
      page(9, index: 5, licence: "CC0", host: "example.org"),
      page(10, index: 6, licence: "CC BY 4.0", artist: ""),
    ])
    let offers = commons.offers(in: hits)
    #expect(offers.map(\.key) == ["commons:6", "commons:5"])
    #expect(offers[1].author == "Ann Lee")
    #expect(offers[1].licence.code == "cc-by-sa")
    #expect(offers[1].licence.url == "https://creativecommons.org/licenses/by-sa/3.0")
    #expect(offers[1].page == "https://commons.wikimedia.org/wiki/File:5.jpg")
    #expect(offers[1].image.text == "https://upload.wikimedia.org/thumb/5/640px.jpg")
    let small = commons.adding(
      try json(
        """
        {"query": {"pages": [
          {"pageid": 5, "imageinfo": [{"thumburl": "https://upload.wikimedia.org/thumb/5/96px.jpg"}]},
          {"pageid": 6, "imageinfo": [{"thumburl": "https://example.org/96px.jpg"}]}]}}
        """), to: offers)
    #expect(small.map(\.small?.text) == [nil, "https://upload.wikimedia.org/thumb/5/96px.jpg"])
  }

  @Test func `an empty result is not a fault`() throws {
    for text in ["{\"batchcomplete\": true}", "{\"error\": {\"code\": \"x\"}}", "[]"] {
      #expect(commons.offers(in: try json(text)) == [])
    }
  }

  // MARK: - Hosts

  @Test func `a replacement server can't lead to other servers`() throws {
    let own = INaturalist(base: try #require(HTTPPlace("http://museum.local:8000")))
    for (text, isAllowed) in [
      ("http://museum.local:8000/a.jpg", true), ("http://museum.local:8001/a.jpg", false),
      ("https://museum.local:8000/a.jpg", false), ("https://static.inaturalist.org/a.jpg", false),
    ] {
      #expect(own.allows(try #require(HTTPPlace(text))) == isAllowed, "\(text)")
    }
    #expect(iNaturalist.allows(try #require(HTTPPlace("https://static.inaturalist.org/a.jpg"))))
    #expect(!iNaturalist.allows(try #require(HTTPPlace("https://upload.wikimedia.org/a.jpg"))))
    #expect(commons.allows(try #require(HTTPPlace("https://upload.wikimedia.org/a.jpg"))))
  }
}
