internal import CJack
internal import Foundation
internal import OSC

/// A JACK client that plays the node's MIDI input, and records its MIDI output.
package final class MIDIProbe: ServerClient, @unchecked Sendable {
  /// A MIDI message and the server frame on which it arrived.
  package struct Heard: Equatable {
    /// The server's frame.
    package var frame: UInt32
    /// The bytes of the message.
    package var bytes: [UInt8]
  }

  private let client: OpaquePointer
  // Separate from this object, for the same reason as a probe's.
  private let callbacks: MIDICallbacks

  /// Joins a server.
  package init(server: String) throws {
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("keyboard", JackNoStartServer, &status, server) else {
      throw Fault("the MIDI probe can't join \(server)")
    }
    self.client = client
    callbacks = MIDICallbacks(client)
    jack_activate(client)
    ServerClients.add(self, of: server)
  }

  deinit { close() }

  private var isClosed = false

  /// Leaves the server.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    callbacks.end()
    jack_client_close(client)
  }

  /// The approximate present frame of the server.
  package var frame: UInt32 { jack_frame_time(client) }

  /// Plays a MIDI message on a frame, or at once.
  package func play(_ bytes: [UInt8], at frame: UInt32? = nil) {
    callbacks.play(bytes, at: frame ?? jack_last_frame_time(client))
  }

  /// Waits until all queued messages have been played, and all clients have received them.
  package func awaitPlayed(file: String = #fileID, line: Int = #line) throws {
    try waitUntil("all messages are played", file: file, line: line) { callbacks.hasPlayedAll }
    try awaitCycle(file: file, line: line)
  }

  /// Waits until a cycle that starts from now on has ended.
  private func awaitCycle(file: String, line: Int) throws {
    let count = callbacks.cycleCount
    try waitUntil("a cycle has ended", file: file, line: line) {
      // The present one, the next, and the beginning of the one after it.
      callbacks.cycleCount &- count >= 2
    }
  }

  /// Takes the messages received since the last call.
  package func take() -> [Heard] {
    callbacks.take(\.heard)
  }

  /// Takes the server frames on which messages were played since the last call.
  package func takePlayed() -> [UInt32] {
    callbacks.take(\.played)
  }

  /// Connects the probe to the node's MIDI input, or to its MIDI output, and waits until messages
  /// pass.
  ///
  /// JACK reports a connection before it makes it, with the next cycle, and the node learns of it
  /// later still: until then, it reads no messages. `phone` talks to the node.
  package func connect(
    to node: String, listening: Bool, phone: Phone, file: String = #fileID, line: Int = #line
  ) throws {
    let (own, port) = listening ? ("keyboard:in", "midi_out") : ("keyboard:out", "midi_in")
    let result =
      listening
      ? jack_connect(client, "\(node):\(port)", own) : jack_connect(client, own, "\(node):\(port)")
    guard result == 0 || result == EEXIST else { throw Fault("can't connect MIDI") }
    try waitUntil("the node reports \(own) at \(port)", file: file, line: line) {
      phone.send("/ports")
      return phone.receive(untilOneOf: ["/ports/end"]).contains { row in
        row.arguments.first == .string(port) && row.arguments.contains(.string(own))
      }
    }
    try awaitCycle(file: file, line: line)
  }

  /// A position of the server's transport, at the first frame of a block.
  package struct Position {
    /// The server frame.
    package var frame: UInt32
    /// The bar, counted from 1.
    package var bar: Int
    /// The number of beats elapsed in it.
    package var beat: Double
    /// The tempo, in beats per minute.
    package var tempo: Double
  }

  /// Takes the transport's position in each block since the last call, while it rolled with a
  /// timebase master.
  package func takePositions() -> [Position] {
    callbacks.take(\.positions)
  }

  /// Starts or stops the server's transport.
  package func roll(_ rolls: Bool) {
    if rolls { jack_transport_start(client) } else { jack_transport_stop(client) }
  }

  /// Becomes the timebase master.
  ///
  /// Returns false if the server refuses.
  package func takeTimebase(conditionally: Bool = false) -> Bool {
    jack_set_timebase_callback(client, conditionally ? 1 : 0, { _, _, _, _, _ in }, nil) == 0
  }

  /// Releases the timebase.
  package func releaseTimebase() { jack_release_timebase(client) }
}
