import Foundation
import TestSupport
import Testing

@testable import Library

/// The completion of species names.
@Suite final class SpeciesNamesTests {
  private let fixture: LibraryFixture
  private var library: TakeLibrary { fixture.library }

  init() throws { fixture = try LibraryFixture() }

  private func write(_ list: String) throws {
    try Data(list.utf8).write(to: URL(filePath: "\(fixture.home)/species.txt"))
  }

  private func add(_ species: String...) throws {
    for (day, species) in species.enumerated() {
      try fixture.add("t", day: day) { $0.species = species }
    }
  }

  @Test func `the most frequent names come first, then those of the list`() throws {
    try add("Blackcap", "Blackbird", "Robin", "Blackbird", "")
    try write("Black Kite; Milvus migrans\nblackbird\nBlackcap;Sylvia atricapilla\n\nOwl")
    #expect(try library.speciesNames(beginning: "bla") == ["Blackbird", "Blackcap", "Black Kite"])
    #expect(
      try library.speciesNames()
        == ["Blackbird", "Blackcap", "Robin", "Black Kite", "Owl"])
    #expect(try library.speciesNames(beginning: "x").isEmpty)
  }

  @Test func `each word of either name can match, and diacritics are ignored`() throws {
    try add("Pájaro carpintero", "Eurasian Blue Tit")
    try write(
      "\u{FEFF}Great Tit ; Parus major\r\nGrünspecht;Picus viridis\r\nBlue-tailed Bee-eater")
    #expect(try library.speciesNames(beginning: "PAJ") == ["Pájaro carpintero"])
    #expect(try library.speciesNames(beginning: "pája") == ["Pájaro carpintero"])
    #expect(
      try library.speciesNames(beginning: "blue t") == [
        "Eurasian Blue Tit", "Blue-tailed Bee-eater",
      ])
    #expect(try library.speciesNames(beginning: "tit") == ["Eurasian Blue Tit", "Great Tit"])
    // The name that matches is offered.
    #expect(try library.speciesNames(beginning: "par") == ["Parus major"])
    #expect(try library.speciesNames(beginning: "grunsp") == ["Grünspecht"])
    #expect(try library.speciesNames(beginning: "tit great").isEmpty)
    #expect(try library.speciesNames(beginning: "ird").isEmpty)
  }

  @Test func `operators and keywords of the search syntax are literal`() throws {
    try add("Owl \"AND\" Co")
    for text in ["\"", "*", "owl\" OR \"x", "NOT", "owl*", "(", "^", "\0"] {
      _ = try library.speciesNames(beginning: text)
    }
    #expect(try library.speciesNames(beginning: "owl \"and\"") == ["Owl \"AND\" Co"])
    #expect(try library.speciesNames(beginning: String(repeating: "owl ", count: 60)).isEmpty)
  }

  @Test func `the default limit is twenty, and an overlong line is skipped`() throws {
    try write(
      (0..<50).map { "Bird \($0)\n" }.joined() + "Bird " + String(repeating: "x", count: 300))
    #expect(try library.speciesNames(beginning: "bird").count == 20)
    #expect(try library.speciesNames(beginning: "bird", most: 100).count == 50)
  }

  @Test func `a changed or deleted list is reloaded`() throws {
    try write("Owl")
    #expect(try library.speciesNames(beginning: "owl") == ["Owl"])
    try write("Owlet; Athene")
    #expect(try library.speciesNames(beginning: "owl") == ["Owlet"])
    #expect(try library.scientificName(of: "owlet") == "Athene")
    #expect(try library.scientificName(of: "Athene") == nil)
    #expect(try library.scientificName(of: "Owl") == nil)
    try FileManager.default.removeItem(atPath: "\(fixture.home)/species.txt")
    #expect(try library.speciesNames(beginning: "owl").isEmpty)
  }

  @Test func `takes in the trash are ignored`() throws {
    let take = try fixture.add("t") { $0.species = "Wren" }
    #expect(try library.speciesNames(beginning: "wr") == ["Wren"])
    try library.delete(take.id)
    #expect(try library.speciesNames(beginning: "wr").isEmpty)
    #expect(try library.speciesNames().isEmpty)
  }
}
