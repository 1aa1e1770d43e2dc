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
}
