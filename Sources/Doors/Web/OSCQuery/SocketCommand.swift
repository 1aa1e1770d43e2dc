internal import JSON

/// A command in a text frame: OSCQuery's own, and the pairing command.
package enum SocketCommand: Equatable {
  /// Subscribes to the values of an address.
  case listen(String)
  case ignore(String)
  /// Pairs with a token.
  case pair(String)

  /// Parses a command; nil if it is not one of these.
  package init?(_ text: [UInt8]) {
    guard let json = try? JSON(text), case .object(let members) = json.content,
      case .text(let command)? = members.first(where: { $0.name == "COMMAND" })?.value.content
    else { return nil }
    let data = members.first { $0.name == "DATA" }?.value.content
    guard case .text(let text)? = data else { return nil }
    switch command {
    case "LISTEN": self = .listen(text)
    case "IGNORE": self = .ignore(text)
    case "PAIR": self = .pair(text)
    default: return nil
    }
  }

  /// The text of a command that notifies of a change of the tree or of a pairing.
  static func written(_ command: String, _ path: String) -> String {
    var json = JSONText()
    json.begin("{")
    json.add("COMMAND", command)
    json.add("DATA", path)
    json.end("}")
    return json.text
  }

  static func paired(_ isPaired: Bool) -> String {
    var json = JSONText()
    json.begin("{")
    json.add("COMMAND", "PAIRED")
    json.add("DATA", isPaired)
    json.end("}")
    return json.text
  }
}
