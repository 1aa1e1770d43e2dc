internal import CZlib
internal import Engine

/// The format of a journal file: a header, then records, each with a checksum.
///
/// An incomplete record marks the end of what was written when a node was killed.
struct JournalFormat: Sendable {
  // An incompatible format has another version number.
  private static let name = Array("syrinx loops 1\n\0".utf8)
  /// The size of the header in bytes: the magic, the file's own number, and their checksum.
  static let headBytes = 32
  private static let summedBytes = 24
  /// The size of a record in bytes, without its payload.
  static let recordBytes = 44

  /// The file's unique number.
  let number: UInt64
  // The initial value of checksums: remains of another file on disk never match.
  private let seed: UInt32

  /// The format of a file with this number.
  init(number: UInt64) {
    self.init(number: number, seed: Self.head(number).withUnsafeBytes { Self.sum($0, from: 0) })
  }

  private init(number: UInt64, seed: UInt32) {
    self.number = number
    self.seed = seed
  }

  private static func head(_ number: UInt64) -> [UInt8] {
    var bytes = name
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    return bytes
  }

  /// The encoded header.
  var head: [UInt8] {
    var bytes = Self.head(number)
    withUnsafeBytes(of: seed.littleEndian) { bytes += $0 }
    return bytes + [UInt8](repeating: 0, count: Self.headBytes - bytes.count)
  }

  /// Parses a header; nil if it is invalid.
  init?(head: [UInt8]) {
    guard head.count >= Self.headBytes, head.starts(with: Self.name) else { return nil }
    let (number, sum) = head.withUnsafeBytes {
      (
        UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: Self.name.count, as: UInt64.self)),
        UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: Self.summedBytes, as: UInt32.self))
      )
    }
    self.init(number: number)
    guard sum == seed else { return nil }
  }

  /// Derives the format from the records at the start of a file whose header is damaged.
  ///
  /// Nil if there are no intact records, or if the header is an intact one of another version.
  init?(recovering start: UnsafeRawBufferPointer) {
    guard start.count > Self.headBytes else { return nil }
    let number = UInt64.random(in: 1 ... .max)
    let stored = UInt32(
      littleEndian: start.loadUnaligned(fromByteOffset: Self.summedBytes, as: UInt32.self))
    let head = UnsafeRawBufferPointer(rebasing: start[..<Self.summedBytes])
    guard Self.sum(head, from: 0) != stored else { return nil }
    let own = UInt64(
      littleEndian: start.loadUnaligned(fromByteOffset: Self.name.count, as: UInt64.self))
    for format in [Self(number: number, seed: stored), Self(number: own)]
    where format.length(of: start[Self.headBytes...]) != nil {
      self = format
      return
    }
    // The header has nothing left. Two records in a row confirm the seed that the first one implies.
    for place in Self.headBytes..<max(Self.headBytes, start.count - Self.recordBytes) {
      let rest = UnsafeRawBufferPointer(rebasing: start[place...])
      guard let record = Self.plausibleRecord(rest) else { continue }
      let length = Self.recordBytes + record.bytes
      guard rest.count > length else { continue }
      let format = Self(
        number: number, seed: Self.seed(of: UnsafeRawBufferPointer(rebasing: rest[..<length])))
      if format.length(of: rest[length...]) != nil {
        self = format
        return
      }
    }
    return nil
  }

  /// The length in bytes of the intact record that the bytes begin with; nil if there is none.
  private func length(of bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes)
    guard let record = Self.plausibleRecord(bytes) else { return nil }
    let length = Self.recordBytes + record.bytes
    guard bytes.count >= length else { return nil }
    return isWhole(UnsafeRawBufferPointer(rebasing: bytes[..<length])) ? length : nil
  }

  // MARK: - Checksums

  private static func sum(_ bytes: UnsafeRawBufferPointer, from seed: UInt32) -> UInt32 {
    UInt32(
      truncatingIfNeeded: crc32(
        UInt(seed), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count)))
  }

  // The reflected polynomial of CRC-32.
  private static let polynomial: UInt32 = 0xEDB8_8320

  /// The seed with which the checksum of a complete record matches.
  private static func seed(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var state = ~UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    for byte in bytes[4...].reversed() {
      // Each step of the checksum, backward. Only a step that adds the polynomial sets the highest bit.
      for _ in 0..<8 {
        state = state >> 31 == 0 ? state << 1 : (state ^ polynomial) << 1 | 1
      }
      state ^= UInt32(byte)
    }
    return ~state
  }

  /// Finds the one bit of a complete record whose flip makes the checksum match.
  ///
  /// Nil if there is none. Two wrong bits never look like one: records are short enough for that.
  func wrongBit(_ bytes: UnsafeRawBufferPointer) -> (offset: Int, mask: UInt8)? {
    let stored = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    let difference = stored ^ Self.sum(UnsafeRawBufferPointer(rebasing: bytes[4...]), from: seed)
    if difference.nonzeroBitCount == 1 {
      let bit = difference.trailingZeroBitCount
      return (bit / 8, 1 << UInt8(bit % 8))
    }
    // How a flipped bit changes the checksum depends only on its distance from the end.
    var change: UInt32 = 1
    for bit in (32..<8 * bytes.count).reversed() {
      change = change & 1 == 0 ? change >> 1 : change >> 1 ^ Self.polynomial
      if change == difference { return (bit / 8, 1 << UInt8(bit % 8)) }
    }
    return nil
  }

  // MARK: - Records

  /// Appends a record with its payload to bytes to be written.
  func append(_ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    let start = out.count
    func add(_ value: some FixedWidthInteger) {
      withUnsafeBytes(of: value.littleEndian) { out += $0 }
    }
    add(UInt32(0))
    add(record.kind.rawValue)
    add(record.slot)
    add(record.count)
    add(record.serial)
    add(record.other)
    add(record.layers)
    add(record.frames)
    add(record.round.bitPattern)
    add(record.clip)
    out.append(contentsOf: bytes)
    out.withUnsafeMutableBytes { all in
      let sum = Self.sum(UnsafeRawBufferPointer(rebasing: all[(start + 4)...]), from: seed)
      all.storeBytes(of: sum.littleEndian, toByteOffset: start, as: UInt32.self)
    }
  }

  /// The record that the bytes begin with, without its payload; nil if it is invalid.
  static func record(_ bytes: UnsafeRawBufferPointer) -> LoopRecord? {
    func value<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Value {
      Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
    guard let kind = LoopRecord.Kind(rawValue: value(4, UInt8.self)) else { return nil }
    let record = LoopRecord(
      kind, slot: Int(value(5, UInt8.self)), count: Int(value(6, UInt16.self)),
      serial: value(8, UInt32.self), other: Int(value(12, UInt32.self)),
      layers: Int(value(16, UInt32.self)), frames: Int(value(20, Int64.self)),
      round: Double(bitPattern: value(28, UInt64.self)), clip: Int(value(36, Int64.self)))
    return record.kind == .history && Int(record.count) > LoopRecord.mostVersions ? nil : record
  }

  /// Whether a record may begin with these bytes, at a glance.
  static func mayBeRecord(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    bytes[offset + 4] &- 1 < kinds
  }

  // The raw values of the kinds are 1 to this number.
  private static let kinds = UInt8(LoopRecord.Kind.allCases.count)

  /// The record that the bytes begin with, if a node can have written it and it is worth a checksum.
  static func plausibleRecord(_ bytes: UnsafeRawBufferPointer) -> LoopRecord? {
    guard bytes.count >= recordBytes,
      let record = record(bytes), record.slot < JournalIndex.mostSlots
    else { return nil }
    guard record.kind == .page else { return record }
    return record.other < JournalIndex.mostPages && record.frames == 0 && record.clip == 0
      ? record : nil
  }

  /// Whether the checksum of a complete record, with its payload, matches.
  func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let sum = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    return sum == Self.sum(UnsafeRawBufferPointer(rebasing: bytes[4...]), from: seed)
  }
}
