internal import Synchronization

/// The gains of the channel strip, published by the audio thread.
///
/// Relaxed throughout: each gain is independent, and readers poll.
package struct PublishedChannel: ~Copyable, @unchecked Sendable {
  private let gateBits = Atomic<UInt32>(Float(1).bitPattern)
  private let levelBits = Atomic<UInt32>(0)

  /// Stores the linear gain of the gate, and that of the compressor in dB.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func store(gate: Float, level: Float) {
    gateBits.store(gate.bitPattern, ordering: .relaxed)
    levelBits.store(level.bitPattern, ordering: .relaxed)
  }

  /// The linear gain of the gate.
  package var gate: Float { Float(bitPattern: gateBits.load(ordering: .relaxed)) }

  /// The gain of the compressor, in dB.
  package var level: Float { Float(bitPattern: levelBits.load(ordering: .relaxed)) }
}
