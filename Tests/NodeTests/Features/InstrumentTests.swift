import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  /// Instruments of the running node: from the machine's files to their names.
  @Suite struct InstrumentTests {
    private static let font = "/usr/share/sounds/sf2/FluidR3_GM.sf2"

    /// A running node with its environment; by default without a soundfont.
    private struct Stage {
      let server: JackServer
      let node: NodeProcess
      let phone: Phone

      init(
        _ arguments: [String] = [], fonts: String = "none", home: String? = nil
      ) throws {
        (server, node, phone) = try startNode(
          arguments, environment: ["SYRINX_SOUNDFONTS": fonts], home: home)
        try waitUntil("an instrument is loaded") { present != "" }
      }

      func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = URL(fileURLWithPath: "\(node.home)/\(name)")
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
      }

      func writeWave(_ name: String) throws {
        try write(name, [])
        try SoundFixture.write(
          "\(node.home)/\(name)", left: Tone.sine(440, amplitude: 0.3, frames: 24_000),
          rate: 48_000)
      }

      /// Sends a request and waits for its end: the contents of /reply, or the code of /error.
      func ask(_ address: String, _ arguments: Argument...) -> [String] {
        phone.send(bytes: [UInt8](address: address, arguments))
        while let received = phone.receive() {
          guard ["/reply", "/error"].contains(received.address),
            received.arguments.first == .string(address)
          else { continue }
          return received.arguments.dropFirst().compactMap(\.text)
        }
        return []
      }

      var names: [String] { phone.ask("/instruments")?.arguments.compactMap(\.text) ?? [] }

      var present: String? { phone.ask("/grid/instrument")?.arguments.first?.text }
    }

    @Test(.hangLimit)
    func `switching between instruments from files takes no more memory`()
      throws
    {
      let stage = try Stage()
      // All sizes differ: freed memory of one doesn't fit another.
      let names = (1...6).map { "sound \($0)" }
      for (number, name) in names.enumerated() {
        var text = ""
        for part in 0...number {
          let file = "\(number)-\(part).wav"
          try stage.write(file, [])
          try SoundFixture.write(
            "\(stage.node.home)/\(file)",
            left: Tone.noise(frames: 30_000 + 17_000 * number + 9000 * part), rate: 48_000)
          text += "<region> sample=\(file) key=\(60 + part)\n"
        }
        try stage.write("\(number).sfz", Array(text.utf8))
        #expect(
          stage.ask("/instrument/load", .string(name), .string("\(number).sfz")).first == name)
      }
      var after: [Int] = []
      for _ in 0..<10 {
        for name in names { #expect(stage.ask("/grid/instrument", .string(name)) == [name]) }
        while try Self.isReading(stage.node.id) { _ = stage.present }
        after.append(try Self.megabytes(of: stage.node.id))
      }
      // The first cycles allocate what later ones reuse.
      #expect((after.max() ?? 0) - after[1] < 8, "\(after) MB")
    }

    /// Whether a process has threads that still load samples.
    private static func isReading(_ process: Int32) throws -> Bool {
      let tasks = "/proc/\(process)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).contains {
        (try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)) == "sounds\n"
      }
    }

    /// The private resident memory of a process, in MB.
    private static func megabytes(of process: Int32) throws -> Int {
      let text = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") })
      return try #require(Int(line.split(separator: " ")[1])) / 1024
    }

    @Test(.hangLimit)
    func `without any soundfont the node has a piano and others at once`() throws {
      let stage = try Stage()
      #expect(stage.present == "piano")
      for name in ["piano", "violin", "acoustic guitar", "electric guitar", "organ", "drums"] {
        #expect(stage.names.contains(name))
        #expect(stage.ask("/grid/instrument", .string(name)) == [name])
        #expect(stage.present == name)
      }
      // The list has only playable instruments.
      #expect(!stage.names.contains("trumpet"))
      #expect(stage.node.errors.contains("no General MIDI soundfont"))
      let unknown = stage.ask("/grid/instrument", .string("organ grinder"))
      #expect(unknown.first == "missing")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: font)), .hangLimit)
    func `a General MIDI soundfont plays all names, and its file is reported once`() throws {
      let stage = try Stage(["--soundfont", Self.font])
      let names = stage.names
      #expect(names.count > 50 && names.first == "piano")
      for name in names { #expect(stage.ask("/grid/instrument", .string(name)).first == name) }
      #expect(stage.node.errors.components(separatedBy: Self.font).count == 2)
    }

    @Test(.hangLimit)
    func `a truncated soundfont is skipped with one line`() throws {
      let folder = try TemporaryFolder()
      let bytes = Array("RIFF".utf8) + [255, 255, 0, 0] + Array("sfbkLIST".utf8)
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path("cut.sf2")))
      let stage = try Stage(["--soundfont", folder.path("cut.sf2")], fonts: folder.path(""))
      // Once as given, and once as found.
      let lines = stage.node.errors.split(separator: "\n").filter { $0.contains("cut.sf2") }
      #expect(lines.count == 2 && lines.allSatisfy { $0.contains("skipped") }, "\(lines)")
      try stage.write("cut.sf2", bytes)
      #expect(
        stage.ask("/instrument/load", .string("cut"), .string("cut.sf2")).first == "type")
    }

    @Test(.hangLimit)
    func `a user's files become instruments, and faulty ones are reported`() throws {
      let stage = try Stage()
      try stage.writeWave("owls/A4.wav")
      #expect(stage.ask("/instrument/load", .string("Owls"), .string("owls")) == ["Owls"])
      #expect(stage.names.contains("Owls"))
      #expect(stage.ask("/grid/instrument", .string("owls")) == ["Owls"])
      let text = "<region> sample=A4.wav key=69 flavour=3\n<region> sample=gone.wav key=70"
      try stage.write("owls/part.sfz", Array(text.utf8))
      let part = stage.ask("/instrument/load", .string("part"), .string("owls/part.sfz"))
      #expect(part.count == 3 && part[0] == "part")
      #expect(part.last?.contains("flavour") == true)
      try stage.write("owls/none.sfz", Array("<region> sample=gone.wav".utf8))
      #expect(stage.ask("/instrument/load", .string("none"), .string("owls/none.sfz")).count > 1)
      #expect(stage.ask("/grid/instrument", .string("none")).first == "type")
      #expect(stage.present == "Owls")
      #expect(
        stage.ask("/instrument/load", .string("x"), .string("../../etc/passwd")).first == "denied")
      #expect(stage.ask("/instrument/load", .string("x"), .string("gone.sf2")).first == "missing")
      #expect(stage.ask("/instrument/delete", .string("part")) == ["part"])
      #expect(!stage.names.contains("part"))
    }

    @Test(.hangLimit)
    func `the instrument is the same after a restart`() throws {
      let folder = try TemporaryFolder()
      for expected in ["piano", "violin"] {
        let stage = try Stage(home: folder.path("home"))
        #expect(stage.present == expected)
        #expect(stage.ask("/grid/instrument", .string("violin")) == ["violin"])
        #expect(stage.node.end() == 0)
      }
    }
  }
}
