import Foundation
import Posix
import TestSupport
import Testing

@testable import Library
@testable import SoundFiles

@Suite struct TakeTests {
  // MARK: - Dates

  @Test(arguments: [
    ("1970-01-01T00:00:00.000000+00:00", 0, 0),
    ("2026-11-21T17:30:01.250000+01:00", 1_795_278_601_250_000, 60),
    ("2024-02-29T23:59:59.999999-03:30", 1_709_263_799_999_999, -210),
    ("1969-12-31T23:59:59.999999+00:00", -1, 0),
    ("1899-12-31T00:00:00.000000+14:00", -2_209_125_600_000_000, 840),
    ("2100-03-01T05:45:00.000000+05:45", 4_107_542_400_000_000, 345),
  ])
  func `a date is written and read in ISO 8601`(text: String, microseconds: Int, zone: Int) throws {
    let date = ZonedDate(microseconds: microseconds, zoneMinutes: zone)
    #expect(date.text == text)
    #expect(ZonedDate(text) == date)
    let parser = ISO8601DateFormatter()
    parser.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let seconds = try #require(parser.date(from: text)).timeIntervalSince1970
    #expect(abs(seconds - Double(microseconds) / 1e6) < 0.001)
  }

  @Test func `dates of several centuries survive a round trip`() {
    for day in stride(from: -200_000, to: 200_000, by: 7) {
      let date = ZonedDate(microseconds: day * 86_400_000_000 + 3_600_000_000, zoneMinutes: 0)
      #expect(ZonedDate(date.text) == date)
      #expect(date.hour == 1)
    }
  }

  @Test func `a date may omit its time, seconds and zone`() {
    #expect(ZonedDate("2026-11-21")?.text == "2026-11-21T00:00:00.000000+00:00")
    #expect(ZonedDate("2026-11-21T08:30Z")?.text == "2026-11-21T08:30:00.000000+00:00")
    #expect(ZonedDate("2026-11-21T08:30:05.5-02:00")?.text == "2026-11-21T08:30:05.500000-02:00")
  }

  @Test(arguments: [
    "", "2026", "2026-13-01", "2026-02-29", "2026-1-1", "2026-11-21T", "2026-11-21T24:00",
    "2026-11-21T08:30:61", "2026-11-21T08:30:00.", "2026-11-21T08:30+1", "2026-11-21 08:30",
    "2026-11-21T08:30Z ", "0000-01-01", "２026-11-21", "+026-11-21", "2026-11-21T08:30+00:60",
  ])
  func `invalid dates are rejected`(text: String) {
    #expect(ZonedDate(text) == nil)
  }

  @Test func `dates out of range are clamped`() {
    for microseconds in [Int.min, Int.max] {
      let date = ZonedDate(microseconds: microseconds, zoneMinutes: Int.max)
      #expect(ZonedDate(date.text) == date)
    }
  }

  @Test func `the current date has the local time zone`() {
    let now = ZonedDate.now
    #expect(abs(Double(now.microseconds) / 1e6 - Date().timeIntervalSince1970) < 5)
    #expect(now.zoneMinutes == TimeZone.current.secondsFromGMT() / 60)
  }

  @Test func `the default title depends on the local hour`() {
    func title(_ hour: Int) -> String {
      Take.title(for: ZonedDate(microseconds: (hour - 9) * 3_600_000_000, zoneMinutes: 540))
    }
    let names = (0..<24).map { title($0).split(separator: " ")[0] }
    #expect(
      names == Array(repeating: "Night", count: 5) + Array(repeating: "Morning", count: 7)
        + Array(repeating: "Afternoon", count: 5) + Array(repeating: "Evening", count: 4)
        + Array(repeating: "Night", count: 3))
  }

  // MARK: - IDs

  @Test func `IDs are unique lowercase UUIDs`() {
    let ids = (0..<1000).map { _ in Take.newID() }
    #expect(Set(ids).count == 1000)
    for id in ids {
      #expect(Take.isID(id) && UUID(uuidString: id) != nil && id == id.lowercased())
      #expect(id.dropFirst(14).first == "4" && "89ab".contains(id.dropFirst(19).first ?? " "))
    }
    for text in [
      "", "x", ids[0].uppercased(), ids[0] + "0", String(ids[0].dropLast()), "../" + ids[0],
    ] {
      #expect(!Take.isID(text))
    }
  }

  // MARK: - Tags

  static func full() -> Take {
    var take = Take(
      title: "Title \"1\"", date: ZonedDate(microseconds: 1_795_278_601_250_000, zoneMinutes: 60),
      rate: 48_000, source: .grid)
    (take.species, take.notes, take.message) = ("Zaunkönig", "two\nlines", "hi\\")
    take.place = Place(latitude: 47.123456, longitude: -8.5)
    (take.peak, take.loudness) = (-1.25, -23)
    (take.preset, take.image) = ("dub", take.id + ".jpg")
    return take
  }

  @Test func `a take survives a round trip through its tags`() throws {
    let folder = try TemporaryFolder()
    var take = Self.full()
    take.frames = 100
    try WaveFixture.write(folder.path("a.wav"), Tone.noise(frames: 100), tags: take.tags)
    let tags = try WaveTags.read(folder.path("a.wav"))
    let layout = try WaveLayout(folder.path("a.wav"))
    #expect(Take(id: take.id, tags, layout, fallback: .now) == take)
    #expect(try JSONSerialization.jsonObject(with: Data(take.json.utf8)) is [String: Any])
    #expect(!take.json.contains("\n"))
    // Missing and invalid fields get defaults.
    for metadata in [
      "", "[]", "{", "{\"title\":3,\"date\":\"yesterday\",\"latitude\":100,\"longitude\":0}",
    ] {
      let other = Take(
        id: take.id, WaveTags(metadata: metadata, title: "T", notes: "N"), layout,
        fallback: take.date)
      #expect(other.title == "T" && other.place == nil && other.date == take.date)
      #expect(other.frames == 100 && other.rate == 48_000 && other.source == .imported)
    }
  }

  // MARK: - Places

  @Test func `distances are great-circle distances`() {
    let (zurich, london) = (Place(47.3769, 8.5417), Place(51.5074, -0.1278))
    // 776 km on the ellipsoid, from which a sphere deviates by at most 0.5%.
    #expect(abs(zurich.kilometers(to: london) - 776) < 4)
    #expect(zurich.kilometers(to: zurich) == 0)
    // Across the 180th meridian, and to the antipode.
    #expect(abs(Place(0, 179.5).kilometers(to: Place(0, -179.5)) - 111.2) < 0.1)
    #expect(abs(Place(90, 0).kilometers(to: Place(-90, 50)) - 20_015) < 1)
    #expect(
      Place(latitude: 90.1, longitude: 0) == nil && Place(latitude: .nan, longitude: 0) == nil)
  }
}
