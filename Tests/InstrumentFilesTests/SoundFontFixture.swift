import Foundation

/// A small SoundFont file, written byte by byte.
struct SoundFontFixture {
  /// The contents of a zone: generators, each with its amount, and modulators.
  struct Zone {
    var generators: [(code: Int, amount: Int)]
    var modulators: [[Int]] = []

    init(_ generators: [(code: Int, amount: Int)], modulators: [[Int]] = []) {
      self.generators = generators
      self.modulators = modulators
    }
  }

  struct Program {
    var name = "Program"
    var bank = 0
    var number = 0
    var zones: [Zone]
  }

  struct Sample {
    var name = "sample"
    var start = 0
    var end = 1000
    var loop = 100..<900
    var rate = 44_100
    var root = 60
    var correction = 0
    var partner = 0
    var kind = 1
  }

  var programs = [Program(zones: [Zone([(41, 0)])])]
  var instruments = [[Zone([(53, 0)])]]
  var samples = [Sample()]
  /// The bytes of the sound: by default 2000 frames, a ramp from -1000 on.
  var sound: [UInt8] = (0..<2000).flatMap { word($0 - 1000) }
  var fine: [UInt8]?
  var name = "A font"

  static func word(_ number: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  static func long(_ number: Int) -> [UInt8] { word(number) + word(number >> 16) }

  /// A range of keys or velocities as a generator amount.
  static func range(_ range: ClosedRange<Int>) -> Int { range.lowerBound | range.upperBound << 8 }

  private static func text(_ text: String) -> [UInt8] {
    Array((Array(text.utf8) + [UInt8](repeating: 0, count: 20)).prefix(20))
  }

  static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + long(content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }

  private static func zones(_ letter: String, _ lists: [[Zone]]) -> (chunks: [UInt8], bags: [Int]) {
    var (bag, gen, mod): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    var bags: [Int] = []
    for zones in lists {
      bags.append(bag.count / 4)
      for zone in zones {
        bag += word(gen.count / 4) + word(mod.count / 10)
        gen += zone.generators.flatMap { word($0.code) + word($0.amount) }
        mod += zone.modulators.flatMap { $0.flatMap(word) }
      }
    }
    bags.append(bag.count / 4)
    bag += word(gen.count / 4) + word(mod.count / 10)
    let chunks =
      chunk("\(letter)bag", bag)
      + chunk("\(letter)mod", mod + [UInt8](repeating: 0, count: 10))
      + chunk("\(letter)gen", gen + [0, 0, 0, 0])
    return (chunks, bags)
  }

  var bytes: [UInt8] {
    let outer = Self.zones("p", programs.map(\.zones))
    let inner = Self.zones("i", instruments)
    var heads: [UInt8] = []
    for (program, bag) in zip(programs, outer.bags) {
      heads += Self.text(program.name) + Self.word(program.number) + Self.word(program.bank)
      heads += Self.word(bag) + [UInt8](repeating: 0, count: 12)
    }
    heads += Self.text("EOP") + Self.long(0) + Self.word(outer.bags.last!)
    heads += [UInt8](repeating: 0, count: 12)
    let names = inner.bags.enumerated().flatMap { Self.text("inst \($0)") + Self.word($1) }
    var rows: [UInt8] = []
    for sample in samples {
      rows += Self.text(sample.name) + Self.long(sample.start) + Self.long(sample.end)
      rows += Self.long(sample.loop.lowerBound) + Self.long(sample.loop.upperBound)
      rows += Self.long(sample.rate) + [UInt8(sample.root)]
      rows += [UInt8(bitPattern: Int8(sample.correction))]
      rows += Self.word(sample.partner) + Self.word(sample.kind)
    }
    rows += [UInt8](repeating: 0, count: 46)
    let info = Self.chunk("ifil", Self.word(2) + Self.word(4)) + Self.chunk("INAM", Self.text(name))
    let data = Self.chunk("smpl", sound) + (fine.map { Self.chunk("sm24", $0) } ?? [])
    let tables =
      Self.chunk("phdr", heads) + outer.chunks + Self.chunk("inst", names) + inner.chunks
      + Self.chunk("shdr", rows)
    return Self.chunk(
      "RIFF",
      Array("sfbk".utf8) + Self.chunk("LIST", Array("INFO".utf8) + info)
        + Self.chunk("LIST", Array("sdta".utf8) + data)
        + Self.chunk("LIST", Array("pdta".utf8) + tables))
  }

  func write(_ path: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
}
