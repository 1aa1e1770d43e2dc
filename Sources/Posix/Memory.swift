/// The memory of the machine.
package enum Memory {
  /// The available memory in bytes, or 0 if unknown.
  package static var available: Int {
    // The file reports a size of 0.
    let lines = Files.read("/proc/meminfo")?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix("MemAvailable:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 } ?? 0
  }
}
