/// The counters of a process's threads.
package struct ProcessCounters: Sendable, Equatable {
  /// The process ID.
  package var id: Int32
  /// The name by which to report it.
  package var name: String
  /// The counters by thread ID.
  package var threads: [Int32: ThreadCounters]

  /// Creates counters.
  package init(id: Int32, name: String, threads: [Int32: ThreadCounters] = [:]) {
    (self.id, self.name, self.threads) = (id, name, threads)
  }
}
