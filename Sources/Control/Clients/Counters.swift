/// The counters for `/status`.
package struct Counters: Equatable {
  /// Datagrams dropped because their sender sent more than its turns.
  package var flooded = 0
  /// The number of messages received.
  package var messages = 0
  /// Malformed packets and streams.
  package var malformed = 0
  /// Messages answered with `/error`.
  package var errors = 0
  /// Batches refused because too many commands were pending.
  package var refused = 0
  /// Packets and connections from addresses that are not allowed.
  package var denied = 0
  /// Connections closed by the node because of their input or a full output buffer.
  package var dropped = 0
  /// Captures that failed because of a disk error.
  package var captureFaults = 0
}
