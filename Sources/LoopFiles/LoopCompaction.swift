internal import Engine
internal import Glibc
internal import Posix

/// An incremental copy of a journal's live data into a new file, while the old one still grows.
final class LoopCompaction {
  /// The new file.
  let file: Descriptor
  let format = JournalFormat(number: .random(in: 1 ... .max))
  /// The loops as the new file has them.
  private(set) var map = LoopMap()
  /// Its size, in bytes.
  private(set) var end = 0
  /// Whether it is durable except for the latest writes.
  var isSafe = false
  /// Whether all initial data is copied, and only the fsync is pending.
  private(set) var isWaiting = false

  private let path: String
  private let source: Descriptor
  private let sourceFormat: JournalFormat
  // The initial data is copied page by page, from the end of this list; later records follow one by
  // one.
  private var steps: [Step]
  private var sourcePlace: Int
  private var waiting: [UInt8] = []
  private var written = 0
  private var hasFault = false
  private var isComplete = false

  private enum Step {
    case record(LoopRecord, [UInt32])
    /// The pages of a version that differ from the version before, from an index on.
    case pages(slot: Int, serial: UInt32, PageTable, before: PageTable, from: Int)
  }

  /// Starts a copy of a file's map; `hasMore` says whether the journal goes on beyond the end of
  /// the map.
  init(
    _ map: LoopMap, _ source: Descriptor, _ sourceFormat: JournalFormat, end: Int, path: String,
    hasMore: Bool = true
  ) throws(SystemError) {
    self.path = path
    self.source = source
    self.sourceFormat = sourceFormat
    sourcePlace = end
    steps = Self.steps(map).reversed()
    let part = LoopStore.part(path)
    file = try Descriptor(
      open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666), orThrow: part)
    waiting = format.head
  }

  /// The steps that write a whole map.
  private static func steps(_ map: LoopMap) -> [Step] {
    var steps: [Step] = []
    func add(_ record: LoopRecord, _ serials: [UInt32] = []) {
      steps.append(.record(record, serials))
    }
    func addRate(_ rate: Int) {
      var record = LoopRecord(.rate)
      record.frames = Int64(rate)
      add(record)
    }
    for (number, slot) in map.slots.sorted(by: { $0.key < $1.key }) {
      addRate(slot.rate > 0 ? slot.rate : map.rate)
      // Versions outside the history come last.
      let others = slot.versions.keys.filter { !slot.history.contains($0) }.sorted()
      var before = PageTable()
      var last: UInt32 = 0
      for serial in slot.history + others {
        guard let version = slot.versions[serial] else { continue }
        if serial == others.first, !slot.history.isEmpty {
          add(Self.history(number, slot), slot.history)
        }
        var begin = LoopRecord(.version, slot: number)
        (begin.serial, begin.other) = (serial, last)
        add(begin)
        steps.append(
          .pages(slot: number, serial: serial, version.pages, before: before, from: 0))
        var length = LoopRecord(.length, slot: number)
        length.serial = serial
        length.frames = Int64(version.frames)
        length.round = version.round
        length.layers = UInt32(truncatingIfNeeded: version.layers)
        length.clip = Int64(version.clip)
        add(length)
        (before, last) = (version.pages, serial)
      }
      if others.isEmpty, !slot.history.isEmpty { add(Self.history(number, slot), slot.history) }
      if slot.making != 0 {
        var making = LoopRecord(.recording, slot: number)
        making.serial = slot.making
        add(making)
      }
      if slot.adding != 0 {
        var adding = LoopRecord(.overdub, slot: number)
        adding.serial = slot.adding
        adding.other = slot.head.map { UInt32($0) } ?? .max
        add(adding)
      }
      var phase = LoopRecord(.phase, slot: number)
      phase.count = slot.isPlaying ? 1 : 0
      phase.frames = slot.beginning
      add(phase)
    }
    if map.rate > 0 { addRate(map.rate) }
    return steps
  }

  private static func history(_ number: Int, _ slot: SlotMap) -> LoopRecord {
    var record = LoopRecord(.history, slot: number)
    record.count = UInt16(slot.history.count)
    record.other = UInt32(slot.place)
    return record
  }

  /// Copies up to this many bytes; the source is `sourceEnd` bytes long by now.
  func copy(bytes: Int, to sourceEnd: Int) throws(SystemError) {
    var left = bytes
    while left > 0, let step = steps.popLast() {
      let before = waiting.count
      try take(step, &left)
      left -= waiting.count - before
      if waiting.count >= 1 << 20 { try flush() }
    }
    if steps.isEmpty, left > 0, sourcePlace < sourceEnd {
      try follow(to: sourcePlace + min(left, sourceEnd - sourcePlace), sourceEnd)
    }
    try flush()
    if steps.isEmpty, isAtEnd(sourceEnd) { isWaiting = true }
  }

  /// Whether everything in the source is copied.
  func isAtEnd(_ sourceEnd: Int) -> Bool { steps.isEmpty && sourcePlace >= sourceEnd }

  private func take(_ step: Step, _ left: inout Int) throws(SystemError) {
    switch step {
    case .record(let record, let serials):
      var bytes: [UInt8] = []
      for serial in serials { withUnsafeBytes(of: serial.littleEndian) { bytes += $0 } }
      bytes.withUnsafeBytes { add(record, $0) }
    case .pages(let slot, let serial, let table, let before, let start):
      var index = start
      let count = max(table.count, before.count)
      var page = [UInt8](repeating: 0, count: LoopRecord.pageBytes)
      let stop = waiting.count + min(left, 1 << 20)
      while index < count {
        guard waiting.count < stop else {
          steps.append(
            .pages(slot: slot, serial: serial, table, before: before, from: index))
          return
        }
        if let place = table[index] {
          if place != before[index] {
            try read(&page, at: place)
            var record = LoopRecord(.page, slot: slot)
            (record.serial, record.other) = (serial, UInt32(index))
            page.withUnsafeBytes { add(record, $0) }
          }
        } else if before[index] != nil {
          var record = LoopRecord(.hole, slot: slot)
          (record.serial, record.other, record.frames) = (serial, UInt32(index), 1)
          add(record, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        index += 1
      }
    }
  }

  private func read(_ page: inout [UInt8], at place: Int) throws(SystemError) {
    let result = page.withUnsafeMutableBytes { bytes in
      Result { () throws(SystemError) in try source.read(into: bytes, at: place) }
    }
    try result.get()
  }

  /// Copies the records appended to the source meanwhile, up to an offset or a little past it.
  private func follow(to place: Int, _ sourceEnd: Int) throws(SystemError) {
    var scan = JournalScan(source, sourceFormat, from: sourcePlace, to: sourceEnd)
    while scan.place < place {
      let step = try scan.next { record, bytes, _ in
        add(record, bytes)
        return true
      }
      // This process wrote it, and now it is gone.
      guard step == .record else { throw SystemError(path, code: EIO) }
      if waiting.count >= 1 << 20 { try flush() }
    }
    sourcePlace = scan.place
  }

  private func add(_ record: LoopRecord, _ bytes: UnsafeRawBufferPointer) {
    // A record that the first file accepted is accepted here, too.
    let place = end + waiting.count + JournalFormat.recordBytes
    if !map.take(record, bytes, at: place) { hasFault = true }
    format.append(record, bytes, to: &waiting)
  }

  private func flush() throws(SystemError) {
    if hasFault { throw SystemError(LoopStore.part(path), code: EPROTO) }
    let result = waiting.withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try file.write(bytes, at: end) }
    }
    do throws(SystemError) { try result.get() } catch {
      throw SystemError(LoopStore.part(path), code: error.code)
    }
    end += waiting.count
    written += waiting.count
    waiting.removeAll(keepingCapacity: true)
  }

  /// The number of bytes written since the last call.
  func takeWritten() -> Int {
    defer { written = 0 }
    return written
  }

  /// Replaces the old file with the new one.
  func complete() throws(SystemError) {
    guard rename(LoopStore.part(path), path) == 0 else { throw SystemError(path) }
    isComplete = true
  }

  deinit {
    if !isComplete { unlink(LoopStore.part(path)) }
  }
}
