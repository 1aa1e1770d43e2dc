internal import Posix

/// The endpoint of a node: host, port and transport, as people and programs write it.
///
/// `HOST:PORT`, a port of this machine, an IPv6 address with or without a port, or the URL from the
/// `ready` line.
struct NodePlace {
  /// The environment variable for the endpoint, used without the option.
  static let variable = "SYRINX_TO"
  /// The default endpoint of a node.
  static let usual = NodePlace(host: "127.0.0.1", port: 8000, isStream: false)
  /// The option for a node's endpoint.
  static let option = """
    --to NODE: Node to talk to: its name, HOST:PORT, a port on this machine, or the URL in the \
    `ready` line (default: $\(variable), else \(usual.text))
    """

  /// The host name or address, without brackets.
  let host: String
  /// The port.
  let port: UInt16
  /// Whether the transport is TCP.
  let isStream: Bool
}

extension NodePlace {
  /// Parses an endpoint; an IPv6 address alone gets the default port.
  init?(_ text: String, usualPort: UInt16? = usual.port) {
    let isStream = text.hasPrefix("osc.tcp://")
    var place = text[...]
    if let scheme = ["osc.udp://", "osc.tcp://"].first(where: text.hasPrefix) {
      place = place.dropFirst(scheme.count)
      if place.hasSuffix("/") { place = place.dropLast() }
    }
    if let port = Self.port(place) {
      self.init(host: Self.usual.host, port: port, isStream: isStream)
      return
    }
    if Self.isVersion6(Self.withoutBrackets(place)), let usualPort {
      self.init(host: Self.withoutBrackets(place), port: usualPort, isStream: isStream)
      return
    }
    guard let colon = place.lastIndex(of: ":"), let port = Self.port(place[colon...].dropFirst())
    else { return nil }
    let host = Self.withoutBrackets(place[..<colon])
    guard !host.isEmpty, !host.contains(":") || Self.isVersion6(host) else { return nil }
    self.init(host: host, port: port, isStream: isStream)
  }

  private static func port(_ text: Substring) -> UInt16? {
    guard text.allSatisfy(\.isNumber), let port = UInt16(text), port > 0 else { return nil }
    return port
  }

  private static func withoutBrackets(_ host: Substring) -> String {
    host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : String(host)
  }

  private static func isVersion6(_ host: String) -> Bool {
    // A zone index (%eth0) may follow, which is not part of the address.
    host.contains(":") && IPAddress(String(host.prefix { $0 != "%" })) != nil
  }

  /// The failure of a command that a node doesn't answer.
  static func noAnswer(from place: String) -> Failure {
    Failure(
      .unavailable,
      "no reply from \(place); is a node running there? `syrinx run` starts one")
  }

  /// HOST:PORT, with an IPv6 host in brackets.
  var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// The receivers of messages: a node, or all that can be found.
enum NodeAudience {
  case one(NodePlace)
  case all

  /// The word for all nodes.
  static let word = "all"
  /// The option for receivers.
  static let option = NodePlace.option.replacing(
    "its name, ", with: "its name, `all` for every node, ")

  /// Whether a text can be the name of a node.
  static func isName(_ text: String) -> Bool {
    text != word && !text.allSatisfy(\.isNumber) && !text.contains(where: ":/[]".contains)
  }
}

extension CommandPage.Given {
  /// The endpoint from `--to`, else from the variable, else the default.
  var place: NodePlace {
    get throws(Failure) {
      let variable = Environment[NodePlace.variable]
      guard let text = self["to"] ?? variable else { return .usual }
      if let place = NodePlace(text) { return place }
      let option = self["to"] == nil ? NodePlace.variable : "--to"
      let accepted =
        "\(option) takes the name of a node, HOST:PORT, a port, or the URL in the `ready` line"
      guard NodeAudience.isName(text) else { throw .usage(accepted, got: text) }
      let (nodes, names) = FoundNode.named(text)
      if nodes.count > 1 {
        throw .usage(
          "\(option): \(nodes.count) nodes have this name, at "
            + nodes.map(\.place.text).joined(separator: " and "), got: text)
      }
      guard !nodes.isEmpty else { throw .usage("\(accepted) (\(names))", got: text) }
      return nodes[0].place
    }
  }

  /// The receivers of messages: those of `--to all`, or a node.
  var audience: NodeAudience {
    get throws(Failure) {
      self["to"] ?? Environment[NodePlace.variable] == NodeAudience.word ? .all : .one(try place)
    }
  }
}
