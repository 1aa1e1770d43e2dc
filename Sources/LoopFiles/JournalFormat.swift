internal import CZlib
internal import Engine
internal import Glibc
internal import Posix

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
    self.number = number
    seed = Self.head(number).withUnsafeBytes { Self.sum($0, from: 0) }
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

  private static func sum(_ bytes: UnsafeRawBufferPointer, from seed: UInt32) -> UInt32 {
    UInt32(
      truncatingIfNeeded: crc32(
        UInt(seed), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count)))
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

  /// Whether the checksum of a complete record, with its payload, matches.
  func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let sum = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    return sum == Self.sum(UnsafeRawBufferPointer(rebasing: bytes[4...]), from: seed)
  }
}

/// A reader of a journal file's records, in order.
struct JournalScan: ~Copyable {
  /// The outcome of reading the next record.
  enum Step: Equatable {
    case record
    /// The end of the file.
    case end
    /// An incomplete record: its writer was killed.
    case torn
    /// A record that is not as it was written.
    case damaged
  }

  private static let windowBytes = 1 << 18

  private let file: Descriptor
  private let format: JournalFormat
  private let end: Int
  private let window: UnsafeMutableRawBufferPointer
  private var windowStart = 0
  private var windowCount = 0
  /// The offset of the next record.
  private(set) var offset: Int

  /// Creates a reader of the records between two offsets of the file.
  init(_ file: Descriptor, _ format: JournalFormat, from start: Int, to end: Int) {
    self.file = file
    self.format = format
    self.end = end
    offset = start
    window = .allocate(byteCount: Self.windowBytes, alignment: 16)
  }

  deinit { window.deallocate() }

  /// Passes the next record, with its payload and its offset, to `body`.
  ///
  /// A record that `body` rejects counts as damaged.
  mutating func next(
    _ body: (LoopRecord, UnsafeRawBufferPointer, Int) -> Bool
  ) throws(SystemError) -> Step {
    let left = end - offset
    if left == 0 { return .end }
    guard left >= JournalFormat.recordBytes else { return .torn }
    guard let record = JournalFormat.record(try bytes(at: offset, JournalFormat.recordBytes)) else {
      return try isZeroFromHere() ? .torn : .damaged
    }
    let count = JournalFormat.recordBytes + record.bytes
    guard left >= count else { return .torn }
    let whole = try bytes(at: offset, count)
    guard format.isWhole(whole) else { return .damaged }
    let own = UnsafeRawBufferPointer(rebasing: whole[JournalFormat.recordBytes...])
    guard body(record, own, offset + JournalFormat.recordBytes) else { return .damaged }
    offset += count
    return .record
  }

  /// Whether only zeros are left, as after a power failure while the file grew.
  private mutating func isZeroFromHere() throws(SystemError) -> Bool {
    var start = offset
    while start < end {
      let count = min(end - start, Self.windowBytes)
      guard try bytes(at: start, count).allSatisfy({ $0 == 0 }) else { return false }
      start += count
    }
    return true
  }

  private mutating func bytes(
    at start: Int, _ count: Int
  ) throws(SystemError) -> UnsafeRawBufferPointer {
    if start < windowStart || start + count > windowStart + windowCount {
      windowStart = start
      windowCount = min(end - start, Self.windowBytes)
      try file.fill(UnsafeMutableRawBufferPointer(rebasing: window[..<windowCount]), at: start)
    }
    let first = start - windowStart
    return UnsafeRawBufferPointer(rebasing: window[first..<first + count])
  }
}

extension Descriptor {
  /// Fills memory with the bytes at an offset of the file; a premature end is an error.
  func fill(_ memory: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) {
    let (count, code) = read(into: memory, at: offset)
    guard count == memory.count else { throw SystemError("read", code: code == 0 ? EIO : code) }
  }

  /// Returns `count` bytes at an offset of the file; a premature end is an error.
  func bytes(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    try bytes.withUnsafeMutableBufferPointer { memory throws(SystemError) in
      try fill(UnsafeMutableRawBufferPointer(memory), at: offset)
    }
    return bytes
  }
}
