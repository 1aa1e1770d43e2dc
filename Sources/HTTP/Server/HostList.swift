internal import Glibc
package import Posix

/// The host names under which a server answers requests, as a defense against DNS rebinding.
///
/// A foreign page can make its own name resolve to this machine and would then be same-origin with
/// the node. But it can't change the Host header that the browser sends.
package struct HostList: Sendable {
  /// The names, in lowercase.
  package let names: Set<String>
  // Evaluated on each use: addresses change with networks.
  private let addresses: @Sendable () -> [IPAddress]

  /// Creates a list with the machine's own names and addresses, and others that lead to it.
  package init(
    others: [String] = [],
    addresses: @escaping @Sendable () -> [IPAddress] = { IPAddress.ofThisMachine }
  ) {
    var names: Set<String> = ["localhost"]
    let own = IPAddress.nameOfThisMachine.lowercased()
    if !own.isEmpty { names.formUnion([own, "\(own).local"]) }
    self.names = names.union(others.map { $0.lowercased() })
    self.addresses = addresses
  }

  /// Whether a Host header names this machine, with or without a port.
  package func allows(_ header: String) -> Bool {
    guard let host = Self.host(header) else { return false }
    if let address = IPAddress(host) {
      return address.isLoopback || addresses().contains(address) || names.contains(host)
    }
    return names.contains(host)
  }

  /// Returns the error response for a request to another host, or nil if the host is accepted.
  ///
  /// The response names the server, and the option that adds a name.
  package func refusal(
    of request: HTTPRequest, to server: String, option: String
  ) -> HTTPAnswer? {
    guard let host = request[.host] else { return .refusal(400, "missing Host header") }
    guard !allows(host) else { return nil }
    return .refusal(
      421, "unknown host name; \(option) NAME allows another name of this \(server)")
  }

  /// Parses the host of `HOST` or `HOST:PORT`, or returns nil if it is malformed.
  package static func host(_ header: String) -> String? {
    let text = header.lowercased()
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]"), isPort(text[text.index(after: end)...]) else {
        return nil
      }
      return String(text[text.index(after: text.startIndex)..<end])
    }
    let host = text.prefix { $0 != ":" }
    guard isPort(text[host.endIndex...]) else { return nil }
    // A fully qualified name may end with a dot.
    return host.hasSuffix(".") ? String(host.dropLast()) : String(host)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.hasPrefix(":") && text.dropFirst().utf8.allSatisfy { 48...57 ~= $0 }
  }

}
