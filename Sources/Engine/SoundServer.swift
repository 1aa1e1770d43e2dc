/// The status of the sound server that the node plays on.
package struct SoundServerStatus: Sendable, Equatable {
  /// Whether it is running.
  package var isRunning = false
  /// Its sample rate, in Hz.
  package var rate = 0
  /// Its period, in frames.
  package var block = 0
  /// The sound card that the node is connected to, or was before the server went; empty before the first.
  package var card = ""
  /// Its load, in percent.
  package var load: Float = 0
  /// The number of xruns since the node started.
  package var xruns = 0
  /// The longest delay of an xrun, in microseconds.
  package var longestXrun: Float = 0
  /// Whether the node is the timebase master of its transport.
  package var lead = TransportLead.no
  /// The number of changes to the node's ports and their connections.
  package var portChanges = 0

  /// The status without a server.
  package init() {}
}

/// Whether the node is the timebase master of a server's transport.
package enum TransportLead: UInt8, Sendable {
  case no
  /// The server has not replied yet.
  case asked
  case yes
  /// Another client is.
  case denied
}

/// A port of the node on a sound server.
package struct SoundPort: Sendable, Equatable {
  /// Its name, without the client's.
  package var name: String
  /// Whether it carries MIDI instead of audio.
  package var isMIDI: Bool
  /// Whether it is an input.
  package var isInput: Bool
  /// The full names of the connected ports, in alphabetical order.
  package var connections: [String]

  /// Creates a port with its connections.
  package init(name: String, isMIDI: Bool, isInput: Bool, connections: [String]) {
    self.name = name
    self.isMIDI = isMIDI
    self.isInput = isInput
    self.connections = connections
  }
}

/// A connection of one of the node's ports.
package struct SoundConnection: Hashable, Sendable {
  /// The node's port, without the client's name.
  package let own: String
  /// The full name of the other port.
  package let other: String

  /// Creates a connection by the names of its ports.
  package init(own: String, other: String) {
    self.own = own
    self.other = other
  }
}

/// A sound card with its settings, for which the latency of a round trip is constant.
package struct SoundRoute: Hashable, Sendable {
  /// The name of the card; those of the output and the input if they differ.
  package var card: String
  /// The sample rate, in Hz.
  package var rate: Int
  /// The period, in frames.
  package var block: Int

  /// Creates a route.
  package init(card: String, rate: Int, block: Int) {
    (self.card, self.rate, self.block) = (card, rate, block)
  }
}

/// A late buffer, or several in a row, with its cause.
package struct LostBlock: Sendable, Equatable {
  /// Its number since the start, from 1.
  package var number: Int
  /// The Unix time in microseconds.
  package var time: Double
  /// The length of the gap, in milliseconds.
  package var milliseconds: Double
  /// The word for the cause.
  package var cause: String
  /// The evidence in words.
  package var detail: String

  /// Creates an entry.
  package init(number: Int, time: Double, milliseconds: Double, cause: String, detail: String) {
    (self.number, self.time, self.milliseconds) = (number, time, milliseconds)
    (self.cause, self.detail) = (cause, detail)
  }
}

/// The sound server, as the control side sees it.
package protocol SoundServer: Sendable {
  /// The present status; on any thread.
  var status: SoundServerStatus { get }

  /// The node's ports, none without a server; on any thread.
  var ports: [SoundPort] { get }

  /// The card from the node's output to its input; nil unless both are connected; on any thread.
  var route: SoundRoute? { get }

  /// The latest late buffers, oldest first; on any thread.
  var lostBlocks: [LostBlock] { get }

  /// Requests that the node becomes the timebase master, or ceases to be. The status reports the outcome.
  func leadTransport(_ leads: Bool)
}

extension SoundServer {
  package var route: SoundRoute? { nil }
  package var lostBlocks: [LostBlock] { [] }
}
