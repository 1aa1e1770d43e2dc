internal import Engine
internal import Glibc
internal import Posix

/// An incremental copy of a journal's live data into a new file, while the old one still grows.
final class LoopCompaction {
  /// The new file.
  let target: JournalFile
  /// Whether the new file is durable, except for the latest records.
  var isDurable = false
  /// Whether all data of the source has been copied once.
  private(set) var isComplete = false

  private let path: String
  private let source: JournalFile
  // The data at the start is copied step by step, from the end of this list; later records follow one
  // by one.
  private var steps: [Step]
  private var sourceOffset: Int
  private var hasReplaced = false

  private enum Step {
    case record(LoopRecord, [UInt32])
    /// The pages of a version that differ from the version before, from an index on.
    case pages(slot: Int, serial: UInt32, PageTable, before: PageTable, from: Int)
  }

  /// Starts to copy a flushed file.
  init(_ source: JournalFile, path: String) throws(SystemError) {
    self.path = path
    self.source = source
    sourceOffset = source.size
    steps = Self.steps(source.index).reversed()
    target = try JournalFile(creating: Self.part(path))
  }

  deinit {
    if !hasReplaced { unlink(Self.part(path)) }
  }

  /// The path of the new file, until it replaces the old one.
  static func part(_ path: String) -> String { path + ".part" }

  /// The number of bytes written to the new file.
  var bytesWritten: Int { target.bytesWritten }

  /// The steps that write a whole index.
  private static func steps(_ index: JournalIndex) -> [Step] {
    var steps: [Step] = []
    func add(_ record: LoopRecord) { steps.append(.record(record, [])) }
    // A killed node can leave versions that are not converted yet.
    var rate = 0
    func setRate(_ known: Int) {
      let next = known > 0 ? known : index.rate
      if next != rate, next > 0 { add(LoopRecord(.rate, frames: next)) }
      rate = next
    }
    for (number, slot) in index.slots.sorted(by: { $0.key < $1.key }) {
      func addHistory() {
        if slot.history.isEmpty { return }
        let count = slot.history.count
        steps.append(
          .record(
            LoopRecord(.history, slot: number, count: count, other: slot.current), slot.history))
      }
      // Versions outside the history come last.
      let others = slot.versions.keys.filter { !slot.history.contains($0) }.sorted()
      var before: LoopVersion?
      for serial in slot.history + others {
        guard let version = slot.versions[serial] else { continue }
        if serial == others.first { addHistory() }
        setRate(version.rate)
        add(
          LoopRecord(.version, slot: number, serial: serial, other: Int(before?.serial ?? 0)))
        steps.append(
          .pages(
            slot: number, serial: serial, version.pages, before: before?.pages ?? PageTable(),
            from: 0))
        add(
          LoopRecord(
            .length, slot: number, serial: serial, other: Int(version.beat.bitPattern),
            layers: version.layers,
            frames: version.frames, round: version.round, clip: version.clip))
        before = version
      }
      if others.isEmpty { addHistory() }
      if slot.recording != 0 {
        add(LoopRecord(.recording, slot: number, serial: slot.recording))
      }
      if slot.overdub != 0 || slot.isGrowing {
        let head = slot.overdubbedPage ?? -1
        add(
          LoopRecord(
            .overdub, slot: number, count: slot.isGrowing ? 1 : 0, serial: slot.overdub,
            other: head,
            frames: slot.isOverdubBackward ? 1 : 0))
      }
      setRate(slot.beginningRate)
      add(
        LoopRecord(.phase, slot: number, count: slot.isPlaying ? 1 : 0, frames: slot.beginning))
    }
    setRate(index.rate)
    return steps
  }

  /// Copies up to this many bytes.
  func copy(bytes: Int) throws(SystemError) {
    let stop = bytes < Int.max - target.end ? target.end + bytes : Int.max
    while target.end < stop, let step = steps.popLast() { try take(step, until: stop) }
    if steps.isEmpty, target.end < stop, sourceOffset < source.size {
      try follow(to: sourceOffset + min(stop - target.end, source.size - sourceOffset))
    }
    try target.flush()
    if isAtEnd { isComplete = true }
  }

  /// Whether everything in the source is copied.
  var isAtEnd: Bool { steps.isEmpty && sourceOffset >= source.size }

  private func take(_ step: Step, until stop: Int) throws(SystemError) {
    switch step {
    case .record(let record, let serials):
      var bytes: [UInt8] = []
      for serial in serials { withUnsafeBytes(of: serial.littleEndian) { bytes += $0 } }
      try append(record, bytes)
    case .pages(let slot, let serial, let table, let before, let start):
      for index in start..<max(start, max(table.count, before.count)) {
        guard target.end < stop else {
          steps.append(
            .pages(slot: slot, serial: serial, table, before: before, from: index))
          return
        }
        let offset = table[index]
        if offset == before[index] { continue }
        if let offset {
          let page = try source.pages.bytes(at: offset)
          try append(LoopRecord(.page, slot: slot, serial: serial, other: index), page)
        } else {
          try append(LoopRecord(.hole, slot: slot, serial: serial, other: index, frames: 1), [])
        }
      }
    }
  }

  /// Copies the records appended to the source meanwhile, up to an offset or a little past it.
  private func follow(to end: Int) throws(SystemError) {
    var scan = JournalScan(source.descriptor, source.format, from: sourceOffset, to: source.size)
    while scan.offset < end {
      var bytes: [UInt8] = []
      var next = LoopRecord(.rate)
      let step = try scan.next { record, payload, _ in
        (next, bytes) = (record, Array(payload))
        return true
      }
      // This process wrote it, and now it is gone.
      guard step == .record else { throw SystemError(path, code: EIO) }
      try append(next, bytes)
    }
    sourceOffset = scan.offset
  }

  private func append(_ record: LoopRecord, _ bytes: [UInt8]) throws(SystemError) {
    let isAccepted = try bytes.withUnsafeBufferPointer { bytes throws(SystemError) in
      try target.append(record, UnsafeRawBufferPointer(bytes))
    }
    // The source accepted each record.
    guard isAccepted else { throw SystemError(path, code: EPROTO) }
  }

  /// Replaces the old file with the new one, durably.
  ///
  /// The records copied last may be durable in the old file already. So they have to be in the new one, too.
  func replaceSource() throws(SystemError) {
    try Files.keep(target.descriptor, path: path)
    guard rename(Self.part(path), path) == 0 else { throw SystemError(path) }
    hasReplaced = true
    target.path = path
    try Files.keep(folder: Files.folder(of: path))
  }
}
