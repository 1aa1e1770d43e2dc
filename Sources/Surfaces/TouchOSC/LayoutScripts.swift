internal import CLayoutScripts
internal import Control

/// The scripts of a layout: the Lua files of `LayoutScripts` below a table with the layout's own values.
///
/// TouchOSC runs Lua 5.1, each script in an environment of its own.
struct LayoutScripts {
  let table: AddressTable

  /// A script: the values as the local table `layout`, then the files.
  ///
  /// Throws if a file names an address that the table lacks, or sends arguments that it doesn't take.
  func script(
    _ values: [(key: String, value: LuaValue)], _ files: [String]
  ) throws(SurfaceFault) -> String {
    let text = Self.joined(values, files)
    try check(text)
    return text
  }

  /// The script of a button whose press the root handles, by the words in its tag.
  static let press = file("press.lua")

  /// The script that lights the face of a button while it is on.
  static func face(_ accent: SurfaceControl.Accent) -> String {
    joined(
      [
        ("on", .color(accent.color)), ("off", .color(accent.color.dimmed)),
        ("textOn", .color(accent.color.ink)), ("textOff", .color(.text)),
      ], ["face"])
  }

  /// The script of a fader, which shows its value with the unit.
  func fader(_ use: AddressUse) throws(SurfaceFault) -> String {
    let curve = use.address.curve
    let values: [(key: String, value: LuaValue)] = [
      ("least", .number(Double(use.range.lowerBound))),
      ("greatest", .number(Double(use.range.upperBound))),
      ("format", .text(Self.format(use))), ("query", try sending(use.path)),
    ]
    if curve == .linear { return try script(values, ["fader-linear"]) }
    let own: [(key: String, value: LuaValue)] = [
      ("curve", .text(curve.rawValue)), ("send", try sending(use.path, ("value", .number))),
    ]
    return try script(values + own, ["fader-curve"])
  }

  // As many decimals as a fader can resolve.
  private static func format(_ use: AddressUse) -> String {
    let width = use.range.upperBound - use.range.lowerBound
    let places = use.isWhole || width > 1000 ? 0 : width > 15 ? 1 : 2
    let unit = use.address.unit.isEmpty ? "" : " " + use.address.unit.replacing("%", with: "%%")
    return "%.\(places)f" + unit
  }

  /// A function that sends a message with the arguments it is called with, by name.
  ///
  /// Only over the first connection, like the messages of the controls.
  func sending(
    _ path: String, _ arguments: (name: String, kind: Address.Form.Kind)...
  ) throws(SurfaceFault) -> LuaValue {
    if !arguments.isEmpty { try table.declared(path).check(arguments.map { .varying($0.kind) }) }
    let names = arguments.map(\.name)
    let sent = (["'\(path)'"] + names + ["{true}"]).joined(separator: ", ")
    return .code("function(\(names.joined(separator: ", "))) sendOSC(\(sent)) end")
  }

  private static func joined(
    _ values: [(key: String, value: LuaValue)], _ files: [String]
  ) -> String {
    (["local layout = \(LuaValue.table(values).written())\n"] + files.map { file($0 + ".lua") })
      .joined(separator: "\n")
  }

  private static let files: [String: String] = {
    let scripts = [layout_script](unsafeUninitializedCapacity: layout_scripts_count) {
      scripts, count in
      layout_scripts(scripts.baseAddress!)
      count = layout_scripts_count
    }
    return Dictionary(
      uniqueKeysWithValues: scripts.map {
        let bytes = UnsafeBufferPointer(start: $0.bytes, count: $0.count)
        return (String(cString: $0.name), String(decoding: bytes, as: UTF8.self))
      })
  }()

  private static func file(_ name: String) -> String {
    guard let text = files[name] else { preconditionFailure("\(name) is not among the scripts") }
    return text
  }

  private func check(_ text: String) throws(SurfaceFault) {
    for match in text.matches(of: /'(\/[^']+)'/) { _ = try table.declared(String(match.1)) }
    for match in text.matches(of: /sendOSC\('([^']+)'((?:, [^,{]+)*), \{true\}\)/) {
      let address = try table.declared(String(match.1))
      let count = match.2.count { $0 == "," }
      // Without arguments it queries a value.
      if count == 0, address.hasValue { continue }
      let needed = address.forms.count { !$0.isOptional }
      guard (needed...max(needed, address.forms.count)).contains(count) else {
        throw SurfaceFault("\(address.path) takes \"\(address.types)\", not \(count) arguments")
      }
    }
  }
}
