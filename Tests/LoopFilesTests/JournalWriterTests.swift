import Engine
import Foundation
import Glibc
import Posix
import TestSupport
import Testing

@testable import LoopFiles

/// The thread that writes the journal of the loops.
@Suite struct JournalWriterTests {
  /// The state that a node started now would find, if this one were killed.
  private func left(_ folder: TemporaryFolder, at path: String) throws -> Contents {
    let copy = "\(path).\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    // A file in the middle of its replacement is either the old or the new one.
    try FileManager.default.copyItem(atPath: path + "/journal", toPath: copy + "/journal")
    return try Contents(LoopStore(in: copy).archive)
  }

  /// Whether the file has a clip of so many pages, with its history.
  private func hasClip(
    of pages: Int, _ folder: TemporaryFolder, at path: String
  ) throws -> Bool {
    try left(folder, at: path).slots.first?.versions.first?.pages.count == pages
  }

  private func begin(
    _ path: String, spare: Int = LoopStore.usualSpare
  ) throws -> (writer: JournalWriter, script: JournalScript, archive: LoopArchive?) {
    let writer = try JournalWriter(folder: path, journal: LoopJournal(pages: 512), spare: spare)
    let archive = writer.open()
    try writer.start(continues: false)
    return (writer, JournalScript(writer.journal), archive)
  }

  private func end(_ writer: JournalWriter) {
    writer.end()
    #expect(writer.awaitEnd())
  }

  @Test func `records are in the file while the writer runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("loops")
    let (writer, script, archive) = try begin(path)
    #expect(archive?.isEmpty == true && writer.journal.requestedSnapshot == 1)
    script.writeHistory()
    // Running nodes are killed to see how soon: the loss is counted in frames.
    try waitUntil("the file has all records", every: 0.002) {
      try left(folder, at: path).slots.first?.versions.last?.pages == [0.8]
    }
    let before = try left(folder, at: path)
    end(writer)
    #expect(try Contents(LoopStore(in: path).archive) == before)
    #expect(writer.nextLines().isEmpty)
  }

  @Test func `the next store continues, and the one after has both`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("loops")
    let (first, script, _) = try begin(path)
    script.writeHistory()
    end(first)
    let writer = try JournalWriter(folder: path, journal: LoopJournal(pages: 512))
    var archive: LoopArchive?
    // A process that another test starts may hold the lock for a moment.
    try waitUntil("the folder can be opened") {
      archive = writer.open()
      return archive != nil
    }
    #expect(archive?.latestSerial == 5)
    try writer.start(continues: true)
    let next = JournalScript(writer.journal)
    next.version(7, 6, like: 4)
    next.page(7, 6, 1, 0.9)
    next.history(7, [4, 6])
    end(writer)
    let contents = try Contents(LoopStore(in: path).archive)
    #expect(contents.slots[1].versions.map(\.pages) == [[0.7], [0.7, 0.9]])
    #expect(contents.slots[0].versions.last?.pages == [0.8])
  }

  @Test func `records of an outdated snapshot are left out`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("loops")
    let (writer, script, _) = try begin(path)
    script.rate(48_000, snapshot: 9)
    script.version(0, 1)
    script.length(0, 1, 100)
    script.history(0, [1])
    script.rate(44_100, snapshot: 1)
    script.version(0, 2)
    script.length(0, 2, 200)
    script.history(0, [2])
    end(writer)
    let slot = try #require(try Contents(LoopStore(in: path).archive).slots.first)
    #expect(slot.versions.map(\.frames) == [200] && slot.versions[0].rate == 44_100)
  }

  @Test func `an idle journal costs nothing`() throws {
    let folder = try TemporaryFolder()
    // As much as the same history takes in a node that ended.
    let (ended, twin, _) = try begin(folder.path("twin"))
    twin.writeHistory()
    end(ended)
    let (writer, script, _) = try begin(folder.path("loops"))
    script.writeHistory()
    try waitUntil("everything is written") { writer.bytesWritten == ended.bytesWritten }
    let (before, file) = (writer.bytesWritten, try Files.kind(of: folder.path("loops/journal")))
    letPass(seconds: 1, "writes in this time count")
    #expect(writer.bytesWritten == before)
    let stamps = [file, try Files.kind(of: folder.path("loops/journal"))].compactMap {
      if case .file(let stamp) = $0 { stamp } else { nil }
    }
    #expect(stamps.count == 2 && stamps[0] == stamps[1])
    end(writer)
  }

  @Test func `a file stays short while it is overwritten repeatedly`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("loops")
    let (writer, script, _) = try begin(path, spare: 200_000)
    script.rate()
    script.version(0, 1)
    script.length(0, 1, 51_200)
    script.history(0, [1])
    for round in 1...60 {
      for index in 0..<100 { script.page(0, 1, index, Float(round)) }
      try waitUntil("there is room again") { script.hasRoom(200) }
      // It is complete at any moment.
      guard round % 10 == 0 else { continue }
      let pages = try #require(try left(folder, at: path).slots.first).versions[0].pages
      #expect(pages.count == 100 && pages.allSatisfy { $0.map { $0 >= Float(round - 8) } == true })
    }
    try waitUntil("the file is short") { Files.size(at: path + "/journal") ?? .max < 1_400_000 }
    end(writer)
    let contents = try Contents(LoopStore(in: path).archive)
    #expect(contents.slots[0].versions[0].pages == [Float?](repeating: 60, count: 100))
    #expect(writer.bytesWritten > 60 * 100 * 4096)
    #expect(writer.nextLines().isEmpty)
  }

  // MARK: - Faults

  /// Writes one clip of a few pages again on each request, as an engine does.
  private final class Responder {
    private var snapshot: UInt32 = 0
    private var serial: UInt32

    init(after serial: UInt32 = 0) { self.serial = serial }

    func respond(to script: JournalScript, pages: Int, _ value: Float) -> Bool {
      let requested = script.journal.requestedSnapshot
      guard requested != 0, requested != snapshot else { return false }
      snapshot = requested
      serial += 1
      script.rate(snapshot: requested)
      script.version(0, serial)
      for index in 0..<pages { script.page(0, serial, index, value) }
      script.length(0, serial, pages * 512)
      script.history(0, [serial])
      return true
    }
  }

  @Test func `a moved folder is reported once, and everything is in a new one`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("loops")
    let (writer, script, _) = try begin(path)
    let responder = Responder()
    #expect(responder.respond(to: script, pages: 20, 0.5))
    try waitUntil("the clip is written") { try hasClip(of: 20, folder, at: path) }
    try FileManager.default.moveItem(atPath: path, toPath: folder.path("elsewhere"))
    // The writer detects it with the next record.
    script.phase(0, true, 1)
    try waitUntil("the snapshot is requested") { responder.respond(to: script, pages: 20, 0.75) }
    try waitUntil("the new folder has the journal") {
      Files.exist(path + "/journal")
        && (try? left(folder, at: path))?.slots.first?.versions[0].pages.count == 20
    }
    end(writer)
    let lines = writer.nextLines()
    #expect(lines.count == 1 && lines[0].hasPrefix("the loops are not kept: \(path)/journal was "))
    #expect(try Contents(LoopStore(in: path).archive).slots[0].versions[0].pages[19] == 0.75)
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk requires root"))
  func `a full disk is reported once, keeps its data, and takes everything when it can`() throws {
    guard let disk = try SmallDisk(megabytes: 3) else {
      withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
      return
    }
    let folder = try TemporaryFolder()
    let path = disk.path + "/loops"
    let (writer, script, _) = try begin(path)
    let responder = Responder()
    #expect(responder.respond(to: script, pages: 50, 0.5))
    try waitUntil("the clip is written") { try hasClip(of: 50, folder, at: path) }
    try disk.fill(leaving: 20_000)
    for index in 0..<50 { script.page(0, 1, index, 0.6) }
    var lines: [String] = []
    try waitUntil("the fault is reported") {
      lines += writer.nextLines()
      return !lines.isEmpty
    }
    #expect(lines == ["the loops are not kept: \(path)/journal: No space left on device"])
    // Writes are retried, and fail again, for a while.
    let end = HostTime.steady + 1.5e6
    while HostTime.steady < end {
      _ = responder.respond(to: script, pages: 50, 0.7)
      letPass(seconds: 0.02, "time for further attempts")
    }
    #expect(writer.nextLines().isEmpty, "the fault is reported once")
    let copy = folder.path("copy")
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: path + "/journal", toPath: copy + "/journal")
    let kept = try #require(try Contents(LoopStore(in: copy).archive).slots.first)
    #expect(kept.versions[0].pages.allSatisfy { $0 == 0.5 || $0 == 0.6 })
    #expect(kept.versions[0].pages.count == 50)
    try disk.empty()
    try waitUntil("the journal is complete", every: 0.05) {
      _ = responder.respond(to: script, pages: 50, 0.8)
      try? FileManager.default.removeItem(atPath: copy + "/journal")
      try FileManager.default.copyItem(atPath: path + "/journal", toPath: copy + "/journal")
      let pages = try Contents(LoopStore(in: copy).archive).slots.first?.versions[0].pages
      return pages?.allSatisfy { $0.map { $0 >= 0.7 } == true } == true
    }
    self.end(writer)
  }

  /// A disk that is read-only, with the loops of an earlier node.
  private func readOnlyDisk() throws -> SmallDisk? {
    guard let disk = try SmallDisk(megabytes: 3) else {
      withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
      return nil
    }
    let (former, script, _) = try begin(disk.path + "/loops")
    script.writeHistory()
    end(former)
    #expect(disk.setReadOnly(true))
    return disk
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk requires root"))
  func `loops on a read-only disk are read, and continued once it is writable`() throws {
    guard let disk = try readOnlyDisk() else { return }
    let path = disk.path + "/loops"
    let writer = try JournalWriter(folder: path, journal: LoopJournal(pages: 512))
    let archive = try #require(writer.open())
    #expect(archive.slots.map(\.number) == [0, 7] && archive.latestSerial == 5)
    try writer.start(continues: true)
    let lines = writer.nextLines()
    #expect(lines.count == 1 && lines[0].contains("Read-only file system"))
    #expect(writer.journal.requestedSnapshot == 0, "no snapshot is needed")
    #expect(disk.setReadOnly(false))
    let responder = Responder(after: archive.latestSerial)
    let next = JournalScript(writer.journal)
    try waitUntil("a snapshot is requested") { responder.respond(to: next, pages: 3, 0.25) }
    end(writer)
    #expect(writer.nextLines().isEmpty)
    let contents = try Contents(LoopStore(in: path).archive)
    #expect(contents.slots[0].versions.contains { $0.pages == [0.25, 0.25, 0.25] })
    #expect(contents.slots[1].versions.map(\.pages) == [[0.7]])
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk requires root"))
  func `loops that were not read are set aside once the disk is writable`() throws {
    guard let disk = try readOnlyDisk() else { return }
    let path = disk.path + "/loops"
    let writer = try JournalWriter(folder: path, journal: LoopJournal(pages: 512))
    #expect(writer.open(discarding: true) == nil)
    try writer.start(continues: false)
    #expect(writer.nextLines().count == 1)
    #expect(disk.setReadOnly(false))
    let responder = Responder()
    let next = JournalScript(writer.journal)
    try waitUntil("a snapshot is requested") { responder.respond(to: next, pages: 3, 0.25) }
    end(writer)
    #expect(
      writer.nextLines() == ["the loops that were kept before are \(path)/journal.aside now"])
    let contents = try Contents(LoopStore(in: path).archive)
    #expect(contents.slots.map { $0.versions.map(\.pages) } == [[[0.25, 0.25, 0.25]]])
  }
}
