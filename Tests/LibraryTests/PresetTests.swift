import Foundation
import JSON
import Library
import TestSupport
import Testing

@Suite struct PresetTests {
  private func fault(_ text: String) -> JSON.Fault? {
    do throws(JSON.Fault) {
      _ = try Preset(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func `a file contains help and settings in order`() throws {
    let preset = try Preset(
      Array(
        """
        {
          "help": "one line",
          "set": {
            "/b": 1.5,
            "/a": "word",
            "/c": true
          }
        }
        """.utf8))
    #expect(preset.help == "one line")
    #expect(preset.settings.map(\.address) == ["/b", "/a", "/c"])
    #expect(preset.settings.map(\.value) == [.number(1.5), .text("word"), .flag(true)])
    #expect(preset.settings.map(\.line) == [4, 5, 6])
  }

  @Test func `the written form has one line per setting`() {
    let preset = Preset(settings: [
      Preset.Setting(address: "/a", value: .number(Double(Float(0.35)))),
      Preset.Setting(address: "/b", value: .text("word")),
    ])
    #expect(
      preset.text == """
        {
          "set": {
            "/a": 0.35,
            "/b": "word"
          }
        }

        """)
  }

  @Test(arguments: [
    ("[1]", 1, "expected an object; got a list"), ("{}", 1, "missing set"),
    ("{\n\"set\": []}", 2, "set must be an object of addresses and values; got a list"),
    ("{\n\"help\": 1,\n\"set\": {}}", 2, "help must be a string; got a number"),
    ("{\"set\": {},\n\"sets\": {}}", 2, "expected help and set only; got sets"),
    ("{\"set\": {\n\"/a\": [1]}}", 2, "/a takes a number or a string; got a list"),
    ("{\"set\": {\n\"/a\": null}}", 2, "/a takes a number or a string; got null"),
    ("{\"set\": {\"/a\": 1,\n\"/b\": 1,\n\"/a\": 1}}", 3, "duplicate name /a, already on line 1"),
  ])
  func `a malformed preset is reported with its line`(text: String, line: Int, message: String)
    throws
  {
    let fault = try #require(self.fault(text))
    #expect(fault.line == line, "\(fault)")
    #expect(fault.description.contains(message), "\(fault)")
  }

  @Test func `the documentation lists all shipped presets`() throws {
    let library = PresetLibrary(shipped: Project.file("Presets").path)
    var table = "| Preset | What it is |\n| --- | --- |\n"
    for name in PresetLibrary.listed(library.shippedNames) {
      table += "| `\(name)` | \(try library.read(PresetName(name)).preset.help) |\n"
    }
    let page = Project.file("Sources/syrinx/Documentation.docc/Presets.md")
    var text = try String(contentsOf: page, encoding: .utf8)
    if ProcessInfo.processInfo.environment["SYRINX_WRITE_SNAPSHOTS"] != nil,
      let start = text.range(of: "| Preset |")
    {
      text = text[..<start.lowerBound] + table
      try text.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(text.hasSuffix(table))
  }

  @Test func `a shipped file equals what the node would write`() throws {
    let folder = Project.file("Presets")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "json" }
    #expect(files.count > 20)
    for file in files {
      let bytes = try Array(Data(contentsOf: file))
      let preset = try Preset(bytes)
      #expect(preset.text == String(decoding: bytes, as: UTF8.self), "\(file.lastPathComponent)")
      #expect(!preset.help.isEmpty && preset.help.utf8.count <= 80, "\(file.lastPathComponent)")
      let name = file.deletingPathExtension().lastPathComponent
      #expect(file.pathExtension == "json")
      #expect(name.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "-") }, "\(name)")
    }
  }
}
