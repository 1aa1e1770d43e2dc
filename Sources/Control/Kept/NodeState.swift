package import Engine

/// The last state of a node as text, with a line for each value and connection.
package struct NodeState: Equatable, Sendable {
  /// The reason that a text is not a valid state.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
  }

  // The format version. An incompatible version has another number.
  private static let head = "syrinx state 1"
  // The last line, which shows that the file is complete.
  private static let end = "end"
  // Keys that can't be port names.
  private static let (serverKey, portsKey) = ("server", "connected")

  /// The values, each as `/address=value`.
  package var values: [String] = []
  /// The connections.
  ///
  /// Those waiting longest for their other port come first.
  package var connections: [SoundConnection] = []
  /// The node's ports that have ever been connected, without the client name.
  package var connectedPorts: Set<String> = []
  /// The JACK server of the connections; empty if unknown.
  package var server = ""

  /// Creates an empty state.
  package init() {}

  /// The state as text.
  package var text: String {
    var links = connections.map { "\($0.own)=\($0.other)" }
    if !connectedPorts.isEmpty {
      links.append("\(Self.portsKey)=\(connectedPorts.sorted().joined(separator: " "))")
    }
    if !server.isEmpty { links.append("\(Self.serverKey)=\(server)") }
    return ([Self.head] + (values + links).map(Self.line) + [Self.end, ""])
      .joined(separator: "\n")
  }

  /// Parses a state.
  package init(_ text: String) throws(Fault) {
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }[...]
    guard let head = lines.popFirst(), !text.isEmpty else {
      throw Fault(description: "empty file")
    }
    guard head == Self.head else {
      throw Fault(description: "first line is \(quoted(head)), expected \(quoted(Self.head))")
    }
    guard lines.popLast() == "", lines.popLast() == Self.end else {
      throw Fault(description: "truncated: last line is not \"end\"")
    }
    for line in lines {
      let whole = Self.unescaped(line)
      guard let equals = whole.firstIndex(of: "="), !whole.hasPrefix("/") else {
        // Invalid values are reported when they are restored.
        values.append(whole)
        continue
      }
      let (own, other) = (String(whole[..<equals]), String(whole[whole.index(after: equals)...]))
      switch own {
      case Self.serverKey: server = other
      case Self.portsKey: connectedPorts.formUnion(other.split(separator: " ").map { String($0) })
      default: connections.append(SoundConnection(own: own, other: other))
      }
    }
  }

  private static let escapes: [Unicode.Scalar: String] = [
    "\n": "\\n", "\r": "\\r", "\\": "\\\\",
  ]

  /// Escapes a text to a single line.
  private static func line(_ text: String) -> String {
    text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
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
