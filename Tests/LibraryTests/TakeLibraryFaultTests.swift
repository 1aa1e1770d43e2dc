import Foundation
import SQLite
import TestSupport
import Testing

@testable import Library
@testable import SoundFiles

@Suite struct TakeLibraryFaultTests {
  /// Attempts all changes of a library.
  ///
  /// Each must fail with the given fault and change nothing.
  ///
  /// Returns the violations.
  private static func refuses(
    _ library: TakeLibrary, _ folder: String, _ kind: LibraryFault.Kind
  ) -> String? {
    do {
      let state = try LibraryFixture.state(library)
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/home/takes")
        .sorted()
      let take = try library.list(count: 1).takes[0]
      let trashed = try library.trash(count: 1).takes[0]
      let actions: [(String, () throws(LibraryFault) -> Void)] = [
        (
          "edit",
          { () throws(LibraryFault) in
            try library.edit(take.id, TakeChanges(notes: String(repeating: "long ", count: 4000)))
          }
        ),
        ("delete", { () throws(LibraryFault) in try library.delete(take.id) }),
        ("restore", { () throws(LibraryFault) in try library.restore(trashed.id) }),
        ("empty", { () throws(LibraryFault) in try library.emptyTrash(olderThanDays: -1) }),
        (
          "set",
          { () throws(LibraryFault) in try library.set("key", String(repeating: "x", count: 20_000))
          }
        ),
        ("import", { () throws(LibraryFault) in try library.importFile("\(folder)/long.wav") }),
        (
          "image",
          { () throws(LibraryFault) in
            try library.setImage(take.id, [UInt8](repeating: 1, count: 50_000), ending: "png")
          }
        ),
        ("reindex", { () throws(LibraryFault) in _ = try library.reindex() }),
      ]
      for (name, action) in actions {
        do throws(LibraryFault) {
          try action()
          return "\(name) was done"
        } catch {
          if error.kind != kind || error.message.contains("\n") {
            return "\(name): \(error.kind) \(error)"
          }
        }
        let now = try LibraryFixture.state(library)
        if now != state { return "\(name) changed something" }
        let nowNames = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/home/takes")
          .sorted()
        if nowNames != names { return "\(name) left \(nowNames)" }
      }
      return nil
    } catch { return "\(error)" }
  }

  private static func fill(_ folder: String) throws -> TakeLibrary {
    let library = try TakeLibrary(home: "\(folder)/home", waitMilliseconds: 50)
    try LibraryFixture.add("one", to: library)
    try library.delete(LibraryFixture.add("two", to: library).id)
    try library.set("key", "value")
    try WaveFixture.write("\(folder)/long.wav", Tone.noise(frames: 200_000))
    return library
  }

  @Test func `a full disk is reported and changes nothing`() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      let library = try TakeLibraryFaultTests.fill(path)
      signal(SIGXFSZ, SIG_IGN)
      // The file size limit of the process simulates a full disk.
      var limit = rlimit(rlim_cur: 4000, rlim_max: .max)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      if let problem = TakeLibraryFaultTests.refuses(library, path, .io) {
        limit.rlim_cur = .max
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        try problem.write(toFile: "\(path)/problem", atomically: false, encoding: .utf8)
        exit(1)
      }
      limit.rlim_cur = .max
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      // Works again when there is space.
      try library.edit(library.list(count: 1).takes[0].id, TakeChanges(notes: "room"))
      guard try library.adopt() == Adoption() else { exit(2) }
    }
    let problem = try? String(contentsOfFile: folder.path("problem"), encoding: .utf8)
    #expect(problem == nil, "\(problem ?? "")")
  }

  @Test func `a small disk that fills up is reported and changes nothing`() throws {
    // Without permission to mount, only the previous test applies.
    guard let disk = try SmallDisk(megabytes: 1) else { return }
    let library = try TakeLibrary(home: "\(disk.path)/home", waitMilliseconds: 50)
    let take = try LibraryFixture.add("one", to: library)
    try library.set("key", "value")
    let long = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).wav").path
    try WaveFixture.write(long, Tone.noise(frames: 200_000))
    defer { try? FileManager.default.removeItem(atPath: long) }
    let state = try LibraryFixture.state(library)
    let fault = #expect(throws: LibraryFault.self) { try library.importFile(long) }
    #expect(fault?.kind == .io && fault?.message.contains("No space left") == true)
    #expect(try LibraryFixture.state(library) == state)
    try disk.fill()
    for _ in 0..<3 {
      let fault = #expect(throws: LibraryFault.self) {
        for number in 0..<100 {
          try library.edit(take.id, TakeChanges(notes: String(repeating: "\(number)", count: 9000)))
          try library.edit(take.id, TakeChanges(notes: ""))
        }
      }
      #expect(
        fault?.kind == .io && fault?.message.contains("No space left") == true,
        "\(fault?.message ?? "")")
    }
    try disk.empty()
    #expect(try library.adopt() == Adoption())
    let now = try library.take(take.id)
    #expect(try WaveTags.read(library.path(now)) == now.tags)
    #expect(try SoundFixture.read(library.path(now)).left == Tone.constant(0.25, frames: 100))
  }

  @Test func `takes are deleted from a full disk`() throws {
    guard let disk = try SmallDisk(megabytes: 16) else { return }
    let library = try TakeLibrary(home: "\(disk.path)/home", waitMilliseconds: 50)
    let takes = try (0..<4).map { try LibraryFixture.add("\($0)", day: $0, to: library) }
    try disk.fill()
    // Edits fill the log, which then has no space for a deletion.
    let fault = #expect(throws: LibraryFault.self) {
      for number in 0..<4000 {
        try library.set("key", String(repeating: "\(number)", count: 4000))
      }
    }
    #expect(fault?.isDiskFull == true && fault?.kind == .io)
    try library.delete(takes[0].id)
    try library.delete(takes[1].id)
    #expect(try library.trash(count: 9).total == 2)
    #expect(try library.emptyTrash(olderThanDays: -1) == 2)
    #expect(try library.list(count: 9).takes.map(\.id) == [takes[3].id, takes[2].id])
    #expect(try library.database.rows("PRAGMA integrity_check", []) { $0.text(0) } == ["ok"])
    try disk.empty()
    try library.set("key", "value")
    #expect(try library.adopt() == Adoption())
    let reserve = try FileManager.default.attributesOfItem(
      atPath: "\(disk.path)/home/library.sqlite-reserve")
    #expect(reserve[.size] as? Int == 2 << 20)
  }

  @Test func `threads that create a new library concurrently all succeed`() async throws {
    for _ in 0..<50 {
      let folder = try TemporaryFolder()
      let home = folder.path("home")
      let faults = await withTaskGroup(of: String?.self) { group in
        for _ in 0..<4 {
          group.addTask {
            do throws(LibraryFault) {
              _ = try TakeLibrary(home: home)
              return nil
            } catch {
              return error.message
            }
          }
        }
        return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
      }
      #expect(faults == [])
    }
  }

  @Test func `a library whose folder can't be made is reported`() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    _ = try Self.fill(path)
    try FileManager.default.removeItem(atPath: "\(path)/home/takes/trash")
    try Data().write(to: URL(fileURLWithPath: "\(path)/home/takes/trash"))
    let fault = #expect(throws: LibraryFault.self) { _ = try TakeLibrary(home: "\(path)/home") }
    #expect(fault?.message.contains("\n") == false)
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk requires root"))
  func `on a read-only disk a library can be read, and changed once it is writable`() throws {
    guard let disk = try SmallDisk(megabytes: 4) else {
      withKnownIssue("a small disk can't be mounted here") { Issue.record("no mount") }
      return
    }
    let home = disk.path + "/home"
    do {
      let library = try Self.fill(disk.path)
      try library.set("/settings/autoplay", "1")
    }
    #expect(disk.setReadOnly(true))
    let library = try TakeLibrary(home: home)
    let takes = try library.list(count: 9).takes
    #expect(takes.count == 1 && library.isOutdated == false)
    #expect(try library.settings()["/settings/autoplay"] == "1")
    #expect(Self.refuses(library, disk.path, .io) == nil)
    #expect(disk.setReadOnly(false))
    #expect(library.isOutdated)
    let writable = try TakeLibrary(home: home)
    #expect(try writable.edit(takes[0].id, TakeChanges(notes: "x")).notes == "x")
  }

  @Test func `a database locked by another process is reported as busy and unchanged`() throws {
    let folder = try TemporaryFolder()
    let library = try Self.fill(folder.url.path)
    let other = try TakeLibrary(home: folder.path("home"))
    try other.database.execute("BEGIN IMMEDIATE")
    #expect(Self.refuses(library, folder.url.path, .busy) == nil)
    #expect(try library.list(count: 9).total == 1)
    try other.database.execute("ROLLBACK")
    #expect(
      try library.edit(library.list(count: 1).takes[0].id, TakeChanges(notes: "free")).notes
        == "free")
  }

  @Test func `two processes share a library`() async throws {
    let folder = try TemporaryFolder()
    let home = folder.path("home")
    // Both find no database and create it.
    await withTaskGroup(of: Void.self) { group in
      for part in 0..<2 {
        group.addTask {
          await #expect(processExitsWith: .success) { [home = home as String, part = part as Int] in
            let library = try TakeLibrary(home: home)
            for number in 0..<20 {
              let take = try LibraryFixture.add("\(part) \(number)", to: library)
              try library.edit(take.id, TakeChanges(species: "s\(number)"))
              if number % 4 == 0 { try library.delete(take.id) }
              _ = try library.adopt()
            }
          }
        }
      }
    }
    let library = try TakeLibrary(home: home)
    #expect(try library.list(count: 99).total == 30 && library.trash(count: 99).total == 10)
    #expect(
      try library.list(count: 99).takes.allSatisfy {
        !$0.species.isEmpty && !$0.title.contains("recovered")
      })
    #expect(try library.adopt() == Adoption())
  }

  // MARK: - Crashes

  @Test func `after a kill at any time, all acknowledged changes are there, without damage`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (home, log) = (folder.path("home"), folder.path("log"))
    try WaveFixture.write(folder.path("other.wav"), Tone.noise(frames: 20_000))
    var (answered, round) = (0, 0)
    // Longer rounds follow if a busy machine or a slow disk yields too few changes.
    while round < 16 || answered <= 8 && round < 32 {
      let extra = max(0, round - 15) * 400_000
      try Data().write(to: URL(fileURLWithPath: log))
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          home = home as String, log = log as String, round = round as Int, extra = extra as Int
        ] in
        try KilledLibrary.work(
          home, log, seed: UInt64(round),
          microseconds: 5000 + round * 37_993 % 400_000 + extra)
      }
      let library = try TakeLibrary(home: home)
      let adoption = try library.adopt()
      #expect(adoption.unreadable.isEmpty && adoption.gone.isEmpty, "\(adoption)")
      answered += try KilledLibrary.check(library, log)
      #expect(try library.adopt() == Adoption())
      #expect(try library.database.rows("PRAGMA integrity_check", []) { $0.text(0) } == ["ok"])
      try library.database.execute("INSERT INTO words (words) VALUES ('integrity-check')")
      round += 1
    }
    // Otherwise nothing was tested.
    print("answered before it was killed: \(answered)")
    #expect(answered > 8)
  }
}

/// A process that changes a library until it is killed, and logs before and after each change
/// what it does.
enum KilledLibrary {
  static func work(_ home: String, _ log: String, seed: UInt64, microseconds: Int) throws {
    let library = try TakeLibrary(home: home)
    _ = try library.adopt()
    let file = open(log, O_WRONLY | O_APPEND)
    func say(_ line: String) { _ = write(file, line + "\n", line.utf8.count + 1) }
    var state = seed
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % max(1, count)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(microseconds)) {
      kill(getpid(), SIGKILL)
    }
    for number in 0... {
      let shown = try library.list(count: 1000).takes
      let trash = try library.trash(count: 1000).takes
      let title = "\(seed).\(number)"
      switch random(6) {
      case 0, 1:
        let id = Take.newID()
        say("? add \(id) \(title)")
        try LibraryFixture.add(title, id: id, frames: 3000, to: library)
      case 2 where !shown.isEmpty:
        let id = shown[random(shown.count)].id
        say("? edit \(id) \(title)")
        try library.edit(id, TakeChanges(title: title))
      case 3 where !shown.isEmpty:
        let id = shown[random(shown.count)].id
        say("? delete \(id) -")
        try library.delete(id)
      case 4 where !trash.isEmpty:
        let id = trash[random(trash.count)].id
        say("? restore \(id) -")
        try library.restore(id)
      default:
        say("? import - -")
        try library.importFile("\(home)/../other.wav")
      }
      say("!")
    }
  }

  /// Compares a library with the log.
  ///
  /// Returns the number of acknowledged changes.
  static func check(_ library: TakeLibrary, _ log: String) throws -> Int {
    var expected: [String: (title: String, isTrashed: Bool)] = [:]
    var (answered, imports) = (0, 0)
    let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
    var doubtful = ""
    for (place, line) in lines.enumerated() where line != "!" {
      let words = line.split(separator: " ").map(String.init)
      let id = words[2]
      guard place + 1 < lines.count else {
        doubtful = id
        continue
      }
      answered += 1
      switch words[1] {
      case "add": expected[id] = (words[3], false)
      case "edit": expected[id] = (words[3], false)
      case "delete": expected[id] = (expected[id]?.title ?? "", true)
      case "restore": expected[id] = (expected[id]?.title ?? "", false)
      default: imports += 1
      }
    }
    let (shown, trash) = (try library.list(count: 1000).takes, try library.trash(count: 1000).takes)
    for (id, take) in expected where id != doubtful {
      let found = (take.isTrashed ? trash : shown).first { $0.id == id }
      #expect(found != nil, "\(id) is not where it should be")
      #expect(take.title.isEmpty || found?.title == take.title)
    }
    if !doubtful.isEmpty, doubtful != "-", expected[doubtful] != nil {
      #expect((shown + trash).contains { $0.id == doubtful })
    }
    for (takes, isTrashed) in [(shown, false), (trash, true)] {
      for take in takes {
        let path = isTrashed ? library.trashPath(take) : library.path(take)
        #expect(try WaveTags.read(path) == take.tags, "the file of \(take.id) says another thing")
        #expect(try SoundReader(path).expectedFrames == take.frames)
        #expect(take.frames > 0 && take.frames <= 20_000)
      }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: library.files.folder)
    #expect(names.count == shown.count + 1)
    return answered
  }
}
