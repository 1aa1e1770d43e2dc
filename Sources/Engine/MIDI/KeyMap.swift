internal import DSP

/// The pitches of a keyboard's keys.
///
/// The control side creates the map, and keeps it alive until the audio thread has released it.
package final class KeyMap: @unchecked Sendable {
  /// The number of keys.
  package static let keys = 128

  /// The pointer for the audio thread.
  package let pointer: KeyMapPointer
  private let buffers = Buffers()

  /// The pitch of each of the 128 keys, in cents above MIDI key 0: in the scale, and its own.
  package init(snapped: [Float], own: [Float]) {
    precondition(snapped.count == Self.keys && own.count == Self.keys, "a pitch for each key")
    pointer = KeyMapPointer(cents: UnsafePointer(buffers.copied(snapped + own)))
  }
}

/// A pointer to the pitches of a keyboard's keys, for the audio thread.
package struct KeyMapPointer: BitwiseCopyable, @unchecked Sendable {
  fileprivate let cents: UnsafePointer<Float>

  /// The pitches of all keys in the scale, and their own, in cents above MIDI key 0.
  var snapped: UnsafePointer<Float> { @_noLocks get { cents } }
  var own: UnsafePointer<Float> { @_noLocks get { cents + 128 } }

  /// The pitch of a key, in cents above MIDI key 0: in the scale, or its own.
  @_noLocks
  func pitch(of key: UInt8, isSnapped: Bool) -> Float {
    cents[Int(key & 127) &+ (isSnapped ? 0 : 128)]
  }
}
