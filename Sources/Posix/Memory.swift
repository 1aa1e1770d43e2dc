/// The memory of the machine.
package enum Memory {
  /// The available memory in bytes, or 0 if unknown.
  package static var available: Int {
    guard let bytes = try? Files.contents(of: "/proc/meminfo", atMost: 1 << 16),
      let text = String(validating: bytes, as: UTF8.self)
    else { return 0 }
    for line in text.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 } ?? 0
    }
    return 0
  }
}
