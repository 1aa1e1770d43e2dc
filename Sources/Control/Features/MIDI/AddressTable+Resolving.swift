internal import Engine

extension AddressTable {
  /// The declaration behind a path, with the path as it is written, and the numbers in it where the
  /// address stands for many; nil for that address itself.
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

  /// The same for what a press can be bound to: `/loop/*/…` stands for what each loop has, and is
  /// declared as that of the first.
  func bindable(_ path: String) -> (address: Address, path: String)? {
    guard path.hasPrefix(Self.ofAllLoops) else {
      return resolve(path).map { ($0.address, $0.path) }
    }
    return members(path).first.flatMap { self[$0] }.map { ($0, path) }
  }

  /// The paths that a bound one stands for: those of all loops that there are, or itself.
  func members(_ path: String) -> [String] {
    guard path.hasPrefix(Self.ofAllLoops) else { return [path] }
    let rest = path.dropFirst(Self.ofAllLoops.count)
    return (1...Parameter.mostLoops).map { "/loop/\($0)/\(rest)" }.filter { self[$0] != nil }
  }
}
