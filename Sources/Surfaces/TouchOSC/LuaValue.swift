internal import Control

/// A value in a Lua script, written as a literal.
indirect enum LuaValue: Sendable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case color(Color)
  /// A verbatim expression.
  case code(String)
  case list([LuaValue])
  case table([(key: String, value: LuaValue)])

  /// The literal, with a line for each field of a table and each table in a list.
  func written(_ indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .text(let text): return Self.quoted(text)
    case .number(let number): return plain(number)
    case .flag(let flag): return "\(flag)"
    case .color(let color):
      let parts = [color.red, color.green, color.blue, color.alpha].map {
        plain(($0 * 1000).rounded() / 1000)
      }
      return "Color(" + parts.joined(separator: ", ") + ")"
    case .code(let code): return code
    case .list(let values):
      let items = values.map { $0.written(inner) }
      guard values.contains(where: \.isTable) else {
        return "{" + items.joined(separator: ", ") + "}"
      }
      return "{\n" + items.map { inner + $0 }.joined(separator: ",\n") + "\n\(indent)}"
    case .table(let fields):
      let rows = fields.map { field in
        let isName = field.key.wholeMatch(of: /[a-z]\w*/) != nil
        let key = isName ? field.key : "[\(Self.quoted(field.key))]"
        return "\(inner)\(key) = \(field.value.written(inner))"
      }
      return rows.isEmpty ? "{}" : "{\n" + rows.joined(separator: ",\n") + "\n\(indent)}"
    }
  }

  private var isTable: Bool {
    switch self {
    case .table, .list: true
    default: false
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
