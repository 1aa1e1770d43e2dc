internal import OSC

/// The reason that a message was refused, as sent in `/error`.
package struct Refusal: Error, Equatable {
  /// The codes of `/error`.
  package enum Code: String, Sendable {
    case unknown, type, range, state, missing, busy, denied, io
  }

  /// The code.
  package let code: Code
  /// One line: what was wrong, then what is accepted.
  package let message: String

  /// Creates a refusal.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  // Longer addresses are truncated in replies, which would otherwise amplify short queries.
  private static let longestEcho = 128

  /// The reply to the sender.
  package func answer(to address: String) -> [UInt8] {
    let echo =
      address.utf8.count <= Self.longestEcho
      ? address : String(decoding: address.utf8.prefix(Self.longestEcho), as: UTF8.self) + "…"
    return [UInt8](address: "/error", [.string(echo), .string(code.rawValue), .string(message)])
  }
}
