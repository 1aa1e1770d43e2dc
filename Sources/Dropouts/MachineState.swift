/// The state of the machine, as far as it matters to sound.
package struct MachineState: Sendable, Equatable {
  /// The frequency governor of a CPU that doesn't run at its highest frequency; nil if there is none.
  package var governor: String?
  /// The lowest present frequency of a CPU, as a share of its highest; nil if unknown.
  package var frequency: Double?
  /// Whether the supply voltage is too low.
  package var isUndervolted = false
  /// Whether the CPUs are throttled because of heat.
  package var isThrottled = false
  /// The temperature that is closest to its critical one, in °C; nil if unknown.
  package var temperature: Double?
  /// The critical temperature, in °C.
  package var critical = 0.0
  /// The free space for files of the node, in bytes; nil if unknown.
  package var freeBytes: Double?
  /// The size of that file system, in bytes.
  package var diskBytes = 0.0
  /// Whether the node may run real-time threads.
  package var mayBeRealtime = true
  /// The lead of the wall clock over the steady clock and the time of suspension, in microseconds.
  package var wallLead = 0.0

  /// Creates the state of a machine without a fault.
  package init() {}
}
