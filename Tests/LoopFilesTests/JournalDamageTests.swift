import Engine
import Foundation
import Glibc
import Posix
import TestSupport
import Testing

@testable import LoopFiles

/// Journal files with wrong bits and lost sectors, read again.
@Suite struct JournalDamageTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("loops/journal")
  }

  /// A record of a file: its bytes, and what it says.
  private struct Record {
    let bytes: Range<Int>
    let record: LoopRecord
  }

  /// Writes a journal, without one of its records if wanted, and returns its records.
  private func write(
    _ folder: String, without omitted: Int? = nil, _ play: (JournalScript) -> Void
  ) throws -> [Record] {
    try? FileManager.default.removeItem(atPath: self.folder.path(folder))
    let store = try LoopStore(in: self.folder.path(folder))
    let script = JournalScript(LoopJournal(pages: 2048))
    play(script)
    var records: [Record] = []
    var index = 0
    while try script.journal.next({
      defer { index += 1 }
      if index == omitted { return }
      let start = store.size
      let isTaken = try store.append($0, $1)
      #expect(isTaken || omitted != nil)
      try store.flush()
      records.append(Record(bytes: start..<store.size, record: $0))
    }) {}
    return records
  }

  /// Two slots with three layers of 20 pages, each of a value of its own.
  private static func playEvening(_ script: JournalScript) {
    script.rate()
    for slot in 0..<2 {
      for layer in 0..<3 {
        let serial = UInt32(10 * slot + layer + 1)
        script.version(slot, serial, like: layer == 0 ? 0 : serial - 1)
        for index in 0..<20 where layer == 0 || index % 2 == 0 {
          script.page(slot, serial, index, Float(1 + index + 100 * layer + 1000 * slot))
        }
        script.length(slot, serial, 20 * 512, layers: layer, clip: slot + 1)
        script.history(slot, (0...layer).map { UInt32(10 * slot + $0 + 1) })
      }
    }
  }

  /// What a store makes of these bytes.
  private func open(_ bytes: Data) throws -> (contents: Contents, loss: String?) {
    try bytes.write(to: URL(fileURLWithPath: path))
    let store = try LoopStore(in: folder.path("loops"))
    let outcome = (try Contents(store.archive), store.loss)
    for name in folder.names(in: "loops") where name.contains(".bad") {
      #expect(try folder.bytes("loops/\(name)") == bytes)
      Files.remove(folder.path("loops/\(name)"))
    }
    return outcome
  }

  /// The pages of all versions of a slot.
  private func sounds(_ contents: Contents) -> [Int: [[Float?]]] {
    Dictionary(uniqueKeysWithValues: contents.slots.map { ($0.number, $0.versions.map(\.pages)) })
  }

  // MARK: - One bit

  @Test func `a flipped bit anywhere loses nothing, and is reported`() throws {
    let records = try write("loops") { $0.writeHistory() }
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = try open(whole).contents
    for place in whole.indices {
      // Within a page all bytes are equal.
      let isNearEdge = records.contains { (0..<60).contains(place - $0.bytes.lowerBound) }
      guard place < 32 || isNearEdge && place % 3 == 0 || place % 61 == 0 else { continue }
      var damaged = whole
      damaged[place] ^= 1 << UInt8(place % 8)
      let outcome = try open(damaged)
      #expect(outcome.contents == contents, "a bit at \(place)")
      // The rest of the header is unused.
      let isUnused = (28..<32).contains(place)
      #expect(
        isUnused
          ? outcome.loss == nil
          : outcome.loss?.contains("damaged in 1 place; all is repaired, and nothing is lost")
            == true,
        "a bit at \(place): \(outcome.loss ?? "")")
    }
  }

  @Test func `many flipped bits in different records lose nothing`() throws {
    let records = try write("loops", Self.playEvening)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = try open(whole).contents
    var damaged = whole
    var dice = SeededDice(seed: 27)
    for record in records {
      damaged[Int.random(in: record.bytes, using: &dice)] ^=
        1 << UInt8.random(in: 0..<8, using: &dice)
    }
    let outcome = try open(damaged)
    #expect(outcome.contents == contents)
    #expect(outcome.loss?.contains("damaged in \(records.count) places; all") == true)
  }

  // MARK: - One record

  /// Damages three bytes in a row, within the record that has the first.
  private func damage(_ whole: Data, at place: Int, _ records: [Record]) throws -> (Data, Int) {
    let number = try #require(records.firstIndex { $0.bytes.contains(place) })
    let first = min(place, records[number].bytes.upperBound - 3)
    var damaged = whole
    for index in first..<first + 3 { damaged[index] ^= 0xA5 }
    return (damaged, number)
  }

  @Test func `damage at every percent of a file costs at most the page that it hits`() throws {
    let records = try write("loops", Self.playEvening)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = try open(whole).contents
    for percent in 0..<100 {
      let place = max(32, whole.count * percent / 100)
      let (damaged, number) = try damage(whole, at: place, records)
      let outcome = try open(damaged)
      #expect(outcome.loss?.contains("damaged in 1 place: at most 0.02 s") == true, "\(percent) %")
      if records[number].record.kind == .page {
        _ = try write("expected", without: number, Self.playEvening)
        let expected = try Contents(LoopStore(in: folder.path("expected")).archive)
        #expect(outcome.contents == expected, "\(percent) %")
      } else {
        #expect(sounds(outcome.contents) == sounds(contents), "\(percent) %")
      }
    }
  }

  @Test func `the loss of any record but a page leaves all sound where it was`() throws {
    let records = try write("loops", Self.playEvening)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = try open(whole).contents
    for record in records where record.record.kind != .page {
      for place in [record.bytes.lowerBound, record.bytes.lowerBound + 4] {
        let (damaged, _) = try damage(whole, at: place, records)
        let outcome = try open(damaged)
        let what = "\(record.record.kind) \(record.record.serial) at \(place)"
        #expect(sounds(outcome.contents) == sounds(contents), "\(what)")
        #expect(outcome.contents.slots.map(\.place) == [2, 2], "\(what)")
        #expect(
          outcome.contents.slots.flatMap(\.versions).allSatisfy { $0.rate == 48_000 }, "\(what)")
        #expect(
          outcome.contents.slots.flatMap(\.versions).allSatisfy { $0.frames == 10_240 }, "\(what)")
        #expect(outcome.loss != nil, "\(what)")
      }
    }
  }

  @Test func `in a file of overdubs and undone steps, each lost record costs only itself`() throws {
    let records = try write("loops") { $0.writeHistory() }
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = try open(whole).contents
    for (number, record) in records.enumerated() {
      let (damaged, _) = try damage(whole, at: record.bytes.lowerBound + 4, records)
      let outcome = try open(damaged)
      let what = "record \(number), \(record.record.kind)"
      var expected = contents
      if record.record.kind == .page {
        _ = try write("expected", without: number) { $0.writeHistory() }
        expected = try Contents(LoopStore(in: folder.path("expected")).archive)
      }
      // More steps than before may be there, as which ones were undone can be lost.
      let found = sounds(outcome.contents)
      for slot in expected.slots {
        for version in slot.versions where !version.pages.isEmpty {
          #expect(found[slot.number]?.contains(version.pages) == true, "\(what): \(version.pages)")
        }
      }
    }
  }

  // MARK: - Sectors

  @Test(arguments: [512, 4096, 20_000])
  func `after lost sectors, every page outside of them is in its place`(bytes: Int) throws {
    let records = try write("loops", Self.playEvening)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for start in stride(from: 0, to: whole.count - bytes - 5000, by: max(bytes, 4096) / 512 * 512) {
      let lost = start..<start + bytes
      for filler in [0, 0x5A] as [UInt8] {
        var damaged = whole
        damaged.replaceSubrange(lost, with: [UInt8](repeating: filler, count: bytes))
        let outcome = try open(damaged)
        let found = sounds(outcome.contents)
        for record in records where record.record.kind == .page && !record.bytes.overlaps(lost) {
          let layer = Int(record.record.serial) % 10 - 1
          let (slot, index) = (Int(record.record.slot), Int(record.record.other))
          let value = Float(1 + index + 100 * layer + 1000 * slot)
          #expect(
            found[slot]?.contains { $0.indices.contains(index) && $0[index] == value } == true,
            "\(value) of loop \(slot), sectors from \(start)")
        }
        #expect(outcome.loss?.contains("damaged in ") == true, "sectors from \(start)")
      }
    }
  }

  @Test func `a header that is lost as a whole is inferred from the records`() throws {
    _ = try write("loops", Self.playEvening)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let contents = try open(whole).contents
    var damaged = whole
    damaged.replaceSubrange(0..<32, with: Data(count: 32))
    let outcome = try open(damaged)
    #expect(outcome.contents == contents)
    #expect(outcome.loss?.contains("nothing is lost") == true)
  }

  @Test func `a journal of another version is not taken for a damaged one`() throws {
    _ = try write("loops", Self.playEvening)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[14] = UInt8(ascii: "2")
    #expect(bytes.prefix(14) == Data("syrinx loops 1".utf8).prefix(14))
    let other = [UInt8](Data("syrinx loops 2\n\0".utf8)) + bytes[16..<24]
    let sum = crc(other)
    bytes.replaceSubrange(0..<24, with: other)
    withUnsafeBytes(of: sum.littleEndian) { bytes.replaceSubrange(24..<28, with: $0) }
    let outcome = try open(bytes)
    #expect(outcome.contents.slots.isEmpty)
    #expect(outcome.loss?.contains("is no journal of loops of this version") == true)
  }

  /// The CRC-32 of bytes, bit by bit.
  private func crc(_ bytes: [UInt8]) -> UInt32 {
    var state: UInt32 = .max
    for byte in bytes {
      state ^= UInt32(byte)
      for _ in 0..<8 { state = state & 1 == 0 ? state >> 1 : state >> 1 ^ 0xEDB8_8320 }
    }
    return ~state
  }

  // MARK: - Power failures

  @Test func `a tail of zeros from any sector on is no damage`() throws {
    let records = try write("loops") { $0.writeHistory() }
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for sector in stride(from: 512, to: whole.count, by: 512) {
      var torn = whole
      torn.replaceSubrange(sector..<whole.count, with: Data(count: whole.count - sector))
      let outcome = try open(torn)
      let end = records.last { $0.bytes.upperBound <= sector }?.bytes.upperBound ?? 32
      let next = try #require(records.first { $0.bytes.lowerBound >= end })
      // A record that lost a single bit is repaired.
      let bits = whole[sector..<max(sector, next.bytes.upperBound)].reduce(0) {
        $0 + $1.nonzeroBitCount
      }
      if bits == 1 { continue }
      let expected = try open(whole.prefix(end)).contents
      #expect(outcome.contents == expected, "zeros from \(sector) on")
      #expect(outcome.loss == nil, "zeros from \(sector) on: \(outcome.loss ?? "")")
    }
  }

  @Test(arguments: [32, 4096, 3_000_000])
  func `a file of nothing but zeros is an empty journal`(bytes: Int) throws {
    try Files.makeFolder(folder.path("loops"))
    let outcome = try open(Data(count: bytes))
    #expect(outcome.contents.slots.isEmpty && outcome.loss == nil)
    #expect(Files.size(at: path) == JournalFormat.headBytes)
  }

  // MARK: - Files set aside

  @Test func `after damage it continues in an intact file`() throws {
    let records = try write("loops", Self.playEvening)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let (damaged, _) = try damage(whole, at: records[30].bytes.lowerBound + 99, records)
    let contents = try open(damaged).contents
    let again = try LoopStore(in: folder.path("loops"))
    #expect(again.loss == nil)
    #expect(try Contents(again.archive) == contents)
  }

  @Test func `a damaged file is kept and can be read, and only the newest few are`() throws {
    let records = try write("loops", Self.playEvening)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var latest = ""
    for round in 0..<6 {
      let (damaged, _) = try damage(whole, at: records[10 + round].bytes.lowerBound + 99, records)
      Files.remove(path)
      try damaged.write(to: URL(fileURLWithPath: path))
      // A second apart, as file systems may store no finer times.
      var times = [timeval(tv_sec: 1_000_000 + round, tv_usec: 0), timeval()]
      times[1] = times[0]
      #expect(utimes(path, times) == 0)
      let store = try LoopStore(in: folder.path("loops"))
      let loss = try #require(store.loss)
      latest = String(
        try #require(loss.components(separatedBy: "the damaged file is ").last).dropLast(4))
      #expect(try Data(contentsOf: URL(fileURLWithPath: latest)) == damaged)
      let contents = try Contents(store.archive)
      let (archive, damage) = try #require(try LoopArchive.read(latest))
      #expect(try Contents(archive) == contents)
      #expect(damage?.contains("damaged in 1 place") == true)
      let names = folder.names(in: "loops").filter { $0.hasPrefix("journal.bad") }
      #expect(names.count == min(round + 1, LoopStore.mostDamagedFiles))
    }
    let times = try folder.names(in: "loops").filter { $0.hasPrefix("journal.bad") }.map {
      try #require(Files.modified(folder.path("loops/\($0)"))) / 1_000_000_000
    }
    #expect(times.sorted() == [1_000_003, 1_000_004, 1_000_005])
  }

  @Test func `a file that is no journal is not read`() throws {
    let path = folder.path("text")
    try Files.write("Nothing of the kind, but longer than a header.\n", to: path)
    #expect(try LoopArchive.read(path) == nil)
    #expect(throws: SystemError.self) { try LoopArchive.read(folder.path("missing")) }
  }
}
