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
  // Whether records are missing.
  private var hasLoss = false

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
    guard record.slot < Self.mostSlots, rate > 0 || hasLoss else { return false }
    guard
      slots[Int(record.slot), default: SlotIndex(mayLack: hasLoss)]
        .apply(record, bytes, at: offset, rate: rate)
    else { return false }
    latestSerial = max(latestSerial, record.serial)
    return true
  }

  // The usual sample rate, in Hz.
  private static let assumedRate = 48_000

  /// Notes that records are missing here, so that what depends on them is inferred from then on.
  mutating func noteLoss() {
    hasLoss = true
    for number in slots.keys { slots[number]?.mayLack = true }
  }

  /// Infers what missing records would have said, after the last record.
  mutating func complete() {
    if rate == 0 {
      let rates = slots.values.lazy.flatMap(\.versions.values).map(\.rate)
      rate = rates.first { $0 > 0 } ?? Self.assumedRate
    }
    for number in slots.keys { slots[number]?.complete(rate: rate) }
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
  /// The version being recorded; 0 without a recording.
  var recording: UInt32 = 0
  /// The version being overdubbed and its last written page; 0 and nil without an overdub.
  var overdub: UInt32 = 0
  var overdubbedPage: Int?
  /// Whether its pages are written from the last to the first.
  var isOverdubBackward = false
  /// Whether the clip was becoming longer.
  var isGrowing = false
  var isPlaying = false
  /// The engine frame at which its playhead was at the start, and the sample rate of that frame, in Hz.
  var beginning = 0
  var beginningRate = 0
  /// Whether records of it may be missing since its last complete history.
  var mayLack = false

  init(mayLack: Bool = false) { self.mayLack = mayLack }

  fileprivate mutating func apply(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer, at offset: Int, rate: Int
  ) -> Bool {
    switch record.kind {
    case .rate: return false
    case .version:
      guard record.serial != 0, versions[record.serial] == nil,
        record.other == 0 || knows(record.other, rate: rate)
      else { return false }
      if versions[record.other]?.isInferred == true {
        complete(record.other, like: predecessor(of: record.other))
      }
      var version = versions[record.other] ?? LoopVersion()
      version.serial = record.serial
      version.rate = rate
      versions[record.serial] = version
    case .history: return applyHistory(record, bytes)
    case .recording:
      guard record.serial == 0 || knows(record.serial, rate: rate) else { return false }
      if recording != record.serial, !history.contains(recording) {
        // The history that has it may be missing.
        if mayLack { addStep(recording) } else { versions[recording] = nil }
      }
      recording = record.serial
      // A recording is no copy.
      versions[recording]?.isInferred = false
    case .overdub:
      guard record.serial == 0 || knows(record.serial, rate: rate) else { return false }
      overdub = record.serial
      isGrowing = record.count > 0
      isOverdubBackward = record.frames > 0
      overdubbedPage = record.other < JournalIndex.mostPages ? Int(record.other) : nil
    case .phase:
      isPlaying = record.count > 0
      beginning = Int(record.frames)
      beginningRate = rate
    case .page, .hole, .length:
      guard knows(record.serial, rate: rate) else { return false }
      if record.kind == .length, versions[record.serial]?.isInferred == true {
        // It is a copy of a version of its clip.
        complete(record.serial, like: base(of: record.serial, clip: Int(record.clip)))
      }
      guard versions[record.serial]?.apply(record, at: offset) == true else { return false }
      // The tail is written along with the start.
      if record.kind == .page, record.serial == overdub, let version = versions[overdub],
        (Int(record.other) + 1) * LoopRecord.pageFrames <= version.frames
      {
        noteOverdubbed(page: Int(record.other), of: version.frames / LoopRecord.pageFrames)
      }
    }
    return true
  }

  private mutating func noteOverdubbed(page: Int, of count: Int) {
    if let former = overdubbedPage, former != page {
      // The first page follows the last one, and in reverse the other way round.
      let isNeighbor = abs(page - former) < max(2, count / 2)
      isOverdubBackward = isNeighbor == (page < former)
    }
    overdubbedPage = page
  }

  private mutating func applyHistory(
    _ record: LoopRecord, _ bytes: UnsafeRawBufferPointer
  ) -> Bool {
    let serials = (0..<Int(record.count)).map {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self))
    }
    guard !serials.isEmpty, record.other < serials.count, Set(serials).count == serials.count
    else { return false }
    let known = serials.filter { versions[$0] != nil }
    guard known.count == serials.count || mayLack && !known.isEmpty else { return false }
    let before = serials.prefix(Int(record.other) + 1).last { versions[$0] != nil }
    history = known
    current = before.flatMap(known.firstIndex) ?? 0
    versions = versions.filter { $0.key == recording || serials.contains($0.key) }
    if versions[overdub] == nil { overdub = 0 }
    if known.count == serials.count, !versions.values.contains(where: \.isInferred) {
      mayLack = false
    }
    return true
  }

  // MARK: - Missing records

  /// Whether a version exists, after making it if its first record may be missing.
  private mutating func knows(_ serial: UInt32, rate: Int) -> Bool {
    if versions[serial] != nil { return true }
    guard mayLack, serial != 0 else { return false }
    versions[serial] = LoopVersion(inferred: serial, rate: rate)
    return true
  }

  /// The version that one of a clip was made from; nil if there is none.
  private func base(of serial: UInt32, clip: Int) -> LoopVersion? {
    if let before = predecessor(of: serial), before.clip == clip { return before }
    return versions.values.filter { $0.serial < serial && $0.clip == clip && $0.frames > 0 }
      .max { $0.serial < $1.serial }
  }

  /// The undo step before a version: for one outside the history, the current one.
  private func predecessor(of serial: UInt32) -> LoopVersion? {
    let place = (history.firstIndex(of: serial) ?? current + 1) - 1
    return history.indices.contains(place) ? versions[history[place]] : nil
  }

  /// Completes a version whose first record is missing with the pages and the length of another.
  private mutating func complete(_ serial: UInt32, like base: LoopVersion?) {
    guard var version = versions[serial] else { return }
    if let base { version.inherit(base) }
    version.isInferred = false
    versions[serial] = version
  }

  /// Adds a version as the newest undo step, and makes it the current one, if it has audio.
  private mutating func addStep(_ serial: UInt32) {
    guard let version = versions[serial], version.frames > 0 || version.lastPage != nil else {
      versions[serial] = nil
      return
    }
    if version.isInferred { complete(serial, like: predecessor(of: serial)) }
    history = history.prefix(current + 1) + [serial]
    current = history.count - 1
  }

  /// Infers what missing records would have said, after the last record.
  fileprivate mutating func complete(rate: Int) {
    for serial in versions.keys where versions[serial]?.rate == 0 { versions[serial]?.rate = rate }
    if beginningRate == 0 { beginningRate = rate }
    if mayLack {
      let others = versions.keys.filter { $0 != recording && !history.contains($0) }
      for serial in others.sorted() { addStep(serial) }
    }
    for serial in history where versions[serial]?.isInferred == true {
      complete(serial, like: predecessor(of: serial))
    }
    // Without any length it is as long as its neighbor, or as what it has.
    let lengths = history.compactMap { versions[$0] }.filter { $0.frames > 0 }
    for serial in history + [recording] {
      guard var version = versions[serial], version.frames == 0, let last = version.lastPage
      else { continue }
      let neighbor = lengths.first { $0.sharesPages(with: version) }
      version.frames = neighbor?.frames ?? (last + 1) * LoopRecord.pageFrames
      version.round = neighbor?.round ?? Double(version.frames)
      versions[serial] = version
    }
  }
}

/// A version of a clip in a file.
package struct LoopVersion: Sendable {
  /// Its serial number.
  package fileprivate(set) var serial: UInt32 = 0
  /// Its sample rate, in Hz.
  package fileprivate(set) var rate = 0
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
  /// Whether its first record is missing, and so that what it was copied from is unknown.
  fileprivate(set) var isInferred = false

  init() {}

  /// A version whose first record is missing.
  fileprivate init(inferred serial: UInt32, rate: Int) {
    self.serial = serial
    self.rate = rate
    isInferred = true
  }

  /// The maximum number of pages, including those beyond its end.
  package var pageCount: Int { pages.count }

  /// The file offset of a page, or nil for a silent page; versions that share a page have the same offset.
  package func page(_ index: Int) -> Int? { pages[index] }

  /// The highest index of a page that is not silent; nil if all are.
  var lastPage: Int? { (0..<pages.count).last { pages[$0] != nil } }

  /// Whether a page of it is also one of another version.
  fileprivate func sharesPages(with other: LoopVersion) -> Bool {
    (0..<pages.count).contains { pages[$0] != nil && pages[$0] == other.pages[$0] }
  }

  /// Takes the length of another version if it has none, and its pages where it has none.
  fileprivate mutating func inherit(_ base: LoopVersion) {
    for index in 0..<base.pages.count where pages[index] == nil { pages[index] = base.pages[index] }
    if frames > 0 { return }
    (frames, round, beat) = (base.frames, base.round, base.beat)
    (layers, clip) = (base.layers + 1, base.clip)
  }

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
