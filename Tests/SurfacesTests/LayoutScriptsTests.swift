import CLayoutScripts
import Foundation
import TestSupport
import Testing

@testable import Control
@testable import Surfaces

/// The Lua files of the layouts, and the table of a layout's values.
@Suite struct LayoutScriptsTests {
  private let scripts = LayoutScripts(table: .widest)

  @Test func `every Lua file is in the program as it is on disk`() throws {
    let folder = Project.file("Sources/LayoutScripts/lua")
    var built: [String: Data] = [:]
    let scripts = [layout_script](unsafeUninitializedCapacity: layout_scripts_count) {
      scripts, count in
      layout_scripts(scripts.baseAddress!)
      count = layout_scripts_count
    }
    for file in scripts {
      built[String(cString: file.name)] = Data(bytes: file.bytes, count: file.count)
    }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".lua") }
    #expect(Set(names) == Set(built.keys))
    for name in names {
      #expect(built[name] == (try Data(contentsOf: folder.appendingPathComponent(name))), "\(name)")
    }
  }

  @Test func `a value is written as a literal of Lua`() {
    let value = LuaValue.table([
      ("text", .text("it's")), ("C#", .number(0.5)), ("isOn", .flag(true)),
      ("list", .list([.number(1), .text("a")])), ("color", .color(Color(1, 0.25, 0))),
      ("rows", .list([.table([("a", .number(1))])])), ("none", .table([])),
    ])
    #expect(
      value.written() == """
        {
          text = 'it\\'s',
          ['C#'] = 0.5,
          isOn = true,
          list = {1, 'a'},
          color = Color(1, 0.25, 0, 1),
          rows = {
            {
              a = 1
            }
          },
          none = {}
        }
        """)
  }

  @Test func `a script with an unknown address or wrong arguments is refused`() {
    #expect(throws: SurfaceFault.self) { try scripts.sending("/echo/mixx", ("value", .number)) }
    #expect(throws: SurfaceFault.self) { try scripts.sending("/echo/mix", ("value", .text)) }
    #expect(throws: SurfaceFault.self) {
      try scripts.script([("path", .text("/nowhere"))], ["press"])
    }
    for sent in ["'/take/title', id, {true}", "'/ping', 1, 2, {true}", "'/take/delete', {true}"] {
      #expect(throws: SurfaceFault.self, "\(sent)") {
        try scripts.script([("send", .code("function() sendOSC(\(sent)) end"))], ["press"])
      }
    }
  }
}
