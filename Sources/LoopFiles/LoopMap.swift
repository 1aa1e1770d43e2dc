internal import Engine

/// Where in a journal's file the loops lie: what all of its records together tell.
struct LoopMap: Sendable {
  /// The most slots that there can be.
  static let mostSlots = 64
  // A clip of ten minutes at 192 kHz has a quarter of that.
  static let mostPages = 1 << 20

  /// The rate of what is told at present, in Hz; 0 where none is told.
  var rate = 0
  /// The slots that something was told of, by their numbers.
  private(set) var slots: [Int: SlotMap] = [:]

  /// The greatest serial number of a version.
  private(set) var latestSerial: UInt32 = 0

  /// Takes over what a record tells, whose bytes lie at a place of the file; false, and nothing
  /// changed, where that can't be.
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
    if record.kind == .begin { latestSerial = max(latestSerial, record.serial) }
    return true
  }
}

/// The versions of one slot in a file, and their order.
struct SlotMap: Sendable {
  var versions: [UInt32: VersionMap] = [:]
  /// The serial numbers of the versions in the history.
  var history: [UInt32] = []
  /// Which of them is heard.
  var place = 0
  /// The rate of those in the history, in Hz.
  var rate = 0
  /// The version in the making; 0 where there is none.
  var making: UInt32 = 0
  /// The version that is being added to, 0 where there is none, and the page that was told last of it.
  var adding: UInt32 = 0
  var head: Int?
  var isPlaying = false
  /// The frame of the engine's time at which it was at its beginning.
  var beginning: Int64 = 0

  fileprivate mutating func take(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, at place: Int, rate: Int
  ) -> Bool {
    switch record.kind {
    case .rate: return false
    case .begin: return begin(record)
    case .history: return order(record, bytes, rate: rate)
    case .making:
      guard record.serial == 0 || versions[record.serial] != nil else { return false }
      if making != record.serial, !history.contains(making) { versions[making] = nil }
      making = record.serial
    case .adding:
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
      // What lies behind the end is told with the beginning.
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
  /// Where its pages lie.
  var pages = PageTable()
  /// Its length, in frames.
  var frames = 0
  /// The length of a round, in frames.
  var round = 0.0
  /// How many times something was added to it.
  var layers = 0
  /// The number of its clip.
  var clip = 0
}

/// The places of pages in a file, in pieces that tables share where they are alike.
struct PageTable: Sendable {
  private static let piece = 64
  private static let nowhere = -1
  private static let empty = [Int](repeating: nowhere, count: piece)

  private var pieces: [[Int]] = []

  /// How many pages it may have at most.
  var count: Int { pieces.count * Self.piece }

  /// The place of a page; nil where there is none.
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

  /// Forgets the places of so many pages from one on.
  mutating func clear(_ first: Int, count wanted: Int) {
    for index in first..<max(first, min(first + wanted, count)) { self[index] = nil }
  }
}
