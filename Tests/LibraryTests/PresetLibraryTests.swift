import Foundation
import Library
import Testing

@Suite struct PresetLibraryTests {
  /// Two temporary folders.
  final class Folders {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent(
      "syrinx-presets-\(UUID().uuidString)")
    var shipped: String { root.appendingPathComponent("shipped").path }
    var own: String { root.appendingPathComponent("home/presets").path }
    var library: PresetLibrary { PresetLibrary(shipped: shipped, own: own) }

    init() throws {
      try FileManager.default.createDirectory(
        atPath: shipped, withIntermediateDirectories: true)
      for name in ["dub", "echo"] {
        try put("{\"set\": {\"/shipped\": 1}}", "\(shipped)/\(name).json")
      }
    }

    deinit { try? FileManager.default.removeItem(at: root) }

    func put(_ text: String, _ path: String) throws {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
    }
  }

  private let folders: Folders

  init() throws { folders = try Folders() }

  private static let text = "{\"set\": {\"/own\": 1}}"

  private func fault(_ body: () throws(PresetFault) -> Void) -> PresetFault? {
    do throws(PresetFault) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private func names(_ library: PresetLibrary) -> [String] {
    PresetLibrary.listed(library.ownNames.union(library.shippedNames))
  }

  @Test func `a saved preset can be read and overrides a shipped one`() throws {
    let library = folders.library
    let (dub, mine) = (try PresetName("dub"), try PresetName("Möwe 2"))
    #expect(try library.read(dub).preset.settings[0].address == "/shipped")
    for name in [dub, mine] {
      try library.save(Self.text, as: name)
      #expect(try library.read(name).preset.settings[0].address == "/own")
    }
    #expect(names(library) == ["Möwe 2", "dub", "echo"])
    #expect(try library.readShipped(dub).preset.settings[0].address == "/shipped")
    try library.delete(dub)
    #expect(try library.read(dub).preset.settings[0].address == "/shipped")
    #expect(names(library) == ["Möwe 2", "dub", "echo"])
    let status = try FileManager.default.attributesOfItem(atPath: "\(folders.own)/Möwe 2.json")
    #expect((status[.posixPermissions] as? Int ?? 0) & ~0o022 == 0o644)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folders.own) == ["Möwe 2.json"])
  }

  @Test func `deleting a shipped or missing preset fails`() throws {
    let library = folders.library
    #expect(
      fault { () throws(PresetFault) in try library.delete(PresetName("dub")) }?.kind == .denied)
    #expect(
      fault { () throws(PresetFault) in try library.delete(PresetName("mine")) }?.kind == .missing)
    #expect(try library.read(PresetName("dub")).preset.settings.count == 1)
  }

  @Test(arguments: [
    "", ".", "..", "../x", "/etc/passwd", "a/b", "a/", ".hidden", "a\0b", "a\nb",
    String(repeating: "x", count: 49), "presets/../../x",
  ])
  func `a name that could leave the folder is denied`(text: String) {
    #expect(fault { () throws(PresetFault) in _ = try PresetName(text) }?.kind == .denied)
  }

  @Test(arguments: [
    ("dubb", "did you mean dub?"), ("ehco", "did you mean echo?"),
    ("dub.json", "known are dub, echo"),
    ("Dub", "did you mean dub?"), ("cathedral", "known are dub, echo"),
  ])
  func `a missing preset gets the closest name or the list of names`(
    name: String, hint: String
  ) throws {
    let library = folders.library
    let fault = self.fault { () throws(PresetFault) in _ = try library.read(PresetName(name)) }
    #expect(fault?.kind == .missing)
    #expect(fault?.message == "unknown preset \(name); \(hint)")
  }

  @Test func `a link to a file outside the folder is read, and never written to`() throws {
    let outside = folders.root.appendingPathComponent("outside.json").path
    try folders.put("{ \"set\": {} }", outside)
    try FileManager.default.createDirectory(
      atPath: folders.own, withIntermediateDirectories: true)
    #expect(symlink(outside, "\(folders.own)/mine.json") == 0)
    #expect(try folders.library.read(PresetName("mine")).path == "\(folders.own)/mine.json")
    let refused = fault { () throws(PresetFault) in
      try folders.library.save(Self.text, as: PresetName("mine"))
    }
    #expect(refused?.kind == .denied && refused?.message.contains("mine is a link") == true)
    #expect(try String(contentsOfFile: outside, encoding: .utf8) == "{ \"set\": {} }")
  }

  @Test func `missing folders are empty`() {
    let library = PresetLibrary(shipped: "/proc/nowhere", own: "/proc/nowhere/presets")
    #expect(names(library).isEmpty)
    #expect(
      fault { () throws(PresetFault) in _ = try library.read(PresetName("dub")) }?.message
        == "unknown preset dub; there are no presets")
    #expect(
      fault { () throws(PresetFault) in try library.delete(PresetName("dub")) }?.message
        == "unknown preset dub; no presets have been saved")
    let refused = fault { () throws(PresetFault) in
      try library.save(Self.text, as: PresetName("a"))
    }
    #expect(refused?.kind == .io && refused?.message.contains("/proc/nowhere") == true)
  }

  @Test func `a file in place of the folder is a system error with its path`() throws {
    try FileManager.default.createDirectory(
      at: folders.root.appendingPathComponent("home"), withIntermediateDirectories: true)
    try folders.put("", folders.own)
    let refused = fault { () throws(PresetFault) in
      try folders.library.save(Self.text, as: PresetName("a"))
    }
    #expect(refused?.kind == .io && refused?.message.contains(folders.own) == true)
  }

  @Test func `only regular files with the extension are presets`() throws {
    let folder = folders.shipped
    try folders.put("", "\(folder)/note.txt")
    try folders.put("", "\(folder)/.hidden.json")
    try folders.put("", "\(folder)/dub.json.4711.part")
    try FileManager.default.createDirectory(
      atPath: "\(folder)/folder.json", withIntermediateDirectories: false)
    #expect(mkfifo("\(folder)/pipe.json", 0o644) == 0)
    #expect(names(folders.library) == ["dub", "echo", "folder", "pipe"])
    for name in ["folder", "pipe"] {
      let fault = self.fault { () throws(PresetFault) in
        _ = try folders.library.read(PresetName(name))
      }
      #expect(fault?.kind == .io && fault?.message.contains("/\(name).json: ") == true)
    }
  }

  @Test func `a malformed file is reported with its line, an oversized one without`() throws {
    let path = "\(folders.shipped)/dub.json"
    try folders.put("{\n  \"set\": {\n    \"/a\": 1,\n  }\n}\n", path)
    let broken = fault { () throws(PresetFault) in
      _ = try folders.library.read(PresetName("dub"))
    }
    #expect(broken?.kind == .broken)
    #expect(broken?.message == "\(path):4: trailing comma")
    try folders.put(String(repeating: " ", count: Preset.longestFile) + "1", path)
    let long = self.fault { () throws(PresetFault) in
      _ = try folders.library.read(PresetName("dub"))
    }
    #expect(long?.kind == .broken && long?.message.hasPrefix("\(path): ") == true)
  }

  @Test func `the list is limited to what fits in a reply`() throws {
    try FileManager.default.createDirectory(
      atPath: folders.own, withIntermediateDirectories: true)
    // Names alone: creating a thousand files would take longer than all other tests here.
    try folders.put(Self.text, "\(folders.own)/1.json")
    for number in 2...1000 {
      #expect(link("\(folders.own)/1.json", "\(folders.own)/\(number).json") == 0)
    }
    #expect(names(folders.library).count == 1000)
    let library = folders.library
    let refused = fault { () throws(PresetFault) in
      try library.save(Self.text, as: PresetName("more"))
    }
    #expect(refused?.kind == .full)
    try library.save(Self.text, as: PresetName("7"))
    try library.delete(PresetName("8"))
    try library.save(Self.text, as: PresetName("more"))
  }

  @Test func `shipped presets are found in the build and install locations`() {
    #expect(
      ShippedPresets.places(named: "/x", program: "/a/.build/release/syrinx", dataFolders: nil)
        == ["/x"])
    #expect(
      ShippedPresets.places(
        named: nil, program: "/me/syrinx/.build/x86_64-unknown-linux-gnu/release/syrinx",
        dataFolders: "/data:relative:/more")
        == ["/me/syrinx/Presets", "/data/syrinx/Presets", "/more/syrinx/Presets"])
    #expect(
      ShippedPresets.places(named: nil, program: "/opt/syrinx/bin/syrinx", dataFolders: nil)
        == [
          "/opt/syrinx/share/syrinx/Presets", "/usr/local/share/syrinx/Presets",
          "/usr/share/syrinx/Presets",
        ])
    #expect(
      ShippedPresets.places(named: nil, program: "/usr/bin/syrinx", dataFolders: nil)
        == ["/usr/share/syrinx/Presets", "/usr/local/share/syrinx/Presets"])
  }
}
