/// A node of the rig, and its state.
package struct RigNode: Sendable {
  /// The name by which commands find it.
  package let name: String
  /// The name of its machine.
  package let host: String
  /// Its address and port.
  package let place: String
  /// The DSP load of its sound server in percent; nil if unknown.
  package var load: Float?
  /// The number of times it lost sound since its start; nil if unknown.
  package var lost: Int?
  /// The state of its sound server; `silent` if the node doesn't reply.
  package var server = "silent"
  /// The scene it switched to last; empty for none.
  package var scene = ""
  /// The maximum error of its machine's clock in milliseconds, as reported by the kernel; -1 if it is not
  /// synchronized, nil if unknown.
  package var clockError: Double?

  /// Creates a node that doesn't reply.
  package init(name: String, host: String, place: String) {
    self.name = name
    self.host = host
    self.place = place
  }
}
