package import HTTP
internal import Posix

/// The access policy of the web server.
package final class WebAccess: Sendable {
  // After this many wrong tokens within a minute, further ones are answered with 429.
  private static let mostFailures = 10
  private static let minute = 60e6
  // Bounds the memory that forged addresses can allocate.
  private static let mostAddresses = 1024

  /// The error for a request without a token.
  static let needsToken = "missing token; `syrinx web` shows it"

  private let hosts: HostList
  /// The origins of other servers whose pages may use the node.
  private let origins: Set<String>
  /// The secret that every client needs; nil if none is needed.
  let token: WebToken?
  private let failures = Guarded<[IPAddress: [Double]]>([:])

  /// Creates a policy for these host names and other origins.
  ///
  /// Requires a token unless it is nil.
  package init(hosts: HostList, origins: [String] = [], token: WebToken?) {
    self.hosts = hosts
    self.origins = Set(origins.map { $0.lowercased() })
    self.token = token
  }

  // MARK: - Requests

  /// The response that refuses a request; nil if the request is accepted.
  func refusal(of request: HTTPRequest) -> HTTPAnswer? {
    if let refusal = hosts.refusal(of: request, to: "node", option: "--web-host") {
      return refusal
    }
    guard request.wantsSocket || !request.isReading else { return nil }
    // The node's own page, an allowed one, or no page at all.
    guard request.isOfOwnOrigin || origins.contains(request[.origin]?.lowercased() ?? "") else {
      return .refusal(403, "requests from other sites are denied; --web-origin URL allows one")
    }
    return nil
  }

  /// The origin that may read the response, if the request comes from another page that is allowed.
  func readableOrigin(_ request: HTTPRequest) -> String? {
    request[.origin].flatMap { origins.contains($0.lowercased()) ? $0 : nil }
  }

  /// The response that refuses access to private data; nil if the request may read and change it.
  func refusalWithoutToken(_ request: HTTPRequest, now: Double) -> HTTPAnswer? {
    guard token != nil else { return nil }
    guard let given = request.bearer else {
      return .refusal(401, Self.needsToken)
    }
    switch pair(given, from: request.peer, now: now) {
    case .paired: return nil
    case .wrong: return .refusal(401, "wrong token; `syrinx web` shows it")
    case .tooOften: return .refusal(429, "too many wrong tokens; try again in a minute")
    }
  }

  // MARK: - Tokens

  /// The outcome of an attempt to pair.
  enum Pairing {
    case paired, wrong, tooOften
  }

  /// Checks a token from a client, at a time in microseconds.
  ///
  /// The right one always pairs: behind a proxy, all clients have one address, and 128 random bits are
  /// not guessed at any rate.
  func pair(_ given: String, from address: IPAddress, now: Double) -> Pairing {
    guard let token, !token.matches(given) else { return .paired }
    return failures.withLock { failures in
      var recent = (failures[address] ?? []).filter { now - $0 < Self.minute }
      defer { failures[address] = recent.isEmpty ? nil : recent }
      guard recent.count < Self.mostFailures else { return .tooOften }
      // A missing token is no attempt.
      guard !given.isEmpty else { return .wrong }
      if failures.count >= Self.mostAddresses {
        failures = failures.filter { $0.value.contains { now - $0 < Self.minute } }
      }
      guard failures.count < Self.mostAddresses else { return .tooOften }
      recent.append(now)
      return .wrong
    }
  }
}
