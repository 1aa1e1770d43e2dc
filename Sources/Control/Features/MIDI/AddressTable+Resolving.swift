internal import Engine

extension AddressTable {
  /// Returns the declaration of a path, the canonical path, and the numbers in it.
  ///
  /// The path of a template is not resolved.
  func resolve(_ path: String) -> (address: Address, path: String, numbers: [Int])? {
    guard !path.contains("{"), let (address, numbers) = declared(path) else { return nil }
    guard !numbers.isEmpty else { return (address, path, []) }
    var left = numbers[...]
    let parts = address.path.split(separator: "/").map { part in
      part.hasPrefix("{") ? "/\(left.removeFirst())" : "/\(part)"
    }
    return (address, parts.joined(), numbers)
  }

  private static let ofAllLoops = "/loop/*/"

  /// Returns the declaration and path of an address that can be mapped.
  ///
  /// `/loop/*/…` addresses all loops, and has the declaration of the first one.
  func bindable(_ path: String) -> (address: Address, path: String)? {
    guard path.hasPrefix(Self.ofAllLoops) else {
      return resolve(path).map { ($0.address, $0.path) }
    }
    return members(path).first.flatMap { self[$0] }.map { ($0, path) }
  }

  /// Returns the paths of a mapped one: those of all loops, or itself.
  func members(_ path: String) -> [String] {
    guard path.hasPrefix(Self.ofAllLoops) else { return [path] }
    let rest = path.dropFirst(Self.ofAllLoops.count)
    return (1...Parameter.mostLoops).map { "/loop/\($0)/\(rest)" }.filter { self[$0] != nil }
  }
}
