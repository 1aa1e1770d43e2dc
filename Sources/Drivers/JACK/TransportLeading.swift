internal import CJack
internal import CRealtime
internal import Engine

extension Membership {
  /// Becomes or stays the timebase master.
  ///
  /// Returns false if another client is.
  func lead() -> Bool {
    isLeading = jack_set_timebase_callback(client, 1, tellPosition, context) == 0
    return isLeading
  }

  /// Releases the timebase.
  func stopLeading() {
    guard isLeading else { return }
    isLeading = false
    jack_release_timebase(client)
  }
}

/// Called by JACK on its audio thread after a block, for the start of the next one.
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
