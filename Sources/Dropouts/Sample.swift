/// All counters at one time.
package struct Sample: Sendable {
  /// The steady time, in microseconds.
  package var time = 0.0
  /// The node's audio thread.
  package var own = ThreadCounters()
  /// The sound server; nil if its process is unknown.
  package var server: ProcessCounters?
  /// The other clients of the sound server.
  package var clients: [ProcessCounters] = []
  /// The machine.
  package var system = SystemCounters()

  /// Creates a sample of zeros.
  package init() {}
}
