import Glibc
import Library
import Posix

/// A generator of a data directory with many takes, as after years of use.
///
/// Its output is deterministic.
struct Shelf {
  private static let birds = [
    ("Song thrush", "Turdus philomelos"), ("Blackbird", "Turdus merula"),
    ("Tawny owl", "Strix aluco"), ("Wren", "Troglodytes troglodytes"),
    ("Robin", "Erithacus rubecula"), ("Nightingale", "Luscinia megarhynchos"),
    ("Chiffchaff", "Phylloscopus collybita"), ("Willow warbler", "Phylloscopus trochilus"),
    ("Sedge warbler", "Acrocephalus schoenobaenus"), ("Skylark", "Alauda arvensis"),
    ("Chaffinch", "Fringilla coelebs"), ("Cuckoo", "Cuculus canorus"),
    ("Hoopoe", "Upupa epops"), ("Corncrake", "Crex crex"), ("Bittern", "Botaurus stellaris"),
    ("Great tit", "Parus major"), ("Nightjar", "Caprimulgus europaeus"),
    ("Golden oriole", "Oriolus oriolus"), ("Curlew", "Numenius arquata"),
    ("Black woodpecker", "Dryocopus martius"),
  ]
  private static let places = [
    "the mill", "the lake", "the old quarry", "Fågelsjön", "the station", "Kärrtorp", "the garden",
    "the third bridge", "Hjälstaviken", "the edge of the wood",
  ]
  private static let remarks = [
    "wind from the west", "two of them, answering each other", "a train far away", "very close",
    "through the open window", "before the rain", "with the small microphone", "sings over water",
  ]
  /// The time of the newest take.
  static let newest = 1_760_000_000_000_000
  /// The mean distance between takes, in microseconds: five years for 100,000.
  static let spacing = 1_577_880_000

  private var state: UInt64 = 88_172_645_463_325_252

  /// Returns a random number below `below`.
  private mutating func random(_ below: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(below))
  }

  private mutating func any<Value>(_ values: [Value]) -> Value { values[random(values.count)] }

  private mutating func take(_ index: Int) -> Take {
    let (name, species) = any(Self.birds)
    let high = String(random(1 << 32) | 1 << 32, radix: 16).dropFirst()
    let low = String(random(1 << 48) | 1 << 48, radix: 16).dropFirst()
    let time = Self.newest - index * Self.spacing - random(Self.spacing)
    var take = Take(
      id: "\(high)-0000-4000-8000-\(low)",
      date: ZonedDate(microseconds: time, zoneMinutes: 60), rate: 48_000)
    switch random(3) {
    case 0: break
    case 1: take.title = name
    default: take.title = "\(name) by \(any(Self.places))"
    }
    if random(5) > 0 { take.species = species }
    if random(4) == 0 { take.notes = "\(any(Self.remarks)), \(any(Self.remarks))" }
    if random(3) > 0 {
      // Clustered around some towns.
      let (north, east) = any([(59.33, 18.07), (48.86, 2.35), (-33.87, 151.21), (40.71, -74.0)])
      let spread = Double(random(2000) - 1000) / 1000
      take.place = Place(
        latitude: north + spread * Double(random(1000)) / 1000,
        longitude: east + Double(random(2000) - 1000) / 1000)
    }
    take.peak = -Double(random(200)) / 10
    take.loudness = -14 - Double(random(200)) / 10
    take.source = any([.live, .grid, .mix])
    return take
  }

  /// Writes takes of one frame each.
  mutating func fill(_ home: String, count: Int) throws {
    // Creates the folders.
    let library = try TakeLibrary(home: home)
    for index in 0..<count {
      let take = take(index)
      try Self.write(Self.wave(take.json), to: library.path(take))
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let file = try Descriptor(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644), orThrow: path)
    guard Glibc.write(file.number, bytes, bytes.count) == bytes.count else {
      throw SystemError(path)
    }
  }

  /// A stereo file with one silent frame of 24 bits, and a take's tags.
  private static func wave(_ json: String) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + number(content.count, 4) + content
        + [UInt8](repeating: 0, count: content.count % 2)
    }
    let format =
      number(1, 2) + number(2, 2) + number(48_000, 4) + number(288_000, 4) + number(6, 2)
      + number(24, 2)
    let chunks =
      chunk("fmt ", format) + chunk("data", [0, 0, 0, 0, 0, 0]) + chunk("syrx", Array(json.utf8))
    return chunk("RIFF", Array("WAVE".utf8) + chunks)
  }
}
