internal import CJack
internal import Foundation

/// A JACK client that plays a MIDI port of the node's, and hears another.
package final class MIDIProbe: @unchecked Sendable {
  /// A message and the server's frame on which it was heard.
  package struct Heard: Equatable {
    /// The server's frame.
    package var frame: UInt32
    /// Its bytes.
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

  /// Plays a message on a frame, or at once.
  package func play(_ bytes: [UInt8], at frame: UInt32? = nil) {
    callbacks.play(bytes, at: frame ?? jack_last_frame_time(client))
  }

  /// Whether nothing is left that is to be played.
  package var hasPlayedAll: Bool { callbacks.hasPlayedAll }

  /// What was heard since the last look.
  package func take() -> [Heard] {
    callbacks.take(\.heard)
  }

  /// The server's frames on which messages were played since the last look.
  package func takePlayed() -> [UInt32] {
    callbacks.take(\.played)
  }

  /// Connects it with the node's port for notes that come in, or that for those that go out.
  package func connect(to node: String, listening: Bool) throws {
    let result =
      listening
      ? jack_connect(client, "\(node):midi_out", "keyboard:in")
      : jack_connect(client, "keyboard:out", "\(node):midi_in")
    guard result == 0 || result == EEXIST else { throw Fault("can't connect MIDI") }
  }

  /// Where the server's transport was told to be at the first frame of a block.
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

  /// Lets the server's transport roll, or stop.
  package func roll(_ rolls: Bool) {
    if rolls { jack_transport_start(client) } else { jack_transport_stop(client) }
  }

  /// Takes the telling of bars and beats over, whoever did it; false where the server refuses.
  package func takeTimebase(conditionally: Bool = false) -> Bool {
    jack_set_timebase_callback(client, conditionally ? 1 : 0, { _, _, _, _, _ in }, nil) == 0
  }

  /// Gives it up.
  package func releaseTimebase() { jack_release_timebase(client) }
}
