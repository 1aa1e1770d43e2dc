internal import Engine

/// The index of a journal file: the state that its records add up to, and the offsets of the pages.
struct JournalIndex: Sendable {
  /// The maximum number of slots.
  static let mostSlots = 64
  // A clip of ten minutes at 192 kHz has a quarter of that.
  static let mostPages = 1 << 20

  /// The sample rate of the current state, in Hz; 0 if there is none.
  var rate = 0
  /// The slots with records, by index.
  private(set) var slots: [Int: SlotIndex] = [:]

  /// The highest serial number of a version.
  private(set) var latestSerial: UInt32 = 0

  /// Applies a record whose payload is at an offset of the file.
  ///
  /// Returns false, without changes, if it is invalid.
  mutating func apply(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> Bool {
    if record.kind == .rate {
      guard (1...1_000_000).contains(record.frames) else { return false }
      rate = Int(record.frames)
      return true
    }
    guard record.slot < Self.mostSlots, rate > 0 else { return false }
    guard
      slots[Int(record.slot), default: SlotIndex()].apply(record, bytes, at: offset, rate: rate)
    else { return false }
    if record.kind == .version { latestSerial = max(latestSerial, record.serial) }
    return true
  }

  /// The bytes of all pages if each is written once.
  var bytes: Int {
    var offsets: Set<Int> = []
    for slot in slots.values {
      for version in slot.versions.values {
        for index in 0..<version.pages.count {
          if let offset = version.pages[index] { offsets.insert(offset) }
        }
      }
    }
    return offsets.count * (LoopRecord.pageBytes + JournalFormat.recordBytes)
  }
}

/// The versions of one slot in a file, and their order.
struct SlotIndex: Sendable {
  var versions: [UInt32: LoopVersion] = [:]
  /// The serial numbers of the versions in the undo history.
  var history: [UInt32] = []
  /// The index of the current version in the history.
  var current = 0
  /// The sample rate of those in the history, in Hz.
  var rate = 0
  /// The version being recorded; 0 without a recording.
  var recording: UInt32 = 0
  /// The version being overdubbed and its last written page; 0 and nil without an overdub.
  var overdub: UInt32 = 0
  var overdubbedPage: Int?
  var isPlaying = false
  /// The engine frame at which its playhead was at the start.
  var beginning = 0

  fileprivate mutating func apply(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, at offset: Int, rate: Int
  ) -> Bool {
    switch record.kind {
    case .rate: return false
    case .version:
      guard record.serial != 0, versions[record.serial] == nil,
        var version = record.other == 0 ? LoopVersion() : versions[record.other]
      else { return false }
      version.serial = record.serial
      versions[record.serial] = version
    case .history: return applyHistory(record, bytes, rate: rate)
    case .recording:
      guard record.serial == 0 || versions[record.serial] != nil else { return false }
      if recording != record.serial, !history.contains(recording) { versions[recording] = nil }
      recording = record.serial
    case .overdub:
      guard record.serial == 0 || versions[record.serial] != nil else { return false }
      overdub = record.serial
      overdubbedPage = record.other < JournalIndex.mostPages ? Int(record.other) : nil
    case .phase:
      isPlaying = record.count > 0
      beginning = Int(record.frames)
    case .page, .hole, .length:
      guard versions[record.serial]?.apply(record, at: offset) == true else { return false }
      // The tail is written along with the start.
      if record.kind == .page, record.serial == overdub, let version = versions[overdub],
        (Int(record.other) + 1) * LoopRecord.pageFrames <= version.frames
      {
        overdubbedPage = Int(record.other)
      }
    }
    return true
  }

  private mutating func applyHistory(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, rate: Int
  ) -> Bool {
    let serials = (0..<Int(record.count)).map {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))
    }
    guard !serials.isEmpty, record.other < serials.count,
      serials.allSatisfy({ versions[$0] != nil }), Set(serials).count == serials.count
    else { return false }
    history = serials
    current = Int(record.other)
    self.rate = rate
    versions = versions.filter { $0.key == recording || serials.contains($0.key) }
    if versions[overdub] == nil { overdub = 0 }
    return true
  }
}

/// A version of a clip in a file.
package struct LoopVersion: Sendable {
  /// Its serial number.
  package fileprivate(set) var serial: UInt32 = 0
  /// Its length, in frames.
  package var frames = 0
  /// The exact loop length, in frames.
  package var round = 0.0
  /// The length of a beat in frames, 0 if it is unknown.
  package fileprivate(set) var beat: Float = 0
  /// The number of overdubs.
  package fileprivate(set) var layers = 0
  /// The number of its clip.
  package fileprivate(set) var clip = 0
  /// The offsets of its pages.
  fileprivate(set) var pages = PageTable()

  /// The maximum number of pages, including those beyond its end.
  package var pageCount: Int { pages.count }

  /// The file offset of a page, or nil for a silent page; versions that share a page have the same offset.
  package func page(_ index: Int) -> Int? { pages[index] }

  fileprivate mutating func apply(_ record: LoopRecord, at offset: Int) -> Bool {
    let first = Int(record.other)
    switch record.kind {
    case .page:
      guard first < JournalIndex.mostPages else { return false }
      pages[first] = offset
    case .hole:
      guard record.frames >= 0, first <= JournalIndex.mostPages,
        record.frames <= JournalIndex.mostPages
      else { return false }
      pages.clear(first, count: Int(record.frames))
    default:
      let most = Int64(JournalIndex.mostPages * LoopRecord.pageFrames)
      guard (0...most).contains(record.frames), record.round <= Double(record.frames),
        record.round > Double(record.frames) - 1
      else { return false }
      frames = Int(record.frames)
      round = record.round
      beat = record.beat
      layers = Int(record.layers)
      clip = Int(record.clip)
    }
    return true
  }
}

/// The offsets of pages in a file, in chunks that equal tables share.
struct PageTable: Sendable {
  private static let chunk = 64
  private static let none = -1
  private static let empty = [Int](repeating: none, count: chunk)

  private var chunks: [[Int]] = []

  /// The maximum number of pages.
  var count: Int { chunks.count * Self.chunk }

  /// The file offset of a page, or nil for a silent page.
  subscript(index: Int) -> Int? {
    get {
      guard index < count else { return nil }
      let offset = chunks[index / Self.chunk][index % Self.chunk]
      return offset == Self.none ? nil : offset
    }
    set {
      guard newValue != nil || index < count else { return }
      while index >= count { chunks.append(Self.empty) }
      chunks[index / Self.chunk][index % Self.chunk] = newValue ?? Self.none
    }
  }

  /// Removes the offsets of `wanted` pages from an index on.
  mutating func clear(_ first: Int, count wanted: Int) {
    for index in first..<max(first, min(first + wanted, count)) { self[index] = nil }
  }
}
