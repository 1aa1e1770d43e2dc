internal import OSC

/// Why an instruction was not followed: what `/error` says.
package struct Refusal: Error, Equatable {
  /// The kinds that the contract names.
  package enum Code: String, Sendable {
    case unknown, type, range, state, missing, busy, denied, io
  }

  /// The kind.
  package let code: Code
  /// One line: what was wrong, and what would be right.
  package let message: String

  /// A refusal of a kind, with its line.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  // An address echoed whole would make a short question's answer a long one.
  private static let longestEcho = 128

  /// The answer to whoever sent the instruction.
  package func answer(to address: String) -> [UInt8] {
    let echo =
      address.utf8.count <= Self.longestEcho
      ? address : String(decoding: address.utf8.prefix(Self.longestEcho), as: UTF8.self) + "…"
    return [UInt8](
      address: "/error", [.string(echo), .string(code.rawValue), .string(message)])
  }
}
