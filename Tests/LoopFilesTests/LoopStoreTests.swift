import Engine
import Foundation
import Glibc
import Posix
import TestSupport
import Testing

@testable import LoopFiles

/// The journal file, written and read again.
@Suite struct LoopStoreTests {
  /// Copies the files that a node killed now would leave.
  private func copy(_ path: String, to other: String) throws {
    try? FileManager.default.removeItem(atPath: other)
    try FileManager.default.copyItem(atPath: path, toPath: other)
  }

  private func contents(_ folder: TemporaryFolder) throws -> Contents {
    try Contents(LoopStore(in: folder.path("loops")).archive)
  }

  @Test func `written records are read again`() throws {
    let folder = try TemporaryFolder()
    do {
      let store = try LoopStore(in: folder.path("loops"))
      #expect(store.archive.isEmpty)
      let script = JournalScript()
      script.writeHistory()
      try script.pass(to: store)
      try store.flush()
    }
    let all = try contents(folder)
    #expect(all.slots.map(\.number) == [0, 7])
    let first = all.slots[0]
    // The unfinished recording is a step after the current one.
    #expect(first.place == 2 && first.versions.map(\.frames) == [0, 1300, 512])
    #expect(first.versions.map(\.pages) == [[], [0.1, 0.2, 0.3], [0.8]])
    #expect(first.versions[1].round == 1299.75 && first.versions[1].rate == 48_000)
    #expect(first.beginning == nil)
    #expect(all.slots[1].versions.map(\.pages) == [[0.7]] && all.slots[1].versions[0].clip == 9)
  }

  @Test func `it continues where it was, with unused numbers`() throws {
    let folder = try TemporaryFolder()
    let script = JournalScript()
    do {
      let store = try LoopStore(in: folder.path("loops"))
      script.writeHistory()
      try script.pass(to: store)
      try store.flush()
    }
    do {
      let store = try LoopStore(in: folder.path("loops"))
      #expect(store.latestSerial == 5 && store.loss == nil)
      script.version(7, 6, like: 4)
      script.page(7, 6, 1, 0.9)
      script.length(7, 6, 800, layers: 1, clip: 9)
      script.history(7, [4, 6])
      try script.pass(to: store)
      try store.flush()
    }
    #expect(try contents(folder).slots[1].versions.map(\.pages) == [[0.7], [0.7, 0.9]])
  }

  @Test func `a version started as a copy is independent from then on`() throws {
    let folder = try TemporaryFolder()
    let store = try LoopStore(in: folder.path("loops"))
    let script = JournalScript()
    script.rate()
    script.version(0, 1)
    for index in 0..<200 { script.page(0, 1, index, Float(index)) }
    try script.pass(to: store)
    script.version(0, 2, like: 1)
    script.page(0, 1, 3, -1)
    script.page(0, 2, 70, -2)
    script.hole(0, 2, 150, count: 1000)
    script.history(0, [1, 2])
    try script.pass(to: store)
    try store.flush()
    let versions = try Contents(store.archive).slots[0].versions
    var (first, second) = ((0..<200).map { Float($0) }, (0..<150).map { Float($0) })
    first[3] = -1
    second[70] = -2
    #expect(versions[0].pages == first && versions[1].pages == second)
  }

  @Test func `a record that can't follow the earlier ones is refused, and changes nothing`() throws
  {
    let folder = try TemporaryFolder()
    let store = try LoopStore(in: folder.path("loops"))
    let script = JournalScript()
    script.writeHistory()
    try script.pass(to: store)
    let before = try Contents(store.archive)
    let bad = JournalScript()
    bad.version(0, 3)  // exists already
    bad.version(0, 9, like: 8)  // doesn't exist
    bad.version(0, 0)
    bad.page(0, 77, 0, 0)
    bad.page(0, 3, 1 << 21, 0)
    bad.hole(0, 3, 0, count: -1)
    bad.length(0, 3, -1)
    bad.write(LoopRecord(.length, slot: 0, serial: 3, frames: 100, round: .nan))
    bad.write(LoopRecord(.length, slot: 0, serial: 3, frames: 100, round: 98))
    bad.history(0, [1, 2], place: 2)
    bad.history(0, [1, 88], place: 0)
    bad.history(0, [1, 1], place: 0)
    bad.recording(0, 66)
    bad.recording(200, 0)
    bad.rate(0)
    var refused = 0
    while try bad.journal.next({ refused += try store.append($0, $1) ? 0 : 1 }) {}
    #expect(refused == 15)
    #expect(try Contents(store.archive) == before)
  }

  @Test func `two nodes don't write to one file`() throws {
    let folder = try TemporaryFolder()
    let store = try LoopStore(in: folder.path("loops"))
    let fault = #expect(throws: SystemError.self) { try LoopStore(in: folder.path("loops")) }
    #expect(fault?.description.contains("another node keeps its loops in ") == true)
    #expect(store.size > 0)
  }

  // MARK: - Incomplete files

  /// The contents of a file after each of its records, by the record's end.
  private func stages(_ folder: TemporaryFolder) throws -> [(end: Int, contents: Contents)] {
    let store = try LoopStore(in: folder.path("loops"))
    let script = JournalScript()
    script.writeHistory()
    var stages = [(store.size, try Contents(store.archive))]
    while try script.journal.next({
      let isTaken = try store.append($0, $1)
      #expect(isTaken)
      try store.flush()
      stages.append((store.size, try Contents(store.archive)))
    }) {}
    return stages
  }

  @Test func `cut off at any byte, it has everything complete before`() throws {
    let folder = try TemporaryFolder()
    let stages = try stages(folder)
    let path = folder.path("loops/journal")
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(whole.count == stages.last?.end)
    var stage = stages.count - 1
    for size in stride(from: whole.count, through: 0, by: -1) {
      while stage > 0, stages[stage].end > size { stage -= 1 }
      // Within a page all bytes are equal.
      let isNearEdge = stages.contains { abs($0.end - size) < 60 }
      guard isNearEdge || size % 61 == 0 else { continue }
      try whole.prefix(size).write(to: URL(fileURLWithPath: path))
      let store = try LoopStore(in: folder.path("loops"))
      #expect(try Contents(store.archive) == stages[stage].contents, "cut off at \(size)")
      #expect(store.loss == nil, "a cut-off file is normal after a kill")
      #expect(store.size == max(stages[stage].end, stages[0].end))
    }
  }

  // MARK: - Other files

  @Test func `anything other than a journal is set aside`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("loops"), withIntermediateDirectories: true)
    for seed in 0..<200 as Range<UInt64> {
      var dice = SeededDice(seed: seed)
      let bytes = (0..<Int.random(in: 0...5000, using: &dice)).map { _ in
        UInt8.random(in: 0...255, using: &dice)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path("loops/journal")))
      let store = try LoopStore(in: folder.path("loops"))
      #expect(store.archive.isEmpty)
      #expect((store.loss != nil) == (bytes.count >= 32))
    }
  }

  @Test func `zeros at the end after a power failure are dropped`() throws {
    let folder = try TemporaryFolder()
    let stages = try stages(folder)
    let path = folder.path("loops/journal")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes += Data(count: 600_000)
    try bytes.write(to: URL(fileURLWithPath: path))
    let store = try LoopStore(in: folder.path("loops"))
    #expect(try Contents(store.archive) == stages.last?.contents && store.loss == nil)
    #expect(store.size == stages.last?.end)
  }

  // MARK: - Compaction

  @Test func `compaction drops most of an obsolete file, and loses nothing meanwhile`() throws {
    let folder = try TemporaryFolder()
    var store = try LoopStore(in: folder.path("loops"), spare: 100_000)
    let script = JournalScript()
    script.writeHistory()
    // At another sample rate, one loop is recorded again, one is rewritten, and one is not written yet.
    script.rate(96_000, snapshot: 2)
    script.version(0, 6)
    script.recording(0, 6)
    script.page(0, 6, 0, 0.9)
    script.length(0, 6, 600)
    script.version(3, 10)
    for index in 0..<100 { script.page(3, 10, index, 0) }
    script.length(3, 10, 51_000)
    script.history(3, [10])
    try script.pass(to: store)
    var (largest, compactions, number) = (0, 0, store.number)
    for round in 1...300 {
      // A third of the clip is overwritten, and a layer is added and undone.
      for index in 0..<33 { script.page(3, 10, (round * 7 + index) % 100, Float(round)) }
      let layer = UInt32(100 + round)
      script.version(3, layer, like: 10)
      script.page(3, layer, round % 100, -1)
      script.history(3, round % 2 == 0 ? [10] : [10, layer])
      try script.pass(to: store)
      try store.compact(bytes: 300_000)
      if let file = store.newDescriptor, round % 3 == 0 { store.markDurable(file) }
      largest = max(largest, store.size)
      if store.number != number { compactions += 1 }
      number = store.number
      guard round % 10 == 0 else { continue }
      // Like after a kill: the new file remains.
      let contents = try Contents(store.archive)
      try copy(folder.path("loops"), to: folder.path("killed"))
      store = try LoopStore(in: folder.path("killed"), spare: 100_000)
      #expect(try Contents(store.archive) == contents, "round \(round)")
      try copy(folder.path("killed"), to: folder.path("loops"))
      store = try LoopStore(in: folder.path("loops"), spare: 100_000)
    }
    #expect(compactions > 10)
    let rates = store.archive.slots.map { $0.versions.filter { $0.frames > 0 }.map(\.rate) }
    #expect(rates.map(Set.init) == [[48_000, 96_000], [96_000], [48_000]])
    // The clip twice, the spare space, and the records written during the copy.
    #expect(largest < 3_000_000)
  }

  @Test func `it discards everything, and sets files aside`() throws {
    let folder = try TemporaryFolder()
    let store = try LoopStore(in: folder.path("loops"))
    let script = JournalScript()
    script.writeHistory()
    try script.pass(to: store)
    let before = try Contents(store.archive)
    let aside = try store.setAside(as: "aside")
    #expect(store.archive.isEmpty && aside == folder.path("loops/journal.aside"))
    script.writeHistory()
    try script.pass(to: store)
    #expect(try store.setAside(as: "aside") == folder.path("loops/journal.aside.2"))
    script.writeHistory()
    try script.pass(to: store)
    try store.discard()
    #expect(store.archive.isEmpty)
    // The file set aside is a journal that can be put back.
    try FileManager.default.createDirectory(
      atPath: folder.path("other"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: aside, toPath: folder.path("other/journal"))
    #expect(try Contents(LoopStore(in: folder.path("other")).archive) == before)
  }

  @Test func `four slots of ten seconds with eight steps each load within 0.3 s`() throws {
    let folder = try TemporaryFolder()
    let pages = 940
    do {
      let store = try LoopStore(in: folder.path("loops"))
      let script = JournalScript()
      script.rate()
      for slot in 0..<4 {
        for step in 1...9 {
          let serial = UInt32(slot * 100 + step)
          script.version(slot, serial, like: step == 1 ? 0 : serial - 1)
          for index in 0..<pages {
            script.page(slot, serial, index, Float(step))
            if index % 100 == 0 { try script.pass(to: store) }
          }
          script.length(slot, serial, 480_000)
        }
        script.history(slot, (1...9).map { UInt32(slot * 100 + $0) })
        try script.pass(to: store)
      }
      try store.flush()
    }
    let memory = UnsafeMutablePointer<Float>.allocate(
      capacity: 4 * 9 * pages * 2 * LoopRecord.pageFrames)
    defer { memory.deallocate() }
    var (best, bestWork) = (Double.infinity, Double.infinity)
    for _ in 0..<3 {
      let (start, workStart) = (HostTime.steady, work)
      let archive = try LoopStore(in: folder.path("loops")).archive
      var place = memory
      for slot in archive.slots {
        for version in slot.versions {
          for index in 0..<pages {
            try archive.read(try #require(version.page(index)), into: place)
            place += 2 * LoopRecord.pageFrames
          }
        }
      }
      best = min(best, (HostTime.steady - start) / 1e6)
      bestWork = min(bestWork, work - workStart)
      #expect(archive.slots.count == 4 && archive.slots[3].versions.count == 9)
    }
    print(
      "four slots of ten seconds with eight steps each: read in \(Int(best * 1000)) ms, "
        + "\(Int(bestWork * 1000)) ms of them work")
    // CPU time, because other processes may interrupt; a sanitizer is slower.
    #expect(bestWork < (isWatched ? 1.5 : 0.3))
  }

  /// Whether a sanitizer is in the program.
  private var isWatched: Bool {
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
  }

  /// The CPU time of this thread, in seconds.
  private var work: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension TemporaryFolder {
  /// The names in one of its folders.
  func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []).sorted()
  }
}

/// A random number generator with a fixed seed.
struct SeededDice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
