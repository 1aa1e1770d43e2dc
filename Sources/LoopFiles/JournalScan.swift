internal import Engine
internal import Glibc
internal import Posix

/// A reader of a journal file's records, in order.
///
/// It can repair a record with one wrong bit, and skip to the next intact record after any other damage.
struct JournalScan: ~Copyable {
  /// The outcome of reading the next record.
  enum Step: Equatable {
    case record
    /// An intact record that was rejected; it is passed.
    case rejected
    /// The end of the file.
    case end
    /// A record that is incomplete, or not as it was written; it is not passed.
    case broken
  }

  private static let windowBytes = 1 << 18
  // A disk writes or loses sectors as a whole.
  private static let sectorBytes = 512
  private static let mostRecordBytes = JournalFormat.recordBytes + LoopRecord.pageBytes

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

  /// Passes the next record, with its payload and its offset, to `body`, which can reject it.
  mutating func next(
    _ body: (LoopRecord, UnsafeRawBufferPointer, Int) -> Bool
  ) throws(SystemError) -> Step {
    let left = end - offset
    if left == 0 { return .end }
    guard left >= JournalFormat.recordBytes,
      let record = JournalFormat.record(try bytes(at: offset, JournalFormat.recordBytes))
    else { return .broken }
    let count = JournalFormat.recordBytes + record.bytes
    guard left >= count else { return .broken }
    let whole = try bytes(at: offset, count)
    guard format.isWhole(whole) else { return .broken }
    let own = UnsafeRawBufferPointer(rebasing: whole[JournalFormat.recordBytes...])
    let isAccepted = body(record, own, offset + JournalFormat.recordBytes)
    offset += count
    return isAccepted ? .record : .rejected
  }

  // MARK: - Damage

  /// Passes the broken record at the offset to `body` if a single wrong bit explains it.
  ///
  /// Returns the offset of the payload, that of the wrong byte in the file, and its right value; nil if no
  /// single bit does.
  mutating func repair(
    _ body: (LoopRecord, UnsafeRawBufferPointer, Int) -> Bool
  ) throws(SystemError) -> (payload: Int, offset: Int, byte: UInt8)? {
    let left = min(end - offset, Self.mostRecordBytes)
    guard left >= JournalFormat.recordBytes else { return nil }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: left, alignment: 16)
    defer { memory.deallocate() }
    memory.copyMemory(from: try bytes(at: offset, left))
    // The wrong bit can be one that determines the length.
    let payloads = [0, LoopRecord.pageBytes] + (1...LoopRecord.mostVersions).map { 4 * $0 }
    for payload in payloads where JournalFormat.recordBytes + payload <= left {
      let whole = UnsafeMutableRawBufferPointer(
        rebasing: memory[..<(JournalFormat.recordBytes + payload)])
      guard let (place, mask) = format.wrongBit(UnsafeRawBufferPointer(whole)) else { continue }
      whole[place] ^= mask
      let bytes = UnsafeRawBufferPointer(whole)
      let own = UnsafeRawBufferPointer(rebasing: bytes[JournalFormat.recordBytes...])
      if let record = JournalFormat.plausibleRecord(bytes), record.bytes == payload,
        body(record, own, offset + JournalFormat.recordBytes)
      {
        defer { offset += payload + JournalFormat.recordBytes }
        return (offset + JournalFormat.recordBytes, offset + place, whole[place])
      }
      whole[place] ^= mask
    }
    return nil
  }

  /// Skips the broken record at the offset: to the next intact one, or to the end if there is none.
  mutating func skip() throws(SystemError) {
    offset += 1
    while end - offset >= JournalFormat.recordBytes {
      let rest = try bytes(at: offset, JournalFormat.recordBytes, andMore: true)
      guard let place = Self.firstPlausible(rest) else {
        offset += rest.count - JournalFormat.recordBytes + 1
        continue
      }
      offset += place
      let record = JournalFormat.record(try bytes(at: offset, JournalFormat.recordBytes))
      let count = JournalFormat.recordBytes + (record?.bytes ?? 0)
      if end - offset >= count, format.isWhole(try bytes(at: offset, count)) { return }
      offset += 1
    }
    offset = end
  }

  private static func firstPlausible(_ bytes: UnsafeRawBufferPointer) -> Int? {
    (0...bytes.count - JournalFormat.recordBytes).first {
      JournalFormat.mayBeRecord(bytes, at: $0)
        && JournalFormat.plausibleRecord(UnsafeRawBufferPointer(rebasing: bytes[$0...])) != nil
    }
  }

  /// Whether the broken record at an offset, with no intact one behind it, is just where writing stopped.
  ///
  /// The file ends within it, or has only zeros from a place within it on: a power failure can leave them,
  /// in whole sectors, where a file grew.
  mutating func isTorn(at start: Int) throws(SystemError) -> Bool {
    let left = end - start
    guard left >= JournalFormat.recordBytes else { return true }
    let record = JournalFormat.plausibleRecord(try bytes(at: start, JournalFormat.recordBytes))
    let count = record.map { JournalFormat.recordBytes + $0.bytes } ?? Self.mostRecordBytes
    if record != nil, left < count { return true }
    guard let last = try lastNonzero(from: start) else { return true }
    let sector = (last + Self.sectorBytes) / Self.sectorBytes * Self.sectorBytes
    return sector < end && sector < start + count
  }

  /// The offset of the last byte that is not zero; nil if there is none.
  private mutating func lastNonzero(from start: Int) throws(SystemError) -> Int? {
    var (stop, last) = (end, -1)
    while stop > start, last < 0 {
      let first = max(start, stop - Self.windowBytes)
      last = try bytes(at: first, stop - first).lastIndex { $0 != 0 }.map { first + $0 } ?? -1
      stop = first
    }
    return last < 0 ? nil : last
  }

  // MARK: - Bytes

  /// The bytes at an offset: `count` of them, and those that are in memory behind them if wanted.
  private mutating func bytes(
    at start: Int, _ count: Int, andMore: Bool = false
  ) throws(SystemError) -> UnsafeRawBufferPointer {
    if start < windowStart || start + count > windowStart + windowCount {
      windowStart = start
      windowCount = min(end - start, Self.windowBytes)
      try file.fill(UnsafeMutableRawBufferPointer(rebasing: window[..<windowCount]), at: start)
    }
    let first = start - windowStart
    return UnsafeRawBufferPointer(
      rebasing: window[first..<(andMore ? windowCount : first + count)])
  }
}
