internal import Engine

/// The index of a journal file: the state that its records add up to, and the offsets of the pages.
struct LoopMap: Sendable {
  /// The maximum number of slots.
  static let mostSlots = 64
  // A clip of ten minutes at 192 kHz has a quarter of that.
  static let mostPages = 1 << 20

  /// The sample rate of the current state, in Hz; 0 if there is none.
  var rate = 0
  /// The slots with records, by index.
  private(set) var slots: [Int: SlotMap] = [:]

  /// The highest serial number of a version.
  private(set) var latestSerial: UInt32 = 0

  /// Applies a record whose payload lies at an offset of the file.
  ///
  /// Returns false, without changes, if it is invalid.
  mutating func take(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, at place: Int
  ) -> Bool {
    if record.kind == .rate {
      guard (1...1_000_000).contains(record.frames) else { return false }
      rate = Int(record.frames)
      return true
    }
    guard record.slot < Self.mostSlots, rate > 0 else { return false }
    guard slots[Int(record.slot), default: SlotMap()].take(record, bytes, at: place, rate: rate)
    else { return false }
    if record.kind == .version { latestSerial = max(latestSerial, record.serial) }
    return true
  }
}

/// The versions of one slot in a file, and their order.
struct SlotMap: Sendable {
  var versions: [UInt32: VersionMap] = [:]
  /// The serial numbers of the versions in the undo history.
  var history: [UInt32] = []
  /// The index of the current version in the history.
  var place = 0
  /// The sample rate of those in the history, in Hz.
  var rate = 0
  /// The version being recorded; 0 if there is none.
  var making: UInt32 = 0
  /// The version being overdubbed, 0 if there is none, and its last written page.
  var adding: UInt32 = 0
  var head: Int?
  var isPlaying = false
  /// The engine frame at which its playhead was at the start.
  var beginning: Int64 = 0

  fileprivate mutating func take(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, at place: Int, rate: Int
  ) -> Bool {
    switch record.kind {
    case .rate: return false
    case .version: return begin(record)
    case .history: return order(record, bytes, rate: rate)
    case .recording:
      guard record.serial == 0 || versions[record.serial] != nil else { return false }
      if making != record.serial, !history.contains(making) { versions[making] = nil }
      making = record.serial
    case .overdub:
      guard record.serial == 0 || versions[record.serial] != nil else { return false }
      adding = record.serial
      head = record.other < LoopMap.mostPages ? Int(record.other) : nil
    case .phase:
      isPlaying = record.count > 0
      beginning = record.frames
    case .page, .hole, .length: return change(record, at: place)
    }
    return true
  }

  private mutating func begin(_ record: LoopRecord) -> Bool {
    guard record.serial != 0, versions[record.serial] == nil else { return false }
    if record.other == 0 {
      versions[record.serial] = VersionMap()
    } else {
      guard let other = versions[record.other] else { return false }
      versions[record.serial] = other
    }
    return true
  }

  private mutating func order(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, rate: Int
  ) -> Bool {
    let serials = (0..<Int(record.count)).map {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))
    }
    guard !serials.isEmpty, record.other < serials.count,
      serials.allSatisfy({ versions[$0] != nil }), Set(serials).count == serials.count
    else { return false }
    history = serials
    place = Int(record.other)
    self.rate = rate
    versions = versions.filter { $0.key == making || serials.contains($0.key) }
    if versions[adding] == nil { adding = 0 }
    return true
  }

  private mutating func change(_ record: LoopRecord, at place: Int) -> Bool {
    guard let index = versions.index(forKey: record.serial) else { return false }
    let first = Int(record.other)
    switch record.kind {
    case .page:
      guard first < LoopMap.mostPages else { return false }
      versions.values[index].pages[first] = place
      // What lies beyond the end is written with the start.
      if record.serial == adding,
        (first + 1) * LoopRecord.pageFrames <= versions.values[index].frames
      {
        head = first
      }
    case .hole:
      guard record.frames >= 0, first <= LoopMap.mostPages,
        record.frames <= LoopMap.mostPages
      else { return false }
      versions.values[index].pages.clear(first, count: Int(record.frames))
    default:
      guard (0...Int64(LoopMap.mostPages * LoopRecord.pageFrames)).contains(record.frames),
        record.round <= Double(record.frames), record.round > Double(record.frames) - 1
      else { return false }
      versions.values[index].frames = Int(record.frames)
      versions.values[index].round = record.round
      versions.values[index].layers = Int(record.layers)
      versions.values[index].clip = Int(record.clip)
    }
    return true
  }
}

/// A version of a clip in a file.
struct VersionMap: Sendable {
  /// The offsets of its pages.
  var pages = PageTable()
  /// Its length, in frames.
  var frames = 0
  /// The loop length, in frames.
  var round = 0.0
  /// The number of overdubs.
  var layers = 0
  /// The number of its clip.
  var clip = 0
}

/// The offsets of pages in a file, in chunks that equal tables share.
struct PageTable: Sendable {
  private static let piece = 64
  private static let nowhere = -1
  private static let empty = [Int](repeating: nowhere, count: piece)

  private var pieces: [[Int]] = []

  /// The maximum number of pages.
  var count: Int { pieces.count * Self.piece }

  /// The offset of a page; nil if there is none.
  subscript(index: Int) -> Int? {
    get {
      guard index < count else { return nil }
      let place = pieces[index / Self.piece][index % Self.piece]
      return place == Self.nowhere ? nil : place
    }
    set {
      guard newValue != nil || index < count else { return }
      while index >= count { pieces.append(Self.empty) }
      pieces[index / Self.piece][index % Self.piece] = newValue ?? Self.nowhere
    }
  }

  /// Removes the offsets of `wanted` pages from an index on.
  mutating func clear(_ first: Int, count wanted: Int) {
    for index in first..<max(first, min(first + wanted, count)) { self[index] = nil }
  }
}
