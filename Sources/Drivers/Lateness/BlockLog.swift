internal import DSP
internal import Posix
internal import Synchronization

/// The times of the latest buffers, from the audio thread to the thread that looks for lateness, and the
/// server's reports of xruns.
struct BlockLog: ~Copyable, @unchecked Sendable {
  // More than a second of the shortest buffers.
  private static var capacity: Int { @_noLocks get { 4096 } }

  private let buffers = Buffers()
  private let slots: UnsafeMutablePointer<BlockTiming>
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)

  /// The number of the audio thread; 0 before its first buffer.
  let audioThread = Atomic<Int32>(0)
  /// The count of memberships in a server.
  let memberships = Atomic<Int>(0)
  /// The number of xruns that count.
  let xruns = Atomic<Int>(0)
  // The longest delay since it was last taken, in microseconds: the bits of a Float, which sort like it.
  private let delay = Atomic<UInt32>(0)
  // JACK repeats the last delay if a client was late, and not the server.
  private let lastDelay = Atomic<UInt32>(0)
  /// Wakes the thread that looks for lateness; nil if the process has no descriptor left.
  let wake = try? Signal()

  init() { slots = buffers.filled(with: BlockTiming(), count: Self.capacity) }

  /// Begins with a new audio thread, before its first buffer.
  borrowing func begin() {
    audioThread.store(0, ordering: .relaxed)
    memberships.add(1, ordering: .relaxed)
  }

  /// Adds the times of a buffer; drops them if nothing has read those of the last second.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func note(_ timing: BlockTiming) {
    let position = written.load(ordering: .relaxed)
    // Acquiring: the reader is done with the slot.
    guard position &- read.load(ordering: .acquiring) < Self.capacity else { return }
    slots[position & (Self.capacity &- 1)] = timing
    written.store(position &+ 1, ordering: .releasing)  // publishes the slot
  }

  /// Removes and returns the oldest times; nil if there are none.
  borrowing func next() -> BlockTiming? {
    let position = read.load(ordering: .relaxed)
    // Acquiring: the slot is filled.
    guard position != written.load(ordering: .acquiring) else { return nil }
    defer { read.store(position &+ 1, ordering: .releasing) }  // frees the slot
    return slots[position & (Self.capacity &- 1)]
  }

  /// Counts an xrun with the delay that the server reports, in microseconds.
  ///
  /// JACK's notification thread.
  borrowing func noteXrun(microseconds: Float) {
    let bits = max(0, microseconds.isFinite ? microseconds : 0).bitPattern
    if lastDelay.exchange(bits, ordering: .relaxed) != bits { delay.max(bits, ordering: .relaxed) }
    xruns.add(1, ordering: .relaxed)
    wake?.set()
  }

  /// Returns the longest delay of the server since the last call, in microseconds, and forgets it.
  borrowing func takeDelay() -> Double {
    Double(Float(bitPattern: delay.exchange(0, ordering: .relaxed)))
  }
}
