import Foundation
import SQLite
import TestSupport
import Testing

@testable import Library
@testable import SoundFiles

@Suite struct TakeLibraryAdoptionTests {
  private let fixture: LibraryFixture
  private var library: TakeLibrary { fixture.library }

  init() throws { fixture = try LibraryFixture() }

  private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

  private func move(_ path: String, _ other: String) throws {
    try FileManager.default.moveItem(atPath: path, toPath: other)
  }

  // MARK: - Reindexing

  @Test func `all rows can be rebuilt from the files`() throws {
    for day in 0..<5 {
      try fixture.add("day \(day)", day: day) {
        ($0.species, $0.place, $0.message) = ("Amsel", Place(latitude: 1, longitude: 2), "m")
      }
    }
    let takes = try library.list(count: 9).takes
    _ = try library.setImage(takes[1].id, [1], ending: "png")
    try library.delete(takes[0].id)
    try library.set("autoplay", "1")
    let state = try LibraryFixture.state(library)
    try Data("broken".utf8).write(
      to: URL(fileURLWithPath: "\(fixture.home)/takes/\(Take.newID()).wav"))
    var steps: [Int] = []
    let result = try library.reindex { done, total in
      #expect(total == 6)
      steps.append(done)
    }
    #expect(steps == Array(1...6) && result.takes == 5 && result.unreadable.count == 1)
    #expect(result.unreadable[0].contains("is not a WAV file"))
    #expect(try LibraryFixture.state(library) == state)
    #expect(try fixture.names().count == 7)
    var search = TakeSearch()
    search.text = "ams"
    #expect(try library.find(search, count: 9).total == 4)
    // Incorrect rows are removed.
    try library.database.execute("UPDATE takes SET title = 'wrong'; DELETE FROM settings")
    _ = try library.reindex()
    #expect(try library.list(count: 9).takes.map(\.title) == ["day 3", "day 2", "day 1", "day 0"])
  }

  @Test func `a damaged database is reported and replaced by a new one`() throws {
    let fixture = try LibraryFixture()
    try fixture.add("one")
    let path = "\(fixture.home)/library.sqlite"
    for text in [
      "no database at all, but long enough to be looked at as one; "
        + String(repeating: "x", count: 1000),
      "SQLite format 3\0" + String(repeating: "y", count: 4096),
    ] {
      let home = fixture.folder.path("copy\(text.count)")
      try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
      try FileManager.default.copyItem(atPath: "\(fixture.home)/takes", toPath: "\(home)/takes")
      try text.write(toFile: "\(home)/library.sqlite", atomically: false, encoding: .utf8)
      let fault = #expect(throws: LibraryFault.self) { _ = try TakeLibrary(home: home) }
      #expect(
        fault?.kind == .broken && fault?.message.contains("reindex") == true,
        "\(fault?.message ?? "")")
      let (library, result) = try TakeLibrary.rebuild(home: home)
      #expect(result.takes == 1)
      #expect(try library.list(count: 9).takes.map(\.title) == ["one"])
      #expect(try String(contentsOfFile: "\(home)/library.sqlite.damaged", encoding: .utf8) == text)
    }
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `foreign databases and those of newer versions are left alone`() throws {
    for (sql, text) in [
      ("CREATE TABLE x (y)", "another program"), ("PRAGMA user_version = 7", "another program"),
      ("PRAGMA application_id = 5", "another program"),
      (
        "PRAGMA application_id = \(SQL.schema.application); "
          + "PRAGMA user_version = \(SQL.schema.version + 1)",
        "newer version"
      ),
    ] {
      let folder = try TemporaryFolder()
      try LibraryDatabase(folder.path("library.sqlite")).execute(sql)
      let before = try folder.bytes("library.sqlite")
      let fault = #expect(throws: LibraryFault.self) { _ = try TakeLibrary(home: folder.url.path) }
      #expect(fault?.kind == .broken && fault?.message.contains(text) == true)
      #expect(try folder.bytes("library.sqlite") == before)
    }
  }

  // MARK: - Adoption

  @Test func `nothing is adopted if nothing has changed`() throws {
    try fixture.add("one")
    try library.delete(fixture.add("two").id)
    let state = try LibraryFixture.state(library)
    #expect(try library.adopt() == Adoption())
    #expect(try LibraryFixture.state(library) == state)
  }

  @Test func `files without a row get one, and rows without a file are removed`() throws {
    let takes = try (0..<4).map { try fixture.add("take \($0)", day: $0) }
    let other = try LibraryFixture()
    let foreign = try other.add("from elsewhere", day: 9)
    let image = "\(foreign.id).png"
    try move(other.library.path(foreign), library.path(foreign))
    try Data([1]).write(to: URL(fileURLWithPath: "\(fixture.home)/takes/\(image)"))
    try remove(library.path(takes[0]))
    try Data("x".utf8).write(to: URL(fileURLWithPath: "\(fixture.home)/takes/my notes.txt"))
    let broken = "\(fixture.home)/takes/\(Take.newID()).wav"
    try Data("x".utf8).write(to: URL(fileURLWithPath: broken))
    let result = try library.adopt()
    #expect(
      result.adopted == [foreign.id] && result.gone == [takes[0].id] && result.recovered.isEmpty)
    #expect(result.unreadable == ["\(broken) is not a WAV file"])
    #expect(
      try library.list(count: 9).takes.map(\.title) == [
        "from elsewhere", "take 3", "take 2", "take 1",
      ])
    #expect(try library.take(foreign.id).image == image)
    #expect(FileManager.default.fileExists(atPath: broken))
  }

  @Test func `a deleted database is rebuilt from the files`() throws {
    for day in 0..<3 { try fixture.add("take \(day)", day: day) }
    try library.delete(library.list(count: 1).takes[0].id)
    let state = try LibraryFixture.state(library)
    let home = fixture.folder.path("other")
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
    try move("\(fixture.home)/takes", "\(home)/takes")
    let other = try TakeLibrary(home: home)
    #expect(try other.adopt().adopted.count == 3)
    #expect(
      try LibraryFixture.state(other).map { $0.replacing("/other/", with: "/home/") } == state)
  }

  @Test func `if all files are missing, no row is removed, since the disk may be unmounted`() throws
  {
    for _ in 0..<3 { try fixture.add("t") }
    try move("\(fixture.home)/takes", fixture.folder.path("away"))
    try FileManager.default.createDirectory(
      atPath: "\(fixture.home)/takes/trash", withIntermediateDirectories: true)
    let fault = #expect(throws: LibraryFault.self) { _ = try library.adopt() }
    #expect(fault?.kind == .missing && fault?.message.contains("is its disk mounted?") == true)
    #expect(try library.list(count: 9).total == 3)
  }

  @Test func `rows and files that disagree on the trash are reconciled there`() throws {
    let takes = try (0..<2).map { try fixture.add("take \($0)", day: $0) }
    try move(library.path(takes[0]), library.trashPath(takes[0]))
    try library.database.execute("UPDATE takes SET deleted = 5 WHERE id = '\(takes[1].id)'")
    _ = try library.adopt()
    #expect(try library.list(count: 9).total == 0 && library.trash(count: 9).total == 2)
    #expect(try fixture.names("takes/trash").count == 2)
    for take in takes { #expect(try library.restore(take.id) == take) }
  }

  @Test func `a change in a row but not yet in its file is written to the file`() throws {
    let take = try fixture.add("old")
    try library.database.execute("UPDATE takes SET title = 'new', untold = 1")
    #expect(try library.adopt() == Adoption())
    #expect(try WaveTags.read(library.path(take)).title == "new")
    #expect(try library.take(take.id).title == "new")
  }

  @Test func `a recording of a killed process becomes a take`() async throws {
    let home = fixture.home
    await #expect(processExitsWith: .signal(SIGKILL)) { [home = home as String] in
      let library = try TakeLibrary(home: home)
      for (id, frames) in [("a", 3000), ("b", 0)] {
        var take = Take(
          id: "\(id)0000000-0000-4000-8000-000000000000", title: "Evening take", rate: 48_000)
        take.species = "Amsel"
        var writer = try WaveWriter(
          library.recordingPath(take.id), rate: 48_000, isFine: true, tags: take.tags)
        try WaveFixture.append(Tone.constant(0.5, frames: frames), to: &writer)
        if id == "b" { kill(getpid(), SIGKILL) }
        try writer.keepCurrent()
        // Keep it unfinished: its deinit would finish it.
        leaked.append(WriterBox(writer))
      }
    }
    try Data([1, 2]).write(to: URL(fileURLWithPath: library.files.copy(Take.newID())))
    let result = try library.adopt()
    let id = "a0000000-0000-4000-8000-000000000000"
    #expect(result == Adoption(adopted: [id], recovered: [id]))
    let take = try library.take(id)
    #expect(take.title == "Evening take (recovered)" && take.species == "Amsel")
    #expect(take.frames == 3000 && abs((take.peak ?? 0) + 6.02) < 0.01)
    #expect(try WaveTags.read(library.path(take)) == take.tags)
    #expect(try SoundFixture.read(library.path(take)).left == Tone.constant(0.5, frames: 3000))
    #expect(try fixture.names() == ["\(id).wav", "trash"])
    #expect(try library.adopt() == Adoption())
  }

  @Test func `a recording in progress is left alone`() throws {
    let take = Take(title: "now", rate: 48_000)
    let path = library.recordingPath(take.id)
    var writer = try WaveWriter(path, rate: 48_000, isFine: true)
    try WaveFixture.append(Tone.constant(0.5, frames: 100), to: &writer)
    #expect(try library.adopt() == Adoption())
    try WaveFixture.append(Tone.constant(0.5, frames: 100), to: &writer)
    try writer.finish(tags: take.tags)
    // Finished but not added yet: it is added even if another process adopts it now as
    // abandoned.
    #expect(try library.adopt().recovered == [take.id])
    #expect(try library.add(take, from: path).title == "now")
    #expect(try library.list(count: 9).takes.map(\.title) == ["now"])
    #expect(try library.take(take.id).frames == 200)
  }
}

/// Keeps what a killed process would hold until its end.
nonisolated(unsafe) private var leaked: [WriterBox] = []

private final class WriterBox {
  let writer: WaveWriter
  init(_ writer: consuming WaveWriter) { self.writer = writer }
}
