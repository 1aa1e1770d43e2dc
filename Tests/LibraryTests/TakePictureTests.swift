import Foundation
import TestSupport
import Testing

@testable import Library

/// Downloaded pictures of takes.
@Suite final class TakePictureTests {
  private let fixture: LibraryFixture
  private var library: TakeLibrary { fixture.library }

  init() throws { fixture = try LibraryFixture() }

  private func picture(
    _ key: String = "inaturalist:1", bytes: [UInt8] = [1, 2, 3], ending: String = "jpg",
    small: [UInt8]? = [9]
  ) -> FetchedPicture {
    FetchedPicture(
      image: FetchedPicture.File(bytes, ending: ending),
      small: small.map { FetchedPicture.File($0, ending: "png") },
      credit: PictureCredit(
        author: "Ann \"Lee\"", licence: "cc-by", licenceURL: "https://x/by", source: "https://x/1",
        key: key, date: LibraryFixture.date(3), taxonID: "12", taxon: "Turdus merula",
        species: "Blackbird"))
  }

  private func fault(_ body: () throws(LibraryFault) -> Void) -> LibraryFault.Kind? {
    do throws(LibraryFault) {
      try body()
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func `a picture is stored and removed with its attribution`() throws {
    let take = try fixture.add("t")
    #expect(library.imageOrigin(take) == .none)
    let new = try library.setPicture(take.id, picture())
    #expect(library.imageOrigin(new) == .fetched(picture().credit))
    #expect(library.smallImagePath(new) == "\(fixture.home)/takes/\(take.id).small.png")
    let names = ["\(take.id).jpg", "\(take.id).picture.json", "\(take.id).small.png"]
    #expect(try fixture.names() == names + ["\(take.id).wav", "trash"])
    try library.delete(take.id)
    #expect(try fixture.names("takes/trash") == names + ["\(take.id).wav"])
    let back = try library.restore(take.id)
    #expect(library.imageOrigin(back) == .fetched(picture().credit))
    let without = try library.removePicture(take.id)
    #expect(without.image.isEmpty)
    #expect(try fixture.names() == ["\(take.id).wav", "trash"])
    #expect(fault { () throws(LibraryFault) in try library.removePicture(take.id) } == .missing)
    try library.setPicture(take.id, picture())
    try library.delete(take.id)
    try library.emptyTrash(olderThanDays: -1)
    #expect(try fixture.names("takes/trash").isEmpty)
  }

  @Test func `a new picture leaves nothing of the previous one`() throws {
    let take = try fixture.add("t")
    try library.setPicture(take.id, picture())
    let new = try library.setPicture(
      take.id, picture("commons:2", bytes: [4], ending: "webp", small: nil))
    #expect(library.imageOrigin(new).credit?.key == "commons:2")
    #expect(library.smallImagePath(new) == nil)
    #expect(
      try fixture.names() == [
        "\(take.id).picture.json", "\(take.id).wav", "\(take.id).webp", "trash",
      ])
  }

  @Test func `an image set by the user stays, and replaces the attribution of a downloaded one`()
    throws
  {
    let take = try fixture.add("t")
    try library.setPicture(take.id, picture())
    let own = try library.setImage(take.id, [7, 7], ending: "jpg")
    #expect(library.imageOrigin(own) == .own)
    #expect(try fixture.names() == ["\(take.id).jpg", "\(take.id).wav", "trash"])
    #expect(
      fault { () throws(LibraryFault) in try library.setPicture(take.id, picture()) } == .denied)
    #expect(fault { () throws(LibraryFault) in try library.removePicture(take.id) } == .denied)
    #expect(
      try Data(contentsOf: URL(filePath: "\(fixture.home)/takes/\(take.id).jpg")) == Data([7, 7]))
  }

  @Test func `a rebuilt database has the pictures and their attributions`() throws {
    let take = try fixture.add("t")
    try library.setPicture(take.id, picture())
    #expect(try library.reindex() == Reindexing(takes: 1))
    let again = try library.take(take.id)
    #expect(again.image == "\(take.id).jpg")
    #expect(library.imageOrigin(again) == .fetched(picture().credit))
  }

  @Test func `an attribution that is malformed or belongs to another picture is ignored`() throws {
    let take = try fixture.add("t")
    let new = try library.setPicture(take.id, picture())
    let path = "\(fixture.home)/takes/\(take.id)"
    // As left behind by a crash.
    try Data([1, 2, 3, 4]).write(to: URL(filePath: path + ".jpg"))
    #expect(library.imageOrigin(new) == .own)
    #expect(library.smallImagePath(new) == nil)
    try Data([1, 2, 3]).write(to: URL(filePath: path + ".jpg"))
    #expect(library.imageOrigin(new) != .own)
    try Data("{\"bytes\": 3".utf8).write(to: URL(filePath: path + ".picture.json"))
    #expect(library.imageOrigin(new) == .own)
  }

  @Test func `only the file extension of a thumbnail is stored`() throws {
    let take = try fixture.add("t")
    let new = try library.setPicture(take.id, picture())
    let path = "\(fixture.home)/takes/\(take.id).picture.json"
    let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    try Data(text.replacing("\"png\"", with: "\"/../../../x\"").utf8).write(to: URL(filePath: path))
    #expect(library.imageOrigin(new) != .own)
    #expect(library.smallImagePath(new) == nil)
  }
}
