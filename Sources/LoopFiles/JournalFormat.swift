internal import CZlib
internal import Engine
internal import Glibc
internal import Posix

/// The form of a journal's file: a head, and then record after record, each with a sum that tells
/// whether it is as it was written.
///
/// A record of which not all is there is the end of what was written when a node was killed.
struct JournalFormat: Sendable {
  // A form that this one would misunderstand has another number.
  private static let name = Array("syrinx loops 1\n\0".utf8)
  /// The bytes of the head: the name, a number of its own, and their sum.
  static let headBytes = 32
  private static let summedBytes = 24
  /// The bytes of a record before those that belong to it.
  static let recordBytes = 44

  /// The number of the file, which no other one has.
  let number: UInt64
  // What sums begin with: what another file left on the disk is none of this one's.
  private let seed: UInt32

  /// The form of a file with a number.
  init(number: UInt64) {
    self.number = number
    seed = Self.head(number).withUnsafeBytes { Self.sum($0, from: 0) }
  }

  private static func head(_ number: UInt64) -> [UInt8] {
    var bytes = name
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    return bytes
  }

  /// The head.
  var head: [UInt8] {
    var bytes = Self.head(number)
    withUnsafeBytes(of: seed.littleEndian) { bytes += $0 }
    return bytes + [UInt8](repeating: 0, count: Self.headBytes - bytes.count)
  }

  /// The form that a head tells; nil where it is none.
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

  /// Adds a record, and what belongs to it, to bytes that are to be written.
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

  /// The record that bytes begin with, without what belongs to it; nil where they are none.
  static func record(_ bytes: UnsafeRawBufferPointer) -> LoopRecord? {
    func value<Value: FixedWidthInteger>(_ offset: Int, _: Value.Type) -> Value {
      Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
    guard let kind = LoopRecord.Kind(rawValue: value(4, UInt8.self)) else { return nil }
    var record = LoopRecord(kind, slot: Int(value(5, UInt8.self)))
    record.count = value(6, UInt16.self)
    record.serial = value(8, UInt32.self)
    record.other = value(12, UInt32.self)
    record.layers = value(16, UInt32.self)
    record.frames = value(20, Int64.self)
    record.round = Double(bitPattern: value(28, UInt64.self))
    record.clip = value(36, Int64.self)
    return record.kind == .history && Int(record.count) > LoopRecord.mostVersions ? nil : record
  }

  /// Whether a whole record, with what belongs to it, is as it was written.
  func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let sum = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    return sum == Self.sum(UnsafeRawBufferPointer(rebasing: bytes[4...]), from: seed)
  }
}

/// Reads the records of a journal's file, one after the other.
struct JournalScan: ~Copyable {
  /// What comes next in a file.
  enum Step: Equatable {
    case record
    /// There is no more.
    case end
    /// The rest is none of a whole record's: who wrote it was killed.
    case torn
    /// What comes is not as it was written.
    case damaged
  }

  private static let windowBytes = 1 << 18

  private let file: Descriptor
  private let format: JournalFormat
  private let end: Int
  private let window: UnsafeMutableRawBufferPointer
  private var windowStart = 0
  private var windowCount = 0
  /// Where the next record begins.
  private(set) var place: Int

  /// Reads the records that lie between two places of a file.
  init(_ file: Descriptor, _ format: JournalFormat, from start: Int, to end: Int) {
    self.file = file
    self.format = format
    self.end = end
    place = start
    window = .allocate(byteCount: Self.windowBytes, alignment: 16)
  }

  deinit { window.deallocate() }

  /// Hands over the next record, with what belongs to it and its place in the file; where that takes
  /// it for none, it is damaged.
  mutating func next(
    _ body: (LoopRecord, UnsafeRawBufferPointer, Int) -> Bool
  ) throws(SystemError) -> Step {
    let left = end - place
    if left == 0 { return .end }
    guard left >= JournalFormat.recordBytes else { return .torn }
    guard let record = JournalFormat.record(try bytes(at: place, JournalFormat.recordBytes)) else {
      return try isSilentFromHere() ? .torn : .damaged
    }
    let count = JournalFormat.recordBytes + record.bytes
    guard left >= count else { return .torn }
    let whole = try bytes(at: place, count)
    guard format.isWhole(whole) else { return .damaged }
    let own = UnsafeRawBufferPointer(rebasing: whole[JournalFormat.recordBytes...])
    guard body(record, own, place + JournalFormat.recordBytes) else { return .damaged }
    place += count
    return .record
  }

  /// Whether all that is left is zero, as after a power failure in the middle of a file's growth.
  private mutating func isSilentFromHere() throws(SystemError) -> Bool {
    var start = place
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
      try file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: window[..<windowCount]), at: start)
    }
    let first = start - windowStart
    return UnsafeRawBufferPointer(rebasing: window[first..<first + count])
  }
}

extension Descriptor {
  /// Fills memory with the bytes at a place of a file; an end before that is an error.
  func read(into memory: UnsafeMutableRawBufferPointer, at place: Int) throws(SystemError) {
    var done = 0
    while done < memory.count {
      let count = pread(number, memory.baseAddress! + done, memory.count - done, place + done)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError("read") }
      guard count > 0 else { throw SystemError("read", code: EIO) }
      done += count
    }
  }

  /// Writes bytes at a place of a file.
  func write(_ bytes: UnsafeRawBufferPointer, at place: Int) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = pwrite(number, bytes.baseAddress! + done, bytes.count - done, place + done)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError("write") }
      done += count
    }
  }
}
