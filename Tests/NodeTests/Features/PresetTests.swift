import Foundation
import OSC
import TestSupport
import Testing

extension NodeTests {
  @Suite struct PresetTests {
    private static let shipped = Project.file("Presets")

    private func settings(_ file: URL) throws -> [String: Any] {
      let file = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
      return try #require(file?["set"] as? [String: Any])
    }

    private func names(_ phone: Phone) throws -> [String] {
      try #require(phone.ask("/presets")).arguments.compactMap(\.text)
    }

    private func done(_ phone: Phone, _ address: String, _ name: String) -> Bool {
      phone.send(address, .string(name))
      return phone.receive("/reply")?.arguments == [.string(address), .string(name)]
    }

    @Test(.hangLimit)
    func `each included preset loads, and its values arrive`() throws {
      let (_, node, phone) = try startNode()
      let names = try names(phone)
      #expect(
        names
          == (try FileManager.default.contentsOfDirectory(atPath: Self.shipped.path)
          .filter { $0.hasSuffix(".json") })
          .map { String($0.dropLast(5)) }.sorted())
      for name in names {
        #expect(done(phone, "/preset", name))
        for (address, value) in try settings(Self.shipped.appendingPathComponent("\(name).json")) {
          let answer = try #require(phone.ask(address)).arguments[0]
          if let word = value as? String {
            #expect(answer == .string(word))
          } else {
            let number = try #require(value as? NSNumber).floatValue
            #expect(answer.number.map(Float.init) == number, "\(name) \(address)")
          }
        }
        #expect(phone.ask("/preset")?.arguments == [.string(name)])
      }
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a saved preset survives a restart, until it is deleted`() throws {
      let server = try JackServer()
      let first = try NodeProcess(server: server)
      let home = first.folder.appendingPathComponent("home").path
      var phone = try Phone(port: first.port)
      let before = try names(phone)
      phone.send("/pitch/semitones", .float(3.5))
      #expect(done(phone, "/preset/save", "Meine Stimme"))
      // A quit right after a save: it does both.
      phone.send("/preset/save", .string("last words"))
      phone.send("/quit")
      #expect(first.awaitEnd() == 0)

      let second = try NodeProcess(
        server: server, ["--home", home, "--preset", "Meine Stimme", "--set", "/pitch/mix=0.25"])
      phone = try Phone(port: second.port)
      #expect(phone.ask("/preset")?.arguments == [.string("Meine Stimme")])
      #expect(phone.ask("/pitch/semitones")?.arguments == [.float(3.5)])
      #expect(phone.ask("/pitch/mix")?.arguments == [.float(0.25)])
      #expect(try names(phone) == (before + ["Meine Stimme", "last words"]).sorted())
      for name in ["Meine Stimme", "last words"] { #expect(done(phone, "/preset/delete", name)) }
      #expect(try names(phone) == before)
      phone.send("/preset/delete", .string("dub"))
      #expect(phone.receive("/error")?.arguments[1] == .string("denied"))
      #expect(second.end() == 0)
    }

    @Test(.hangLimit)
    func `killed while it saves, it leaves the old preset or the new one`() throws {
      let server = try JackServer(timeout: 10)
      let home = FileManager.default.temporaryDirectory.appendingPathComponent(
        "syrinx-killed-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: home) }
      let file = home.appendingPathComponent("presets/mine.json")
      for round in 0..<8 {
        let (node, phone) = try startNode(on: server, ["--home", home.path])
        phone.send("/pitch/semitones", .int32(-1))
        #expect(done(phone, "/preset/save", "mine"))
        for number in 0..<200 {
          phone.send("/pitch/semitones", .int32(Int32(number % 20)))
          phone.send("/preset/save", .string("mine"))
        }
        // A save takes milliseconds, in which the kill happens.
        letPass(seconds: Double(round) * 0.003 + 0.0005, "a different moment each time")
        kill(node.id, SIGKILL)
        _ = node.awaitEnd()
        let settings = try settings(file)
        #expect(settings.count == 64)
        #expect((-1..<20).contains(try #require(settings["/pitch/semitones"] as? Int)))
      }
      let (node, phone) = try startNode(on: server, ["--home", home.path, "--preset", "mine"])
      #expect(try names(phone).filter { $0.contains("mine") } == ["mine"])
      #expect(node.end() == 0)
    }

    @Test(.hangLimit)
    func `a preset that can't be loaded at the start ends it with its code`() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "syrinx-start-\(UUID().uuidString)")
      let presets = folder.appendingPathComponent("presets")
      try FileManager.default.createDirectory(at: presets, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      func put(_ text: String) throws {
        try text.write(
          to: presets.appendingPathComponent("bad.json"), atomically: true, encoding: .utf8)
      }
      func start(_ preset: String) throws -> (code: Int32, output: String, errors: String) {
        try NodeProcess.run(["run", "--home", folder.path, "--port", "0", "--preset", preset])
      }
      try put("{\n  \"set\": {\n    \"/pitch/semitones\": 99\n  }\n}\n")
      for name in ["bad", presets.appendingPathComponent("bad.json").path] {
        let result = try start(name)
        #expect(result.code == 65)
        #expect(
          result.errors.hasSuffix(
            "presets/bad.json:3: /pitch/semitones: 99 is out of range (-24 to 24 semitones)\n"
          )
        )
        #expect(result.errors.split(separator: "\n").count == 1)
      }
      try put("{\n  \"set\": {\n    \"/pitch/on\": 1,\n  }\n}\n")
      #expect(try start("bad").code == 65)
      #expect(try start("nothing").code == 66)
      #expect(try start("./nothing.json").code == 66)
      #expect(try start("chipmnk").errors.contains("did you mean chipmunk?"))
      #expect(try start(".hidden").code == 64)
      #expect(try start("").code == 64)
    }

    @Test(.hangLimit)
    func `it starts with a preset from anywhere, and without the included ones`() throws {
      let server = try JackServer()
      let file = Self.shipped.appendingPathComponent("vader.json").path
      let (node, phone) = try startNode(
        on: server, ["--preset", file], environment: ["SYRINX_PRESETS": "/proc/nowhere"])
      #expect(phone.ask("/preset")?.arguments == [.string("vader")])
      #expect(phone.ask("/pitch/engine")?.arguments == [.string("voice")])
      #expect(try names(phone).isEmpty)
      phone.send("/preset", .string("vader"))
      #expect(phone.receive("/error")?.arguments[1] == .string("missing"))
      #expect(node.errors.split(separator: "\n").filter { $0.contains("/proc/nowhere") }.count == 1)
      #expect(node.end() == 0)
    }
  }
}
