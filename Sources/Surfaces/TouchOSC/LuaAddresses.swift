internal import Control

/// The addresses in Lua scripts, each checked against the table.
struct LuaAddresses {
  let table: AddressTable

  /// Quotes an address.
  func path(_ path: String) throws(SurfaceFault) -> String {
    _ = try table.declared(path)
    return Self.quoted(path)
  }

  /// Writes the call that sends a message with these expressions as its arguments.
  func send(
    _ path: String, _ arguments: (expression: String, kind: Address.Form.Kind)...
  ) throws(SurfaceFault) -> String {
    let address = try table.declared(path)
    // Without arguments it asks, where there is something to be asked for.
    if !arguments.isEmpty || !address.hasValue {
      try address.check(arguments.map { .varying($0.kind) })
    }
    // Over the first connection alone, as the messages of the controls.
    let parts = [Self.quoted(path)] + arguments.map(\.expression) + ["{true}"]
    return "sendOSC(" + parts.joined(separator: ", ") + ")"
  }

  /// Quotes a text for Lua.
  static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
