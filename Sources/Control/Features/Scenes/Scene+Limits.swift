internal import Engine
internal import Library

extension Scene {
  /// Whether a limit names an address, or the beginning of some.
  static func isKnown(_ limit: some StringProtocol, in table: AddressTable) -> Bool {
    let path = limit.hasSuffix("/") ? String(limit.dropLast()) : String(limit)
    let words = path.split(separator: "/")
    // Also of loops that the node doesn't have at present.
    if words.count == 2, words[0] == "loop", let number = Int(words[1]) {
      return 1...Parameter.mostLoops ~= number
    }
    return table.addresses.contains { $0.path == path || $0.path.hasPrefix(path + "/") }
  }
}
