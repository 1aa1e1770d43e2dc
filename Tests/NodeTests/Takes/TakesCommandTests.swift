import Foundation
import Library
import OSC
import Posix
import SoundFiles
import TestSupport
import Testing

/// `syrinx takes` with one take, with files, and with faults.
///
/// Serialized, to leave the machine to the tests that play.
@Suite(.serialized, .hangLimit) struct TakesCommandTests {
  private let at: TakesHome

  init() throws { at = try TakesHome() }

  // MARK: - One take

  @Test func `a take is identified by any unique prefix of its id`() throws {
    try at.add("one", id: "aaaa0000-0000-4000-8000-000000000000")
    try at.add("two", id: "aaaa1000-0000-4000-8000-000000000000")
    #expect(try at.lines("show", "aaaa1")[1] == "title     two")
    #expect(try at.lines("show", "AAAA0", "aaaa1").filter { $0.hasPrefix("title") }.count == 2)
    let both = try at.takes("show", "aaaa")
    #expect(both.code == 64 && both.errors.contains("more than one take starts with aaaa"))
    let none = try at.takes("show", "b")
    #expect(none.code == 66 && none.errors == "syrinx: unknown take b\n")
    // Of several, the existing ones are shown.
    let some = try at.takes("show", "aaaa0", "b", "aaaa1")
    #expect(some.code == 66 && some.output.contains("one") && some.output.contains("two"))
    #expect(some.errors == "syrinx: unknown take b\nsyrinx: 1 of 3 failed\n")
  }

  @Test func `all properties are shown`() throws {
    let take = try at.add("Owl", frames: 480_000 * 367) {
      $0.rate = 480_000
      $0.species = "Strix aluco"
      $0.notes = "one\ntwo"
      $0.message = "look"
      $0.place = Place(latitude: -0.00001, longitude: 0.5)
      ($0.peak, $0.loudness, $0.preset) = (-12.04, -20, "vader")
    }
    #expect(
      try at.lines("show", take.id) == [
        "id        \(take.id)", "title     Owl", "species   Strix aluco",
        "date      2023-11-14T23:13:20.000000+01:00",
        "length    6:07.0, 176160000 frames at 480000 Hz, stereo", "place     0.0000,0.5000",
        "notes     one", "          two", "message   look", "peak      -12.0 dB",
        "loudness  -20.0 LUFS", "preset    vader", "source    live",
        "file      \(at.home)/takes/\(take.id).wav",
      ])
  }

  @Test func `an edit changes only the row and the file`() throws {
    let take = try at.add("Owl") { $0.species = "Strix" }
    let picture = at.folder.path("picture.JPG")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: picture))
    #expect(
      try at.lines(
        "edit", take.id, "--title", "Tawny owl", "--notes", "one\ntwo", "--message", "-look",
        "--image", picture
      ).isEmpty)
    var changed = try at.library().take(take.id)
    #expect(changed.title == "Tawny owl" && changed.species == "Strix")
    #expect(changed.notes == "one\ntwo" && changed.message == "-look")
    #expect(try at.folder.bytes("home/takes/\(take.id).jpg") == Data([1, 2, 3]))
    #expect(try WaveTags.read(at.library().path(take)).metadata == changed.json)
    #expect(try at.lines("show", take.id).contains("image     \(at.home)/takes/\(take.id).jpg"))
    #expect(try at.lines("edit", take.id, "--title=", "--species", "", "--image", "").isEmpty)
    changed = try at.library().take(take.id)
    #expect(changed.title == "Night take" && changed.species.isEmpty && changed.image.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "\(at.home)/takes/\(take.id).jpg"))
  }

  @Test func `an invalid edit changes nothing`() throws {
    let take = try at.add("Owl")
    let large = at.folder.path("large.jpg")
    #expect(FileManager.default.createFile(atPath: large, contents: nil))
    #expect(truncate(large, 65 << 20) == 0)
    for (words, code) in [
      (["--title", "a\u{7}b"], 64), (["--title", String(repeating: "x", count: 201)], 64),
      (["--image", at.folder.path("none.jpg")], 66), (["--image", "/etc/passwd"], 64),
      (["--image", at.home], 64), (["--image", large], 65), ([], 64),
      (["--title", "new", "--image", at.folder.path("none.png")], 66),
    ] as [([String], Int32)] {
      let result = try NodeProcess.run(["takes", "--home", at.home, "edit", take.id] + words)
      #expect(result.code == code, "\(words): \(result)")
      #expect(result.errors.split(separator: "\n").count == 1)
      #expect(try at.library().take(take.id) == take)
    }
  }

  @Test func `a deleted take can be restored, until the trash is emptied`() throws {
    let (one, two) = (try at.add("one"), try at.add("two"))
    let deleted = try at.takes("delete", one.id, two.id)
    #expect(deleted.code == 0 && deleted.output.isEmpty)
    #expect(
      deleted.errors.hasPrefix(
        "syrinx: \"one\" is in the trash for 30 days; `syrinx takes restore \(one.id.prefix(8)) "
          + "--home \(at.home)` restores it\n"))
    #expect(try at.lines("list").isEmpty)
    #expect(try at.lines("trash").count == 2)
    #expect(
      try jsonObjects(at.takes("trash", "--json").output).allSatisfy {
        ($0["path"] as? String)?.contains("/takes/trash/") == true
      })
    #expect(try at.lines("show", two.id).last == "trash     yes")
    #expect(try at.takes("edit", two.id, "--title", "x").code == 66)
    #expect(try at.lines("restore", String(one.id.prefix(8))).isEmpty)
    #expect(try at.lines("list").count == 1)
    #expect(try at.takes("restore", one.id).code == 66)
    #expect(try at.takes("trash", "--empty").errors == "syrinx: 1 take deleted\n")
    #expect(try at.lines("trash").isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(at.home)/takes/trash").isEmpty)
  }

  // MARK: - Import and export

  @Test func `files are imported, and a bad one does not stop the others`() throws {
    let sound = Tone.noise(amplitude: 0.5, frames: 30_000)
    try SoundFixture.write(at.folder.path("鳥.wav"), [sound, sound], rate: 44_100)
    try SoundFixture.write(at.folder.path("b.flac"), left: sound)
    try "no sound".write(toFile: at.folder.path("c.wav"), atomically: true, encoding: .utf8)
    let result = try at.takes(
      "import", at.folder.path("none.wav"), at.folder.path("鳥.wav"), at.folder.path("c.wav"),
      at.folder.path("b.flac"))
    #expect(result.code == 66)
    let ids = result.output.split(separator: "\n").map(String.init)
    #expect(ids.count == 2)
    let errors = result.errors.split(separator: "\n")
    #expect(errors.count == 3 && errors[2] == "syrinx: 2 of 4 failed")
    #expect(try at.library().take(ids[0]).title == "鳥" && at.library().take(ids[1]).title == "b")
    #expect(try SoundFixture.read("\(at.home)/takes/\(ids[0]).wav").left == sound)
    #expect(try at.takes("import", at.folder.path("c.wav")).code == 65)
    #expect(
      try Set(FileManager.default.contentsOfDirectory(atPath: "\(at.home)/takes"))
        == Set(ids.map { "\($0).wav" } + ["trash"]))
  }

  @Test func `a take is exported in the format of the extension, or many into a folder`() throws {
    let one = try at.add("a/b: c", frames: 4800)
    let two = try at.add("..", frames: 4800)
    #expect(try at.lines("export", one.id, at.folder.path("one.flac")).isEmpty)
    #expect(try SoundFixture.read(at.folder.path("one.flac")).left.count == 4800)
    #expect(try at.folder.bytes("one.flac").starts(with: Array("fLaC".utf8)))
    let out = at.folder.path("out")
    try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: false)
    #expect(try at.lines("export", one.id, two.id, out).isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: out).sorted()
        == ["\(two.id.prefix(8)).wav", "a-b: c \(one.id.prefix(8)).wav"].sorted())
    let unknown = try #require(
      ["a0", "b0", "c0"].first { !one.id.hasPrefix($0) && !two.id.hasPrefix($0) })
    for (words, code) in [
      ([one.id, at.folder.path("x.xyz")], 64), ([one.id, two.id, at.folder.path("x.wav")], 64),
      ([one.id], 64), ([unknown, at.folder.path("x.wav")], 66), ([one.id, "/proc/x.wav"], 73),
      ([one.id, "\(at.home)/takes/x.wav"], 77), ([one.id, at.folder.path("no/x.wav")], 73),
    ] as [([String], Int32)] {
      let result = try NodeProcess.run(["takes", "--home", at.home, "export"] + words)
      #expect(result.code == code, "\(words): \(result)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  @Test func `the map has the locations of the matching takes`() throws {
    try at.add("Owl") { $0.place = Place(latitude: 1, longitude: 2) }
    try at.add("Wren") { $0.place = Place(latitude: 3, longitude: 4) }
    try at.add("Thrush")
    let file = at.folder.path("map.json")
    #expect(try at.lines("map", file).isEmpty)
    func features(_ data: Data) throws -> [[String: Any]] {
      let map = try JSONSerialization.jsonObject(with: data) as? [String: Any]
      return try #require(map?["features"] as? [[String: Any]])
    }
    #expect(try features(at.folder.bytes("map.json")).count == 2)
    let owl = try features(Data(at.takes("map", "-", "--text", "owl").output.utf8))
    let geometry = try #require(owl.first?["geometry"] as? [String: Any])
    #expect(owl.count == 1 && geometry["coordinates"] as? [Double] == [2, 1])
    #expect(try at.takes("map", "/proc/map.json").code == 73)
  }

  // MARK: - Playing

  /// Acts as a node: replies to the first message and `/sync`; returns the messages.
  private func play(
    _ id: String, answer: [Argument]?, address: String
  ) throws -> (code: Int32, errors: String, heard: [Received]) {
    let socket = try Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: 0))
    let reader = DatagramReader()
    let process = Process()
    let errors = Pipe()
    process.executableURL = NodeProcess.binary
    process.arguments = ["takes", "play", "--to", "127.0.0.1:\(socket.port)", id]
    process.standardError = errors
    try process.run()
    var heard: [Received] = []
    try waitUntil("the command exits", every: 0.001) {
      _ = reader.read(socket) { bytes, sender in
        for message in Received.all(in: bytes) {
          heard.append(message)
          if message.address == "/sync" {
            socket.send([UInt8](address: "/synced", message.arguments), to: sender.endpoint)
            letPass(seconds: 0.02, "loading a file takes a moment")
            if let answer { socket.send([UInt8](address: address, answer), to: sender.endpoint) }
          }
        }
      }
      return !process.isRunning
    }
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self), heard)
  }

  @Test func `a node plays the take, and its reply determines the exit code`() throws {
    let path = Argument.string("/take/play")
    let well = try play("12345678", answer: [path, .string("1234")], address: "/reply")
    #expect(well.code == 0 && well.errors.isEmpty)
    #expect(well.heard.first == Received("/take/play", [.string("12345678")]))
    for (word, code) in [("missing", 66), ("busy", 69), ("io", 73), ("unknown", 64)] {
      let result = try play(
        "1a", answer: [path, .string(word), .string("no take 1a")], address: "/error")
      #expect(result.code == Int32(code))
      #expect(result.errors == "syrinx: \(word): no take 1a\n")
    }
  }

  @Test func `without a node, the error says how to start one`() throws {
    let socket = try Socket(.datagrams, boundTo: Endpoint(address: .loopback4, port: 0))
    // A port whose owner never replies.
    let result = try at.takes("play", "1a", "--to", "127.0.0.1:\(socket.port)")
    #expect(result.code == 69 && result.errors.contains("`syrinx run` starts one"))
    #expect(try at.takes("play", "1a", "--to", "nowhere").code == 64)
  }

  // MARK: - Faults

  @Test(arguments: [
    [], ["jump"], ["list", "x"], ["find"], ["show"], ["edit", "1a"], ["delete"], ["restore"],
    ["play"], ["play", "1", "2"], ["import"], ["export", "1a"], ["map"], ["map", "a", "b"],
    ["reindex", "x"], ["trash", "x"], ["list", "--count", "0"], ["list", "--count", "-1"],
    ["list", "--count", "many"], ["list", "--offset", "-1"], ["list", "--from", "yesterday"],
    ["list", "--to", "2023-02-29"], ["list", "--near", "1"], ["list", "--near", "91,0"],
    ["list", "--near", "nan,0"], ["list", "--near", "1,2", "--within", "-1"],
    ["list", "--near", "1,2", "--within", "x"], ["list", "--within", "1"],
    ["list", "--title", "x"], ["show", "1a", "--text", "x"], ["delete", "1a", "--json"],
    ["trash", "--empty", "--json"], ["list", "--nothing"], ["list", "--text"],
  ])
  func `wrong usage is one line and exit code 64, and creates nothing`(arguments: [String]) throws {
    let result = try NodeProcess.run(["takes", "--home", at.home] + arguments)
    #expect(result.code == 64 && result.output.isEmpty, "\(result)")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(at.folder.names.isEmpty)
  }

  @Test func `a missing data directory is exit code 66, unless the command creates it`() throws {
    for words in [
      ["list"], ["find", "owl"], ["show", "1a"], ["trash"], ["reindex"], ["map", "-"],
    ] {
      let result = try NodeProcess.run(["takes", "--home", at.home] + words)
      #expect(result.code == 66 && result.errors.contains(at.home), "\(words)")
    }
    #expect(at.folder.names.isEmpty)
    try SoundFixture.write(at.folder.path("a.wav"), [[0.5, 0.5]])
    #expect(try at.lines("import", at.folder.path("a.wav")).count == 1)
    #expect(try at.lines("list").count == 1)
    let beside = try NodeProcess.run(
      ["takes", "show", "1a"], environment: ["XDG_DATA_HOME": at.folder.path("data")])
    #expect(beside.code == 66 && beside.errors.contains(at.folder.path("data") + "/syrinx"))
  }

  @Test func `an import into an empty folder makes a library of the current version`() throws {
    try SoundFixture.write(at.folder.path("a.wav"), [[0.5, 0.5]])
    try FileManager.default.createDirectory(atPath: at.home, withIntermediateDirectories: true)
    let sound = at.folder.path("a.wav")
    #expect(try at.lines("import", sound).count == 1)
    #expect(Files.read(at.home + "/version") == "1\n")
    // One of an earlier version is upgraded by the node.
    Files.remove(at.home + "/version")
    #expect(try at.lines("import", sound).count == 1)
    #expect(!Files.exist(at.home + "/version"))
  }

  @Test func `the list of a library without takes is empty, also before the first take`() throws {
    // The default folder of a new installation, and that of a node that has saved nothing yet.
    let new = ["XDG_DATA_HOME": at.folder.path("data")]
    try FileManager.default.createDirectory(
      atPath: at.home + "/state", withIntermediateDirectories: true)
    for words in [["list"], ["find", "owl"], ["find", "--from", "2023-11-16"], ["trash"]] {
      for form in [[], ["--json"]] {
        let empty = form.isEmpty ? "" : "[]\n"
        #expect(try NodeProcess.run(["takes"] + words + form, environment: new) == (0, empty, ""))
        #expect(
          try NodeProcess.run(["takes", "--home", at.home] + words + form) == (0, empty, ""))
      }
    }
    #expect(at.folder.names == ["home"], "and nothing is created")
  }

  @Test func `an unwritable data directory is exit code 73`() throws {
    let disk = at.folder.path("home")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let isMounted = Self.run("mount", "-t", "tmpfs", "none", disk)
    defer { if isMounted { _ = Self.run("umount", "-l", disk) } }
    let take = try at.add("Owl")
    if isMounted {
      #expect(Self.run("mount", "-o", "remount,ro", disk))
    } else {
      for path in ["takes/trash", "takes", ""] { chmod("\(disk)/\(path)", 0o555) }
    }
    defer { for path in ["", "takes", "takes/trash"] { chmod("\(disk)/\(path)", 0o755) } }
    if isMounted {
      // It can be read all the same.
      let list = try NodeProcess.run(["takes", "--home", at.home, "list"])
      #expect(list.code == 0 && list.output.contains("Owl"), "\(list)")
    }
    for words in [["edit", take.id, "--title", "x"], ["delete", take.id], ["reindex"]] {
      let result = try NodeProcess.run(["takes", "--home", at.home] + words)
      #expect(result.code == 73 && result.errors.contains(disk), "\(words): \(result)")
      #expect(result.errors.split(separator: "\n").count == 1)
    }
  }

  private static func run(_ words: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test func `a reindex rebuilds a damaged database, and reports it`() throws {
    for title in ["one", "two", "three"] { try at.add(title) }
    let database = "\(at.home)/library.sqlite"
    let length = try #require(try? at.folder.bytes("home/library.sqlite").count)
    // All of it, and all but the first page, which alone is read when it is opened.
    for start in [0, 4096] {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: database))
      try handle.seek(toOffset: UInt64(start))
      try handle.write(contentsOf: Data(repeating: 0x55, count: length - start))
      try handle.close()
      let list = try at.takes("list")
      #expect(list.code == 65 && list.errors.contains("`syrinx takes reindex`"), "\(list)")
      let reindex = try at.takes("reindex")
      #expect(reindex.code == 0, "\(reindex)")
      #expect(reindex.errors.contains("library.sqlite.damaged"))
      #expect(reindex.errors.hasSuffix("syrinx: 3 takes\n"))
      #expect(try at.lines("list").count == 3)
    }
  }

  @Test func `a reindex finds files, keeps data that only rows have, and lists unreadable files`()
    throws
  {
    let (one, two) = (try at.add("one"), try at.add("two"))
    let path = try at.library().path(one)
    try FileManager.default.copyItem(
      atPath: path, toPath: "\(at.home)/takes/\(Take.newID()).wav")
    let broken = "\(at.home)/takes/\(Take.newID()).wav"
    try "broken".write(toFile: broken, atomically: true, encoding: .utf8)
    try at.library().set("key", "value")
    let result = try at.takes("reindex")
    #expect(result.code == 65)
    let errors = result.errors.split(separator: "\n")
    #expect(errors.first == "syrinx: 3 takes" && errors.count == 3)
    #expect(errors.dropFirst().first?.contains(broken) == true)
    #expect(try at.lines("list").count == 3)
    #expect(try at.library().setting("key") == "value")
    // When all files are gone at once, the disk is not mounted.
    for name in try FileManager.default.contentsOfDirectory(atPath: "\(at.home)/takes")
    where name.hasSuffix(".wav") {
      try FileManager.default.removeItem(atPath: "\(at.home)/takes/\(name)")
    }
    #expect(try at.takes("reindex").code == 66)
    #expect(try at.library().take(two.id).title == "two")
  }

  @Test func `several processes at once each do their work`() throws {
    let open = try at.library()
    try SoundFixture.write(at.folder.path("a.wav"), [Tone.noise(frames: 20_000)])
    let take = try at.add("Owl")
    var processes: [Process] = []
    for number in 0..<8 {
      let process = Process()
      process.executableURL = NodeProcess.binary
      process.arguments =
        ["takes", "--home", at.home]
        + (number % 2 == 0
          ? ["import"] + Array(repeating: at.folder.path("a.wav"), count: 5)
          : ["edit", take.id, "--notes", "note \(number)"])
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      processes.append(process)
    }
    for process in processes {
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    // A connection that was open all the time, like a node's, sees it too.
    #expect(try open.list(count: 1).total == 21)
    let now = try open.take(take.id)
    #expect(now.notes.hasPrefix("note "))
    #expect(try WaveTags.read(open.path(take)).metadata == now.json)
    let adoption = try open.adopt()
    #expect(adoption.adopted.isEmpty && adoption.gone.isEmpty && adoption.unreadable.isEmpty)
  }
}
