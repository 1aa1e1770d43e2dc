internal import Synchronization

/// The peak levels since the last collection: raised by the audio thread, collected by a control thread.
package struct Meters: ~Copyable, @unchecked Sendable {
  /// The channels that have a meter, in the order in which `/meter` sends them.
  package enum Channel: Int, CaseIterable, Sendable, BitwiseCopyable {
    case in1, in2, live1, live2, loop1, loop2, grid1, grid2, out1, out2
    /// The gain reduction of the limiter, linear, from 1.
    case limiter
  }

  // Bits of positive floats, which have the order of the floats. Relaxed throughout: a meter publishes
  // nothing but itself.
  private let peaks = AtomicArray<UInt32>(repeating: 0, count: Channel.allCases.count)

  /// Raises a meter to a level.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func raise(_ channel: Channel, to level: Float) {
    let bits = level.bitPattern
    if bits > peaks[channel.rawValue].load(ordering: .relaxed) {
      peaks[channel.rawValue].max(bits, ordering: .relaxed)
    }
  }

  /// Returns the maximum level, linear, since the last call.
  ///
  /// Any thread.
  package borrowing func collect(_ channel: Channel) -> Float {
    Float(bitPattern: peaks[channel.rawValue].exchange(0, ordering: .relaxed))
  }
}
