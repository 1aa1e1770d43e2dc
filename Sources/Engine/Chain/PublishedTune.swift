internal import Synchronization

/// The pitches of the pitch correction, published by the audio thread.
///
/// Each is a MIDI note number with a fraction, or -1 for none. Relaxed throughout: each is independent, and readers
/// poll.
package struct PublishedTune: ~Copyable, @unchecked Sendable {
  private let sungBits = Atomic<UInt32>(Float(-1).bitPattern)
  private let heardBits = Atomic<UInt32>(Float(-1).bitPattern)
  private let targetBits = Atomic<UInt32>(Float(-1).bitPattern)

  /// Stores the detected pitch, the corrected pitch, and the target.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func store(sung: Float, heard: Float, target: Float) {
    sungBits.store(sung.bitPattern, ordering: .relaxed)
    heardBits.store(heard.bitPattern, ordering: .relaxed)
    targetBits.store(target.bitPattern, ordering: .relaxed)
  }

  /// The pitch of the live input.
  package var sung: Float { Float(bitPattern: sungBits.load(ordering: .relaxed)) }

  /// The pitch after the correction.
  package var heard: Float { Float(bitPattern: heardBits.load(ordering: .relaxed)) }

  /// The target note.
  package var target: Float { Float(bitPattern: targetBits.load(ordering: .relaxed)) }
}
