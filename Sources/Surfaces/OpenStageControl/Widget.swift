internal import Control
internal import JSON

/// A widget of a session, with its properties in order.
struct Widget: Sendable {
  /// The value of a property.
  indirect enum Value: Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case list([Value])
    case object([(String, Value)])
  }

  /// The name of the widget.
  let id: String
  var properties: [(String, Value)]
  var widgets: [Widget] = []
  var tabs: [Widget] = []

  init(_ type: String, id: String, _ properties: [(String, Value)] = []) {
    self.id = id
    self.properties = [("type", .text(type)), ("id", .text(id))] + properties
  }

  /// The widget and its children as a JSON value.
  var value: Value {
    var members = properties
    if !widgets.isEmpty { members.append(("widgets", .list(widgets.map(\.value)))) }
    if !tabs.isEmpty { members.append(("tabs", .list(tabs.map(\.value)))) }
    return .object(members)
  }
}

extension Widget.Value {
  /// Writes JSON, one member per line.
  func json(_ indent: String = "") -> String {
    let inner = indent + "  "
    switch self {
    case .text(let text): return JSON.written(text)
    case .number(let number): return plain(number)
    case .flag(let flag): return "\(flag)"
    case .list(let values):
      return values.isEmpty
        ? "[]"
        : "[\n" + values.map { inner + $0.json(inner) }.joined(separator: ",\n") + "\n\(indent)]"
    case .object(let members):
      return "{\n"
        + members.map { "\(inner)\(JSON.written($0.0)): \($0.1.json(inner))" }
        .joined(separator: ",\n") + "\n\(indent)}"
    }
  }
}

extension Widget.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  init(stringLiteral text: String) { self = .text(text) }
  init(integerLiteral number: Int) { self = .number(Double(number)) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
}
