internal import Synchronization

/// The greatest levels since they were collected: the audio thread raises them, a control
/// thread takes them.
package struct Meters: ~Copyable, @unchecked Sendable {
  /// The channels that have a meter, in the order in which `/meter` sends them.
  package enum Channel: Int, CaseIterable, Sendable, BitwiseCopyable {
    case in1, in2, live1, live2, loop1, loop2, grid1, grid2, out1, out2
    /// By how much the limiter turned down: 1 and more, linear.
    case limiter
  }

  // Bits of positive floats, which order as the floats do. Relaxed throughout: a meter
  // publishes nothing but itself.
  private let peaks: UnsafeMutablePointer<Atomic<UInt32>>

  init() {
    peaks = .allocate(capacity: Channel.allCases.count)
    for index in Channel.allCases.indices { (peaks + index).initialize(to: Atomic(0)) }
  }

  deinit {
    peaks.deinitialize(count: Channel.allCases.count)
    peaks.deallocate()
  }

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

  /// Returns the greatest level, linear, since the last call.
  ///
  /// Any thread.
  package borrowing func collect(_ channel: Channel) -> Float {
    Float(bitPattern: peaks[channel.rawValue].exchange(0, ordering: .relaxed))
  }
}
