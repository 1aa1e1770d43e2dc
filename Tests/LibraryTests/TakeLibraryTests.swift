import Foundation
import Posix
import TestSupport
import Testing

@testable import Library
@testable import SoundFiles

@Suite struct TakeLibraryTests {
  private let fixture: LibraryFixture
  private var library: TakeLibrary { fixture.library }

  init() throws { fixture = try LibraryFixture() }

  private func fails(
    _ kind: LibraryFault.Kind, mentioning text: String = "",
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws(LibraryFault) -> Void
  ) {
    do throws(LibraryFault) {
      try body()
      Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch {
      #expect(error.kind == kind, "\(error)", sourceLocation: sourceLocation)
      #expect(!error.message.contains("\n"), sourceLocation: sourceLocation)
      #expect(
        text.isEmpty || error.message.contains(text), "\(error)", sourceLocation: sourceLocation)
    }
  }

  // MARK: - Adding and listing

  @Test func `an added take is complete, also for other processes`() throws {
    var take = TakeTests.full()
    take.image = ""
    let path = library.recordingPath(take.id)
    try WaveFixture.write(path, Tone.noise(frames: 77), tags: take.tags)
    let added = try library.add(take, from: path)
    take.frames = 77
    #expect(added == take)
    for library in [library, try TakeLibrary(home: fixture.home)] {
      #expect(try library.take(take.id) == take)
      #expect(try library.list(count: 5).takes == [take])
    }
    #expect(try fixture.names() == ["\(take.id).wav", "trash"])
    #expect(try SoundReader(library.path(take)).expectedFrames == 77)
  }

  @Test func `a take is not added twice, nor without its file`() throws {
    let take = try fixture.add("one")
    fails(.denied, mentioning: "already") { () throws(LibraryFault) in try library.add(take) }
    fails(.missing) { () throws(LibraryFault) in try library.add(Take(rate: 48_000)) }
    fails(.denied, mentioning: "UUID") { () throws(LibraryFault) in
      try library.add(Take(id: "../x", rate: 48_000))
    }
    #expect(try library.list(count: 5).total == 1)
    // The rejected file stays in place.
    let path = library.recordingPath(take.id)
    try WaveFixture.write(path, [1, 2, 3])
    fails(.denied) { () throws(LibraryFault) in try library.add(take, from: path) }
    #expect(try WaveLayout(path).frames == 3 && WaveLayout(library.path(take)).frames == 100)
  }

  @Test func `takes are listed newest first, in pages`() throws {
    for day in [3, 1, 4, 0, 2] { try fixture.add("day \(day)", day: day) }
    #expect(try library.list(count: 9).takes.map(\.title) == (0..<5).reversed().map { "day \($0)" })
    let page = try library.list(offset: 3, count: 1)
    #expect(page.takes.map(\.title) == ["day 1"] && page.total == 5)
    #expect(try library.list(offset: 5, count: 3).takes.isEmpty)
    #expect(try library.list(offset: -5, count: 0).total == 5)
  }

  @Test func `many takes can have the same time`() throws {
    for number in 0..<50 { try fixture.add("\(number)") }
    #expect(try library.list(count: 100).takes.count == 50)
    var search = TakeSearch()
    (search.from, search.to) = (LibraryFixture.date(0), LibraryFixture.date(0))
    #expect(try library.find(search, count: 100).total == 50)
  }

  @Test func `the number of takes is correct after all operations`() throws {
    func totals() throws -> [Int] {
      [try library.list(count: 0).total, try library.trash(count: 0).total]
    }
    let takes = try (0..<5).map { try fixture.add("\($0)", day: $0) }
    for take in takes[..<3] { try library.delete(take.id) }
    #expect(try totals() == [2, 3])
    try library.restore(takes[0].id)
    try library.edit(takes[0].id, TakeChanges(title: "new"))
    #expect(try totals() == [3, 2])
    try FileManager.default.removeItem(atPath: library.path(takes[4]))
    try FileManager.default.removeItem(atPath: library.trashPath(takes[2]))
    #expect(try library.adopt().gone == [takes[2].id, takes[4].id].sorted())
    #expect(try totals() == [2, 1])
    #expect(try library.reindex().takes == 3)
    #expect(try totals() == [2, 1])
    try library.emptyTrash(olderThanDays: -1)
    #expect(try totals() == [2, 0])
    #expect(throws: LibraryFault.self) { try library.add(takes[0]) }
    #expect(try totals() == [2, 0] && TakeLibrary(home: fixture.home).list(count: 0).total == 2)
  }

  @Test func `full-text search honors times to the microsecond, also with equal times`() throws {
    for number in 0..<20 { try fixture.add("one \(number)", day: 0) }
    try fixture.add("one before", day: -1)
    try fixture.add("one after", day: 1)
    var search = TakeSearch()
    (search.text, search.from, search.to) = (
      "one", LibraryFixture.date(0), LibraryFixture.date(0)
    )
    #expect(try library.find(search, count: 50).takes.count == 20)
    #expect(try library.find(search, count: 5).total == 20)
    search.to = ZonedDate(
      microseconds: LibraryFixture.date(0).microseconds - 1, zoneMinutes: 0)
    search.from = nil
    #expect(try library.find(search, count: 50).takes.map(\.title) == ["one before"])
    (search.from, search.to) = (
      ZonedDate(microseconds: LibraryFixture.date(0).microseconds + 1, zoneMinutes: 0), nil
    )
    #expect(try library.find(search, count: 50).takes.map(\.title) == ["one after"])
  }

  @Test func `a page after the last one has the total number`() throws {
    for day in 0..<5 {
      try fixture.add("one", day: day) { $0.place = Place(latitude: 1, longitude: Double(day)) }
    }
    var search = TakeSearch()
    (search.place, search.kilometers) = (Place(latitude: 1, longitude: 0), 250)
    for text in ["", "one"] {
      search.text = text
      let pages = try [0, 2, 4].map { try library.find(search, offset: $0, count: 2) }
      #expect(pages.map(\.total) == [3, 3, 3])
      #expect(pages.map { $0.takes.map { $0.place?.longitude } } == [[2, 1], [0], []])
    }
  }

  @Test func `a take is found by a prefix of its ID`() throws {
    let ids = ["aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaab-0000-4000-8000-000000000002"]
    for id in ids { try LibraryFixture.add("t", id: id, to: library) }
    #expect(try library.take("aaaaaaab").id == ids[1])
    #expect(try library.take("AAAAAAAA-0").id == ids[0])
    fails(.range, mentioning: "more than one") { () throws(LibraryFault) in
      _ = try library.take("aaaaaaa")
    }
    for text in ["b", "", "%", "aaaaaaaa_", ids[0] + "0", "' OR 1=1 --"] {
      fails(.missing, mentioning: "unknown take") { () throws(LibraryFault) in
        _ = try library.take(text)
      }
    }
  }

  // MARK: - Editing

  @Test func `an edit is in the row and in the file`() throws {
    let take = try fixture.add("before") { $0.notes = "stays" }
    let loop: [UInt8] = [1, 2, 3]
    try WaveTags.replace(library.path(take), with: take.tags(loop: loop))
    let new = try library.edit(
      String(take.id.prefix(12)), TakeChanges(title: "after", species: "Amsel"))
    #expect(new.title == "after" && new.species == "Amsel" && new.notes == "stays")
    #expect(try library.take(take.id) == new)
    let tags = try WaveTags.read(library.path(take))
    #expect(tags == new.tags(loop: loop))
    #expect(try SoundFixture.read(library.path(take)).left == Tone.constant(0.25, frames: 100))
    #expect(try library.edit(take.id, TakeChanges(title: "")).title == Take.title(for: take.date))
  }

  @Test func `invalid edits are rejected and change nothing`() throws {
    let take = try fixture.add("title")
    let state = try LibraryFixture.state(library)
    for (changes, kind) in [
      (TakeChanges(title: String(repeating: "x", count: 201)), .range),
      (TakeChanges(title: "a\nb"), .range), (TakeChanges(species: "\0"), .range),
      (TakeChanges(notes: "\u{1B}"), .range), (TakeChanges(title: "\u{9B}5m"), .range),
      (TakeChanges(image: "../x.jpg"), .denied),
      (TakeChanges(image: take.id + ".wav"), .denied),
    ] as [(TakeChanges, LibraryFault.Kind)] {
      fails(kind) { () throws(LibraryFault) in _ = try library.edit(take.id, changes) }
    }
    #expect(try LibraryFixture.state(library) == state)
  }

  @Test func `an image can be set and replaced, and is deleted with its take`() throws {
    let take = try fixture.add("t")
    _ = try library.setImage(take.id, [1], ending: "PNG")
    let new = try library.setImage(take.id, [1, 2], ending: "jpg")
    #expect(new.image == take.id + ".jpg")
    #expect(try fixture.names() == ["\(take.id).jpg", "\(take.id).wav", "trash"])
    #expect(try WaveTags.read(library.path(take)).metadata.contains("\(take.id).jpg"))
    try library.delete(take.id)
    #expect(try fixture.names("takes/trash") == ["\(take.id).jpg", "\(take.id).wav"])
    try library.restore(take.id)
    #expect(try fixture.names().count == 3)
    fails(.denied) { () throws(LibraryFault) in _ = try library.setImage(take.id, [], ending: "wav")
    }
    fails(.denied) { () throws(LibraryFault) in _ = try library.setImage(take.id, [], ending: "/x")
    }
  }

  @Test func `takes can be restored from the trash until it is emptied`() throws {
    let takes = try (0..<3).map { try fixture.add("take \($0)", day: $0) }
    try library.delete(takes[0].id, at: LibraryFixture.date(100))
    try library.delete(takes[1].id, at: LibraryFixture.date(120))
    #expect(try library.list(count: 9).takes.map(\.title) == ["take 2"])
    #expect(try library.trash(count: 9).takes.map(\.title) == ["take 1", "take 0"])
    fails(.missing) { () throws(LibraryFault) in try library.delete(takes[0].id) }
    var search = TakeSearch()
    search.text = "take"
    #expect(try library.find(search, count: 9).total == 1)
    #expect(try library.emptyTrash(at: LibraryFixture.date(130)) == 0)
    #expect(try library.emptyTrash(at: LibraryFixture.date(131)) == 1)
    #expect(try fixture.names("takes/trash") == ["\(takes[1].id).wav"])
    #expect(try library.restore(takes[1].id) == takes[1])
    #expect(try library.list(count: 9).total == 2 && library.find(search, count: 9).total == 2)
    fails(.missing) { () throws(LibraryFault) in try library.restore(takes[0].id) }
  }

  @Test(arguments: [20_000, -20_000])
  func `a clock jump does not expire the trash early`(leap: Int) throws {
    let takes = try (0..<3).map { try fixture.add("take \($0)", day: $0) }
    func look(_ day: Int) throws -> Int { try library.emptyTrash(at: LibraryFixture.date(day)) }
    try library.delete(takes[0].id, at: LibraryFixture.date(100))
    #expect(try look(100) == 0)
    // By the new clock, this one is deleted before the next check.
    try library.delete(takes[1].id, at: LibraryFixture.date(101 + leap))
    for day in 101...128 { #expect(try look(day + leap) == 0) }
    // And back, as when a wrong clock is corrected.
    try library.delete(takes[2].id, at: LibraryFixture.date(129))
    for day in 129...132 { _ = try look(day) }
    #expect(try fixture.names("takes/trash").contains("\(takes[2].id).wav"))
    // It still expires after any number of jumps.
    for day in 133...163 { _ = try look(day) }
    #expect(try fixture.names("takes/trash").isEmpty)
  }

  @Test func `time between rare checks does not count in the trash`() throws {
    let take = try fixture.add("take")
    try library.delete(take.id, at: LibraryFixture.date(0))
    #expect(try library.emptyTrash(at: LibraryFixture.date(0)) == 0)
    for day in 1...30 {
      #expect(try library.emptyTrash(at: LibraryFixture.date(7 * day)) == 0)
    }
    #expect(try library.emptyTrash(at: LibraryFixture.date(217)) == 1)
  }

  @Test func `settings are persistent`() throws {
    #expect(try library.setting("autoplay") == nil)
    try library.set("autoplay", "1")
    try library.set("autoplay", "ö\"'")
    #expect(try TakeLibrary(home: fixture.home).settings() == ["autoplay": "ö\"'"])
    try library.set("autoplay", nil)
    #expect(try library.setting("autoplay") == nil)
  }

  // MARK: - Searching

  private func found(_ change: (inout TakeSearch) -> Void) throws -> [String] {
    var search = TakeSearch()
    change(&search)
    let page = try library.find(search, count: 100)
    #expect(page.total == page.takes.count)
    return page.takes.map(\.title)
  }

  @Test func `words match by prefix, regardless of case and diacritics`() throws {
    try fixture.add("Zaunkönig", day: 2) { $0.notes = "am Bach, laut" }
    try fixture.add("Morning take", day: 1) {
      ($0.species, $0.message) = ("Rotkehlchen", "für ZOË")
    }
    try fixture.add("don't", day: 0) { $0.notes = "100 % \"quoted\" AND OR NOT" }
    for (text, titles) in [
      ("zaunkonig", ["Zaunkönig"]), ("ZAUNK", ["Zaunkönig"]), ("bach zaun", ["Zaunkönig"]),
      ("unkönig", []), ("rotk", ["Morning take"]), ("zoe fur", ["Morning take"]),
      ("don't", ["don't"]), ("\"quoted", ["don't"]), ("NOT", ["don't"]), ("100", ["don't"]),
      ("bach morning", []), ("title:x", []), ("*", []), ("(", []), ("^am", ["Zaunkönig"]),
      ("", ["Zaunkönig", "Morning take", "don't"]), ("  ", ["Zaunkönig", "Morning take", "don't"]),
      ("\0", []), ("NEAR(a, b)", []), ("%", []),
    ] {
      #expect(try found { $0.text = text } == titles, "\(text)")
    }
    #expect(try found { $0.species = "zaun" } == [])
    #expect(try found { ($0.species, $0.text) = ("rot", "take") } == ["Morning take"])
    // Text removed by an edit no longer matches.
    try library.edit(library.list(count: 1).takes[0].id, TakeChanges(title: "Amsel"))
    #expect(try found { $0.text = "zaun" } == [] && found { $0.text = "ams" } == ["Amsel"])
  }

  @Test func `takes are found by time, by location, and by all criteria combined`() throws {
    for day in 0..<10 {
      try fixture.add("day \(day)", day: day) {
        $0.place =
          day == 9
          ? nil : Place(latitude: 0, longitude: 179.96 + Double(day) * 0.01 - (day > 4 ? 360 : 0))
        $0.species = day % 2 == 0 ? "Amsel" : "Fink"
      }
    }
    func days(_ change: (inout TakeSearch) -> Void) throws -> [Int] {
      try found(change).map { Int(String($0.dropFirst(4))) ?? -1 }
    }
    #expect(
      try days { ($0.from, $0.to) = (LibraryFixture.date(2), LibraryFixture.date(4)) } == [4, 3, 2])
    #expect(try days { $0.from = LibraryFixture.date(8) } == [9, 8])
    #expect(try days { $0.to = LibraryFixture.date(0) } == [0])
    // 0.01 degrees equal 1.112 km, also across the 180th meridian.
    func near(_ search: inout TakeSearch) {
      (search.place, search.kilometers) = (Place(latitude: 0, longitude: 180), 2.3)
    }
    #expect(try days(near) == [6, 5, 4, 3, 2])
    #expect(
      try days {
        near(&$0); $0.species = "fink"
      } == [5, 3])
    #expect(
      try days {
        near(&$0); $0.from = LibraryFixture.date(4)
      } == [6, 5, 4])
    #expect(
      try days {
        near(&$0); $0.text = "day"; $0.species = "am"; $0.to = LibraryFixture.date(5)
      } == [4, 2])
    #expect(try days { ($0.text, $0.from) = ("amsel", LibraryFixture.date(7)) } == [8])
    var search = TakeSearch()
    near(&search)
    let page = try library.find(search, offset: 1, count: 2)
    #expect(page.takes.map(\.title) == ["day 5", "day 4"] && page.total == 5)
  }

  @Test func `locations are exported as GeoJSON`() throws {
    try fixture.add("nowhere")
    try fixture.add("here \"x\"") { $0.place = Place(latitude: 47.5, longitude: -8.25) }
    let object = try JSONSerialization.jsonObject(with: Data(library.geoJSON().utf8))
    let collection = try #require(object as? [String: Any])
    #expect(collection["type"] as? String == "FeatureCollection")
    let features = try #require(collection["features"] as? [[String: Any]])
    #expect(features.count == 1 && features[0]["type"] as? String == "Feature")
    let geometry = try #require(features[0]["geometry"] as? [String: Any])
    #expect(geometry["type"] as? String == "Point")
    #expect(geometry["coordinates"] as? [Double] == [-8.25, 47.5])
    #expect((features[0]["properties"] as? [String: Any])?["title"] as? String == "here \"x\"")
  }

  // MARK: - Other files

  @Test(arguments: ["wav", "flac", "ogg", "aiff", "mp3"])
  func `files of any format are imported, and exported with their title`(ending: String) throws {
    let path = fixture.folder.path("My song.\(ending)")
    let tone = Tone.sine(997, frames: 44_100, sampleRate: 44_100)
    try SoundFixture.write(path, left: tone, rate: 44_100, isFine: false)
    let date = Date(timeIntervalSince1970: 1_600_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    let take = try library.importFile(path)
    #expect(take.title == "My song" && take.source == .imported && take.rate == 44_100)
    #expect(take.frames == 44_100 && take.date.microseconds == 1_600_000_000_000_000)
    // A sine at half of full scale. Lossy formats deviate slightly.
    #expect(abs((take.peak ?? 0) + 6.02) < 0.3)
    #expect(abs((take.loudness ?? 0) + 6.02) < 0.3)
    #expect(try library.take(take.id) == take)
    #expect(try WaveTags.read(library.path(take)) == take.tags)
    if ending == "wav" || ending == "flac" {
      let sound = try SoundFixture.read(library.path(take))
      #expect(try sound.left == SoundFixture.read(path).left)
    }
    try library.edit(take.id, TakeChanges(title: "Öd", notes: "n"))
    let out = fixture.folder.path("out.\(ending)")
    try library.export(take.id, to: out)
    let strings = try SoundStrings.read(out)
    #expect(strings[.title] == "Öd" && strings[.comment] == "n")
    #expect(try SoundReader(out).expectedFrames == 44_100)
    // Back again, through the tags of another program.
    let again = try library.importFile(out)
    #expect(again.title == "Öd" && again.notes == "n" && again.id != take.id)
  }

  @Test func `a take from another library keeps all metadata`() throws {
    let other = try LibraryFixture()
    let take = try other.add("from there", day: 5) {
      ($0.species, $0.place, $0.preset) = ("Amsel", Place(latitude: 1, longitude: 2), "dub")
    }
    let copy = try library.importFile(other.library.path(take))
    #expect(copy.id != take.id && copy.title == take.title && copy.species == "Amsel")
    #expect(copy.date == take.date && copy.place == take.place && copy.preset == "dub")
  }

  @Test func `invalid imports and exports are reported and leave nothing behind`() throws {
    let take = try fixture.add("t")
    let folder = fixture.folder
    try Data("no sound".utf8).write(to: URL(fileURLWithPath: folder.path("text.wav")))
    try SoundFixture.write(folder.path("empty.wav"), left: [])
    fails(.missing) { () throws(LibraryFault) in try library.importFile(folder.path("nothing.wav"))
    }
    fails(.broken) { () throws(LibraryFault) in try library.importFile(folder.path("text.wav")) }
    fails(.denied, mentioning: "no sound") { () throws(LibraryFault) in
      try library.importFile(folder.path("empty.wav"))
    }
    fails(.denied, mentioning: ".wav .flac") { () throws(LibraryFault) in
      try library.export(take.id, to: folder.path("x.txt"))
    }
    fails(.io) { () throws(LibraryFault) in try library.export(take.id, to: folder.path("no/x.wav"))
    }
    fails(.denied, mentioning: "belongs to the library") { () throws(LibraryFault) in
      try library.export(take.id, to: library.path(take))
    }
    fails(.missing) { () throws(LibraryFault) in
      try library.export("none", to: folder.path("x.wav"))
    }
    #expect(try fixture.names() == ["\(take.id).wav", "trash"])
    #expect(folder.names == ["empty.wav", "home", "text.wav"])
  }
}
