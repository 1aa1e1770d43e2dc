import Foundation
import Library
import Posix
import SoundFiles
import TestSupport
import Testing

/// The lists and searches of `syrinx takes`, and their format.
///
/// Serialized, to leave the machine to the tests that play.
@Suite(.serialized, .hangLimit) struct TakesListTests {
  private let at: TakesHome

  init() throws { at = try TakesHome() }

  // MARK: - Lists

  @Test func `a list has one line per take, newest first, separated by tabs`() throws {
    let owl = try at.add("Owl", day: 1, frames: 12_000) {
      $0.species = "Strix aluco"
      $0.place = Place(latitude: 59.33, longitude: -18.5)
    }
    let wren = try at.add("Wren\tin\nthe \u{1B}[31mhedge\u{9B}2J", day: 2) { $0.title = "Wren" }
    #expect(
      try at.lines("list") == [
        "\(wren.id)\t2023-11-16T23:13:20.000000+01:00\t0.01\tWren\t\t",
        "\(owl.id)\t2023-11-15T23:13:20.000000+01:00\t0.25\tOwl\tStrix aluco\t59.33,-18.5",
      ])
    #expect(try at.lines("list", "--offset", "1").count == 1)
    #expect(try at.lines("list", "--offset", "9223372036854775807", "--count", "all").isEmpty)
    let first = try at.takes("list", "--count", "1")
    #expect(first.code == 0 && first.output.contains("Wren"))
    #expect(first.errors == "syrinx: 1 more; --offset 1 shows the next, --count all shows all\n")
  }

  @Test func `a terminal shows fifty with the number of further ones, and a pipe gets all`() throws
  {
    let one = try at.add("one")
    let tags = try Data(contentsOf: URL(fileURLWithPath: at.library().path(one)))
    for _ in 0..<51 {
      try tags.write(to: URL(fileURLWithPath: "\(at.home)/takes/\(Take.newID()).wav"))
    }
    #expect(try at.takes("reindex").errors == "syrinx: 52 takes\n")
    // The heading is a line, too.
    #expect(try at.terminal(columns: 80, "list").split(separator: "\n").count == 51)
    #expect(
      try at.terminal(columns: 80, "list", "--count", "all").split(separator: "\n").count == 53)
    #expect(try at.lines("list").count == 52)
    #expect(try jsonObjects(at.takes("list", "--json").output).count == 52)
    let page = try at.takes("list", "--count", "50")
    #expect(page.output.split(separator: "\n").count == 50)
    #expect(page.errors.hasPrefix("syrinx: 2 more"))
  }

  @Test func `takes are found by words, species, time and location`() throws {
    try at.add("Owl by the lake", day: 0) { $0.species = "Strix aluco" }
    try at.add("Wren", day: 1) { $0.notes = "an owl behind it" }
    try at.add("Thrush", day: 2) { $0.place = Place(latitude: 59.33, longitude: 18.07) }
    func titles(_ words: String...) throws -> [String] {
      let result = try NodeProcess.run(["takes", "--home", at.home] + words + ["--json"])
      #expect(result.code == 0 && result.errors.isEmpty, "\(result.errors)")
      return try jsonObjects(result.output).compactMap { $0["title"] as? String }
    }
    #expect(try titles("list") == ["Thrush", "Wren", "Owl by the lake"])
    #expect(try titles("list", "--text", "owl") == ["Wren", "Owl by the lake"])
    #expect(try titles("find", "OWL", "la") == ["Owl by the lake"])
    #expect(try titles("find", "owl", "--text", "lake") == ["Owl by the lake"])
    #expect(try titles("list", "--species", "strix") == ["Owl by the lake"])
    #expect(try titles("list", "--near", "59.4,18") == [])
    #expect(try titles("list", "--near", "59.4,18", "--within", "9") == ["Thrush"])
    #expect(try titles("find", "thrush", "--near", "59.33,18.07") == ["Thrush"])
    #expect(try titles("find", "nothing") == [])
    #expect(try titles("find", "--species", "strix") == ["Owl by the lake"])
    #expect(try titles("find", "--from", "2023-11-16") == ["Thrush"])
    // 23:13 local time is 22:13 UTC.
    #expect(try titles("list", "--from", "2023-11-15T22:13:20Z") == ["Thrush", "Wren"])
    #expect(try titles("list", "--from", "2023-11-15T22:13:21Z") == ["Thrush"])
    #expect(try titles("list", "--to", "2023-11-15T23:13:20+01:00") == ["Wren", "Owl by the lake"])
    #expect(try titles("list", "--to", "2023-11-15T22:12Z") == ["Owl by the lake"])
  }

  @Test(arguments: ["UTC", "America/Los_Angeles", "Pacific/Auckland", "Europe/Stockholm"])
  func `a day is in this machine's time zone, from its first moment to its last`(
    zone: String
  ) throws {
    // 28 and 29 October 2023: the second has 25 hours in Stockholm.
    let clock = DateFormatter()
    clock.timeZone = TimeZone(identifier: zone)
    clock.locale = Locale(identifier: "en_US_POSIX")
    clock.dateFormat = "yyyy-MM-dd HH:mm:ss.SSS"
    for text in [
      "2023-10-28 23:59:59.999", "2023-10-29 00:00:00.000", "2023-10-29 23:59:59.999",
      "2023-10-30 00:00:00.000",
    ] {
      let seconds = try #require(clock.date(from: text)).timeIntervalSince1970
      try at.add(text) {
        $0.date = ZonedDate(
          microseconds: Int((seconds * 1000).rounded()) * 1000, zoneMinutes: 0)
      }
    }
    let day = try at.takes(
      "list", "--from", "2023-10-29", "--to", "2023-10-29", "--json", environment: ["TZ": zone])
    #expect(
      try jsonObjects(day.output).compactMap { $0["title"] as? String }
        == ["2023-10-29 23:59:59.999", "2023-10-29 00:00:00.000"])
    let minute = try at.takes(
      "list", "--from", "2023-10-29 23:59", "--to", "2023-10-29 23:59", "--json",
      environment: ["TZ": zone])
    #expect(try jsonObjects(minute.output).count == 1)
  }

  @Test func `the JSON is that of the files, with their paths`() throws {
    let take = try at.add("Owl \"of\" the\u{85} lake \u{1F989}") {
      $0.title = "Owl \"of\" the lake \u{1F989}"
      $0.notes = "one\ntwo\u{9F}".filter { $0 != "\u{9F}" }
      $0.place = Place(latitude: 1.5, longitude: 2.25)
    }
    let result = try at.takes("show", take.id, "--json")
    #expect(result.code == 0 && result.errors.isEmpty)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(object["id"] as? String == take.id)
    #expect(object["title"] as? String == "Owl \"of\" the lake \u{1F989}")
    #expect(object["notes"] as? String == "one\ntwo")
    #expect(object["latitude"] as? Double == 1.5 && object["longitude"] as? Double == 2.25)
    #expect(object["frames"] as? Int == 480 && object["rate"] as? Int == 48_000)
    #expect(object["source"] as? String == "live")
    #expect(object["path"] as? String == "\(at.home)/takes/\(take.id).wav")
    #expect(try at.takes("list", "--text", "nothing", "--json").output == "[]\n")
  }

  @Test func `a file's contents can't move the cursor of a terminal`() throws {
    let wild = "Wren\u{1B}[31m\u{7}\u{9B}2J\u{202E}nerW\u{2028}end"
    let take = try at.add("Wren")
    let library = try at.library()
    // As in a foreign file: ours never have it.
    try WaveTags.replace(
      library.path(take), with: WaveTags(title: wild, notes: "one\ntwo\u{1B}[2J"))
    #expect(try library.reindex().takes == 1)
    let isHarmful: (Unicode.Scalar) -> Bool = {
      $0.value < 32 && $0 != "\n" && $0 != "\t" || (0x7F..<0xA0).contains($0.value)
        || $0.value == 0x202E || $0.value == 0x2028
    }
    for words in [["list"], ["show", take.id], ["list", "--json"], ["show", take.id, "--json"]] {
      let result = try NodeProcess.run(["takes", "--home", at.home] + words)
      #expect(result.output.contains("Wren[31m") || words.contains("--json"))
      let harm = result.output.unicodeScalars.filter(isHarmful).map(\.value)
      #expect(harm.isEmpty, "\(words): \(harm)")
    }
    #expect(try !at.terminal(columns: 80, "list").contains("\u{1B}"))
    let json = try jsonObjects(at.takes("list", "--json").output)
    #expect(json.first?["title"] as? String == wild, "and JSON output has it unchanged")
  }

  // MARK: - The table

  /// The width of these tests' texts in columns.
  private static func width(_ text: String) -> Int {
    text.reduce(0) { $0 + ("鳥の声長いだ🦉👩‍🌾".contains($1) ? 2 : 1) }
  }

  private func fill() throws {
    try at.add("A title that is much longer than a terminal is wide, as people write", day: 0) {
      $0.species = "Acrocephalus schoenobaenus"
      $0.place = Place(latitude: -59.334_591, longitude: 118.063_24)
    }
    try at.add("鳥の声鳥の声鳥の声鳥の声鳥の声", day: 1)
    // Each letter with a combining mark, and an emoji joined of two.
    try at.add("e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301} 🦉 👩‍🌾👩‍🌾", day: 2)
    try at.add("Owl", id: "1a2b3c4d-0000-4000-8000-000000000000", day: 3, frames: 480_000) {
      $0.species = "Strix aluco"
    }
  }

  @Test(arguments: [1, 5, 12, 20, 30, 39, 40, 52, 60, 61, 79, 80, 99, 140, 200])
  func `the table is never wider than the terminal`(columns: Int) throws {
    try fill()
    for table in [
      try at.terminal(columns: columns, "list"),
      try at.terminal(columns: 0, variable: "\(columns)", "list"),
    ] {
      let lines = table.split(separator: "\n").map(String.init)
      #expect(lines.count == 5)
      let widest = lines.map(Self.width).max() ?? 0
      #expect(widest <= columns, "\(table)")
      #expect(columns < 8 || lines[1].hasPrefix("1a2b3c4d".prefix(columns)))
    }
  }

  @Test func `a wide table has everything, and a narrow one the essentials`() throws {
    try fill()
    let wide = try at.terminal(columns: 200, "list").split(separator: "\n").map(String.init)
    #expect(wide[0].hasPrefix("ID        DATE              LENGTH  TITLE "))
    #expect(wide[0].hasSuffix("PLACE"))
    #expect(
      wide[1].hasPrefix("1a2b3c4d  2023-11-17 23:13  0:10.0  Owl ")
        && wide[1].hasSuffix("  Strix aluco"))
    #expect(wide[4].hasSuffix("Acrocephalus schoenobaenus  -59.3346,118.0632"))
    #expect(wide[4].contains("as people write"))
    #expect(wide[2].hasSuffix("🦉 👩‍🌾👩‍🌾"))
    let usual = try at.terminal(columns: 80, "list").split(separator: "\n").map(String.init)
    #expect(usual[0].contains("SPECIES") && !usual[0].contains("PLACE"))
    #expect(usual[4].contains("…"))
    let narrow = try at.terminal(columns: 40, "list").split(separator: "\n").map(String.init)
    #expect(narrow[0] == "ID        DATE              TITLE")
    // Twelve columns: five wide characters, and the ellipsis.
    #expect(narrow[3].hasSuffix("  鳥の声鳥の…"))
    #expect(
      narrow[2].hasSuffix("  e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301} 🦉…"))
    #expect(try at.terminal(columns: 0, "list") == at.terminal(columns: 80, "list"))
  }

  @Test func `an empty library is reported on a terminal, and has no output elsewhere`() throws {
    _ = try at.library()
    #expect(try at.terminal(columns: 80, "list").isEmpty)
    #expect(try at.lines("list").isEmpty)
    #expect(try at.lines("trash").isEmpty)
    #expect(try at.takes("trash", "--empty").errors == "syrinx: 0 takes deleted\n")
  }
}
