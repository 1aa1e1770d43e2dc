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
  /// How often the node's ports, or what they are connected to, have become others.
  package var portChanges = 0

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

/// A port that the node has on a sound server.
package struct SoundPort: Sendable, Equatable {
  /// Its name, without the node's.
  package var name: String
  /// Whether MIDI goes through it, and no sound.
  package var isMIDI: Bool
  /// Whether it takes in what others send.
  package var isInput: Bool
  /// The whole names of the ports to which it is connected, in the order of the alphabet.
  package var connections: [String]

  /// A port by its name, with its connections.
  package init(name: String, isMIDI: Bool, isInput: Bool, connections: [String]) {
    self.name = name
    self.isMIDI = isMIDI
    self.isInput = isInput
    self.connections = connections
  }
}

/// The sound server, as the control side sees it.
package protocol SoundServer: Sendable {
  /// The server's status at the moment; for any thread.
  var status: SoundServerStatus { get }

  /// The node's ports on the server at the moment, none where there is no server; for any thread.
  var ports: [SoundPort] { get }

  /// Asks for its transport to have bars and beats from the node, or no longer; the status tells
  /// what becomes of it.
  func leadTransport(_ leads: Bool)
}
