/// The state of a node when it ended, however that was: a text of a line for each value and connection.
package struct NodeState: Equatable, Sendable {
  /// A connection of one of the node's ports.
  package struct Connection: Hashable, Sendable {
    /// The node's port, without the client's name.
    package let own: String
    /// The other port, whole.
    package let other: String

    /// A connection by the names of its ports.
    package init(own: String, other: String) {
      self.own = own
      self.other = other
    }
  }

  /// Why a text is no state.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
  }

  // What another version writes that this one would misunderstand has another number.
  private static let head = "syrinx state 1"
  // Without it something is missing.
  private static let end = "end"
  // No port is called so.
  private static let (serverKey, portsKey) = ("server", "connected")

  /// Values, each as `/address=value`.
  package var values: [String] = []
  /// The connections, those first that wait for the longest for their other port.
  package var connections: [Connection] = []
  /// The node's ports that had a connection at any time, without the client's name.
  package var connectedPorts: Set<String> = []
  /// The JACK server that the connections are of; empty where that is not known.
  package var server = ""

  /// The state of a node that was not yet.
  package init() {}

  /// All of it as text.
  package var text: String {
    var links = connections.map { "\($0.own)=\($0.other)" }
    if !connectedPorts.isEmpty {
      links.append("\(Self.portsKey)=\(connectedPorts.sorted().joined(separator: " "))")
    }
    if !server.isEmpty { links.append("\(Self.serverKey)=\(server)") }
    return ([Self.head] + (values + links).map(Self.line) + [Self.end, ""])
      .joined(separator: "\n")
  }

  /// The state that a text tells of.
  package init(_ text: String) throws(Fault) {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }[...]
    guard let head = lines.popFirst(), !text.isEmpty else {
      throw Fault(description: "it is empty")
    }
    guard head == Self.head else {
      throw Fault(
        description: "it begins with \(quoted(head)) and not with \(quoted(Self.head))")
    }
    guard lines.popLast() == "", lines.popLast() == Self.end else {
      throw Fault(description: "its end is missing")
    }
    for line in lines {
      let whole = Self.unescaped(line)
      guard let equals = whole.firstIndex(of: "="), !whole.hasPrefix("/") else {
        // What is wrong with a value is told when it is followed.
        values.append(whole)
        continue
      }
      let (own, other) = (
        String(whole[..<equals]), String(whole[whole.index(after: equals)...])
      )
      switch own {
      case Self.serverKey: server = other
      case Self.portsKey: connectedPorts.formUnion(other.split(separator: " ").map { String($0) })
      default: connections.append(Connection(own: own, other: other))
      }
    }
  }

  /// A text as one line.
  private static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": line += "\\n".unicodeScalars
      case "\r": line += "\\r".unicodeScalars
      case "\\": line += "\\\\".unicodeScalars
      default: line.append(scalar)
      }
    }
    return String(line)
  }

  private static func unescaped(_ line: String) -> String {
    guard line.contains("\\") else { return line }
    var text = String.UnicodeScalarView()
    var rest = line.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\\", let next = rest.popFirst() else {
        text.append(scalar)
        continue
      }
      text.append(next == "n" ? "\n" : next == "r" ? "\r" : next)
    }
    return String(text)
  }
}
