/// The counts of the control side, for `/status`.
package struct Counters: Equatable {
  /// Messages that came, of every kind.
  package var messages = 0
  /// Packets and streams that were no OSC.
  package var malformed = 0
  /// Instructions answered by `/error`.
  package var errors = 0
  /// Batches turned away because too much was under way.
  package var refused = 0
  /// Packets and connections from outside the allowed addresses.
  package var denied = 0
  /// Connections that the node ended, because of what they sent or did not take.
  package var dropped = 0
  /// Captures that ended, or did not become takes, because of the disk.
  package var captureFaults = 0
}
