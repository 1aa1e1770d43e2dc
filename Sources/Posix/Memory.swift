/// The memory of the machine.
package enum Memory {
  /// The available memory in bytes, or 0 if unknown.
  package static var available: Int {
    // The file says that its size is 0.
    guard let text = Files.read("/proc/meminfo") else { return 0 }
    for line in text.split(separator: "\n") where line.hasPrefix("MemAvailable:") {
      return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 } ?? 0
    }
    return 0
  }
}
