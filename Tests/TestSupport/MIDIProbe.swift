internal import CJack
internal import Foundation

/// A JACK client that plays the node's MIDI input, and records its MIDI output.
package final class MIDIProbe: @unchecked Sendable {
  /// A MIDI message and the server's frame on which it was heard.
  package struct Heard: Equatable {
    /// The server's frame.
    package var frame: UInt32
    /// The bytes of the message.
    package var bytes: [UInt8]
  }

  private let client: OpaquePointer
  // Apart from this object, as a probe's.
  private let callbacks: MIDICallbacks

  /// Joins a server.
  package init(server: String) throws {
    var status = JackStatus(rawValue: 0)
    guard let client = nj_client_open("keyboard", JackNoStartServer, &status, server) else {
      throw Fault("the keyboard can't join \(server)")
    }
    self.client = client
    callbacks = MIDICallbacks(client)
    jack_activate(client)
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

  /// The server's frame at about this moment.
  package var frame: UInt32 { jack_frame_time(client) }

  /// Plays a MIDI message on a frame, or at once.
  package func play(_ bytes: [UInt8], at frame: UInt32? = nil) {
    callbacks.play(bytes, at: frame ?? jack_last_frame_time(client))
  }

  /// Whether nothing is left that is to be played.
  package var hasPlayedAll: Bool { callbacks.hasPlayedAll }

  /// What was heard since the last look.
  package func take() -> [Heard] {
    callbacks.take(\.heard)
  }

  /// Takes the server's frames on which messages were played since the last call.
  package func takePlayed() -> [UInt32] {
    callbacks.take(\.played)
  }

  /// Connects the probe with the node's MIDI input, or with its MIDI output.
  package func connect(to node: String, listening: Bool) throws {
    let result =
      listening
      ? jack_connect(client, "\(node):midi_out", "keyboard:in")
      : jack_connect(client, "keyboard:out", "\(node):midi_in")
    guard result == 0 || result == EEXIST else { throw Fault("can't connect MIDI") }
  }

  /// A position of the server's transport, at the first frame of a block.
  package struct Position {
    /// The server's frame.
    package var frame: UInt32
    /// The bar, counted from 1.
    package var bar: Int
    /// How many beats of it were over.
    package var beat: Double
    /// Beats a minute.
    package var tempo: Double
  }

  /// Where the transport was told to be, block by block, since the last look, while it rolled and
  /// somebody told of bars and beats.
  package func takePositions() -> [Position] {
    callbacks.take(\.positions)
  }

  /// Starts the server's transport, or stops it.
  package func roll(_ rolls: Bool) {
    if rolls { jack_transport_start(client) } else { jack_transport_stop(client) }
  }

  /// Becomes the timebase master; false where the server refuses.
  package func takeTimebase(conditionally: Bool = false) -> Bool {
    jack_set_timebase_callback(client, conditionally ? 1 : 0, { _, _, _, _, _ in }, nil) == 0
  }

  /// Releases the timebase.
  package func releaseTimebase() { jack_release_timebase(client) }
}
