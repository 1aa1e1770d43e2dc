/// The cause of a late buffer, as far as the machine's counters show it.
package enum LostCause: String, Sendable, CaseIterable {
  /// The node's own processing took longer than the buffer lasts.
  case own
  /// Another client of the sound server was late.
  case client
  /// An audio thread waited for pages of memory.
  case fault
  /// A signal, a debugger or a container stopped the node.
  case stopped
  /// Other programs had the CPU.
  case cpu
  /// Interrupts had the CPU.
  case interrupt
  /// The hypervisor gave the CPU to another machine.
  case steal
  /// The CPU ran at a low frequency.
  case frequency
  /// The CPU was throttled because of heat.
  case heat
  /// The supply voltage was too low.
  case power
  /// An audio thread waited for a disk.
  case disk
  /// The machine was short of memory.
  case memory
  /// The machine was suspended.
  case suspend
  /// Clients or connections of the sound server changed.
  case graph
  /// The sound server was late.
  case server
  /// The sound card was late.
  case card
  /// The counters show no cause.
  case unknown
}
