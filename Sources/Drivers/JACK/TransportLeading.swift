internal import CJack
internal import CRealtime
internal import Engine
internal import Synchronization

/// Whether the server's transport has its bars and beats from this client.
package enum TransportLeading: UInt8, Sendable {
  case no
  /// The server has not said yet.
  case asked
  case yes
  /// Another client has told of them before.
  case denied
}

extension ServerFacts {
  /// Whether the server's transport has its bars and beats from here.
  var leading: TransportLeading {
    TransportLeading(rawValue: lead.load(ordering: .relaxed)) ?? .no
  }

  func setLeading(_ leading: TransportLeading) { lead.store(leading.rawValue, ordering: .relaxed) }
}

extension Membership {
  /// Tells the transport of bars and beats from now on, or still; false where another client does.
  func lead() -> Bool {
    isLeading = jack_set_timebase_callback(client, 1, tellPosition, context) == 0
    return isLeading
  }

  /// Stops telling the transport.
  func stopLeading() {
    guard isLeading else { return }
    isLeading = false
    jack_release_timebase(client)
  }
}

/// Called by JACK on its audio thread, after a block, for the beginning of the next one.
@_noLocks
private func tellPosition(
  _ state: jack_transport_state_t, _ frames: jack_nframes_t,
  _ position: UnsafeMutablePointer<jack_position_t>?, _ isNew: Int32,
  _ argument: UnsafeMutableRawPointer?
) {
  rt_enter()
  let context = argument.unsafelyUnwrapped.assumingMemoryBound(to: CallbackContext.self)
  if let position,
    let found = context.pointee.renderer.position(
      after: Int(frames), transportFrame: Int64(nj_frame(position)))
  {
    nj_tell_position(
      position, Int32(truncatingIfNeeded: found.bar), found.beat,
      Int32(truncatingIfNeeded: found.beatsPerBar), found.beatsPerMinute)
  }
  rt_exit()
}
