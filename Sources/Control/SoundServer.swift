/// The status of the sound server that the node plays on.
package struct SoundServerStatus: Sendable, Equatable {
  /// Whether there is one at the moment.
  package var isRunning = false
  /// Its sample rate, in Hz.
  package var rate = 0
  /// Its block, in frames.
  package var block = 0
  /// Its load, in percent of the time that there is.
  package var load: Float = 0
  /// Blocks lost since the node's start.
  package var xruns = 0
  /// The longest delay that an xrun had, in microseconds.
  package var longestXrun: Float = 0
  /// Whether its transport has bars and beats from the node.
  package var lead = TransportLead.no

  /// The status of a server that is not there.
  package init() {}
}

/// Whether a sound server's transport has its bars and beats from the node.
package enum TransportLead: Sendable {
  case no
  /// The server has not said yet.
  case asked
  case yes
  /// Another program has told it of them before.
  case denied
}

/// The sound server, as the control side sees it.
package protocol SoundServer: Sendable {
  /// The server's status at the moment; for any thread.
  var status: SoundServerStatus { get }

  /// Asks for its transport to have bars and beats from the node, or no longer; the status tells
  /// what becomes of it.
  func leadTransport(_ leads: Bool)
}
