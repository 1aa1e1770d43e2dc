internal import JSON

/// A command in a text frame: OSCQuery's own, and the pairing command.
package enum SocketCommand: Equatable {
  /// Subscribes to the values of an address.
  case listen(String)
  case ignore(String)
  /// Pairs with a token.
  case pair(String)

  // A command has two members. The longest data is an address or a token.
  private static let limits = JSON.Limits(values: 16)

  /// Parses a command; nil if it is not one of these.
  package init?(_ text: [UInt8]) {
    guard let json = try? JSON(text, within: Self.limits), let text = json["DATA"]?.text else {
      return nil
    }
    switch json["COMMAND"]?.text {
    case "LISTEN": self = .listen(text)
    case "IGNORE": self = .ignore(text)
    case "PAIR": self = .pair(text)
    default: return nil
    }
  }

  /// The text of a command that notifies of a change of the tree or of a pairing.
  static func written(_ command: String, _ data: some JSONWritable) -> String {
    (["COMMAND": command, "DATA": data] as JSONText).text
  }
}
