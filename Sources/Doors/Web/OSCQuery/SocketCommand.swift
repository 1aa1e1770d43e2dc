internal import JSON

/// A command in a text frame: OSCQuery's own, and the one that pairs.
package enum SocketCommand: Equatable {
  /// Tell me the values of an address as they change.
  case listen(String)
  case ignore(String)
  /// This is the token.
  case pair(String)

  /// Reads a command; nil where it is another, or none.
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

  /// The words in which the node tells something of the tree, or of a pairing.
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
