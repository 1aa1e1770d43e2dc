internal import SoundFiles

/// The tables of a SoundFont file: programs of zones of instruments of zones of samples.
///
/// Each record stores the first index of its range in the next table. The range ends at the first
/// index of the next record. The last record of each table only marks that end.
struct SoundFontTables: Sendable {
  struct Program: Sendable {
    let name: String
    let number: Int
    let bank: Int
    let bag: Int
  }

  struct Instrument: Sendable {
    let name: String
    let bag: Int
  }

  struct Bag: Sendable {
    let generator: Int
    let modulator: Int
  }

  struct Generator: Sendable {
    let code: Int
    let low: UInt8
    let high: UInt8

    var amount: Int { Int(Int16(bitPattern: UInt16(high) << 8 | UInt16(low))) }
    var index: Int { Int(high) << 8 | Int(low) }
  }

  struct RawModulator: Sendable {
    let source: Int
    let target: Int
    let amount: Int
    let scale: Int
    let transform: Int
  }

  struct Sample: Sendable {
    let name: String
    let start: Int
    let end: Int
    let loopStart: Int
    let loopEnd: Int
    let rate: Int
    let root: Int
    let correction: Int
    let partner: Int
    let kind: Int
  }

  // Indices into the tables have 16 bits.
  private static let most = 65_536
  private static let mostChunks = 1000

  let name: String
  let programs: [Program]
  let programBags: [Bag]
  let programModulators: [RawModulator]
  let programGenerators: [Generator]
  let instruments: [Instrument]
  let instrumentBags: [Bag]
  let instrumentModulators: [RawModulator]
  let instrumentGenerators: [Generator]
  let samples: [Sample]
  /// The byte range of the samples in the file.
  let sound: Range<Int>
  /// The byte range of the lower 8 bits of 24-bit samples.
  let fineSound: Range<Int>?

  init(_ file: borrowing WaveFile) throws(SoundFileError) {
    let head = try file.read(12, at: 0)
    guard head.count == 12, head[..<4].elementsEqual("RIFF".utf8),
      head[8...].elementsEqual("sfbk".utf8)
    else { throw SoundFileError(.notSound, "\(file.path) is not a SoundFont file") }
    var chunks: [String: Range<Int>] = [:]
    for list in try Self.chunks(file, in: 12..<file.length) where list.name == "LIST" {
      guard list.count >= 4 else { continue }
      let inside = list.content + 4..<list.content + list.count
      for chunk in try Self.chunks(file, in: inside) where chunks[chunk.name] == nil {
        chunks[chunk.name] = chunk.content..<chunk.content + chunk.count
      }
    }
    programs = try Self.table("phdr", of: 38, in: chunks, file) { bytes in
      Program(
        name: Self.text(bytes.prefix(20)), number: Self.word(bytes, 20),
        bank: Self.word(bytes, 22), bag: Self.word(bytes, 24))
    }
    instruments = try Self.table("inst", of: 22, in: chunks, file) { bytes in
      Instrument(name: Self.text(bytes.prefix(20)), bag: Self.word(bytes, 20))
    }
    (programBags, programGenerators, programModulators) = try Self.zones("p", in: chunks, file)
    (instrumentBags, instrumentGenerators, instrumentModulators) = try Self.zones(
      "i", in: chunks, file)
    samples = try Self.table("shdr", of: 46, in: chunks, file, Self.sample)
    sound = chunks["smpl"] ?? 0..<0
    // The specification requires ignoring it if the length doesn't match.
    fineSound = chunks["sm24"].flatMap { [sound] in $0.count >= sound.count / 2 ? $0 : nil }
    let info = chunks["INAM"] ?? 0..<0
    name = Self.text(try file.read(min(info.count, 256), at: info.lowerBound)[...])

    try Self.check(programs.map(\.bag), below: programBags.count, "phdr", file.path)
    try Self.check(instruments.map(\.bag), below: instrumentBags.count, "inst", file.path)
    try Self.check(programBags, programGenerators, programModulators, "pbag", file.path)
    try Self.check(
      instrumentBags, instrumentGenerators, instrumentModulators, "ibag", file.path)
  }

  // MARK: - Chunks

  private static func chunks(
    _ file: borrowing WaveFile, in range: Range<Int>
  ) throws(SoundFileError) -> [WaveChunk] {
    var chunks: [WaveChunk] = []
    var place = range.lowerBound
    while place + WaveChunk.headBytes <= range.upperBound {
      let head = try file.read(WaveChunk.headBytes, at: place)
      guard head.count == WaveChunk.headBytes, chunks.count < mostChunks else {
        throw SoundFileError(.notSound, "\(file.path) is invalid: it has too many chunks")
      }
      let name = String(decoding: head.prefix(4), as: UTF8.self)
      let count = Int(WaveChunk.number(head, at: 4) as UInt32)
      let left = range.upperBound - place - WaveChunk.headBytes
      guard count <= left else {
        throw SoundFileError(
          .notSound,
          "\(file.path) is truncated: at byte \(place) it declares \(count) bytes, but has \(left)")
      }
      chunks.append(WaveChunk(name: name, start: place, count: count))
      place += WaveChunk.headBytes + count
      // Some writers omit the pad byte after an odd length. No chunk name begins with a zero.
      if count % 2 == 1, try file.read(1, at: place).first ?? 0 == 0 { place += 1 }
    }
    return chunks
  }

  private static func table<Record>(
    _ name: String, of size: Int, in chunks: [String: Range<Int>], _ file: borrowing WaveFile,
    _ record: (ArraySlice<UInt8>) -> Record
  ) throws(SoundFileError) -> [Record] {
    guard let chunk = chunks[name], chunk.count >= size else {
      throw SoundFileError(.notSound, "\(file.path) is invalid: it has no table \(name)")
    }
    // One record for the end, plus all that indices can reach.
    let count = chunk.count / size
    guard count <= most + 1 else {
      throw SoundFileError(
        .notSound, "\(file.path) is invalid: its table \(name) has more than \(most) rows")
    }
    let bytes = try file.read(count * size, at: chunk.lowerBound)
    guard bytes.count == count * size else {
      throw SoundFileError(.notSound, "\(file.path) is truncated in its table \(name)")
    }
    return (0..<count).map { record(bytes[$0 * size..<($0 + 1) * size]) }
  }

  private static func zones(
    _ letter: String, in chunks: [String: Range<Int>], _ file: borrowing WaveFile
  ) throws(SoundFileError) -> ([Bag], [Generator], [RawModulator]) {
    let bags = try table("\(letter)bag", of: 4, in: chunks, file) {
      Bag(generator: word($0, 0), modulator: word($0, 2))
    }
    let generators = try table("\(letter)gen", of: 4, in: chunks, file) {
      Generator(
        code: word($0, 0), low: $0[$0.startIndex + 2], high: $0[$0.startIndex + 3])
    }
    let modulators = try table("\(letter)mod", of: 10, in: chunks, file) {
      RawModulator(
        source: word($0, 0), target: word($0, 2), amount: signed($0, 4), scale: word($0, 6),
        transform: word($0, 8))
    }
    return (bags, generators, modulators)
  }

  private static func sample(_ bytes: ArraySlice<UInt8>) -> Sample {
    Sample(
      name: text(bytes.prefix(20)), start: long(bytes, 20), end: long(bytes, 24),
      loopStart: long(bytes, 28), loopEnd: long(bytes, 32), rate: long(bytes, 36),
      root: Int(bytes[bytes.startIndex + 40]),
      correction: Int(Int8(bitPattern: bytes[bytes.startIndex + 41])), partner: word(bytes, 42),
      kind: word(bytes, 44))
  }

  private static func word(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Int {
    let start = bytes.startIndex + place
    return Int(bytes[start]) | Int(bytes[start + 1]) << 8
  }

  private static func signed(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Int {
    Int(Int16(truncatingIfNeeded: word(bytes, place)))
  }

  private static func long(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Int {
    word(bytes, place) | word(bytes, place + 2) << 16
  }

  /// Decodes a name without control characters.
  ///
  /// Older fonts use Latin-1.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let bytes = bytes.prefix { $0 != 0 }
    let text =
      String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    let plain = text.unicodeScalars.filter { $0.value >= 32 && !(127..<160).contains($0.value) }
    var name = String(String.UnicodeScalarView(plain))
    while name.hasSuffix(" ") { name.removeLast() }
    return name
  }

  // MARK: - Checks

  private static func check(
    _ places: [Int], below count: Int, _ table: String, _ path: String
  ) throws(SoundFileError) {
    var last = 0
    for place in places {
      guard place >= last, place < count else {
        throw SoundFileError(
          .notSound,
          "\(path) is invalid: its table \(table) refers to row \(place), "
            + "which must be from \(last) to \(count - 1)")
      }
      last = place
    }
  }

  private static func check(
    _ bags: [Bag], _ generators: [Generator], _ modulators: [RawModulator], _ table: String,
    _ path: String
  ) throws(SoundFileError) {
    // Some writers omit the last record of generators and modulators.
    try check(bags.map(\.generator), below: generators.count + 1, table, path)
    try check(bags.map(\.modulator), below: modulators.count + 1, table, path)
  }
}
