package import DSP
internal import Synchronization

/// The source of a capture: input or output.
package enum CaptureSource: BitwiseCopyable, Sendable {
  case input, output
}

/// Audio from the audio thread to disk.
///
/// The audio thread writes, one other thread reads, and neither waits. A ring holds one capture, which
/// starts and ends once.
package final class CaptureRing: @unchecked Sendable {
  /// The state of a capture.
  package enum State: UInt8, BitwiseCopyable, Sendable {
    /// Not started.
    case waiting
    /// Running.
    case running
    /// Ended; no more samples will follow.
    case ended
    /// The ring was full; no more samples will follow.
    case overrun
  }

  /// The length of the ring, and of the longest stall of the disk, in seconds.
  private static let seconds = 8
  // The number of frames that a slow disk frees at a time.
  private static let longestStretch = 16_384

  /// The sample rate, in Hz.
  package let rate: Int
  /// Its capacity in frames, a power of two.
  package let capacity: Int

  private let buffers = Buffers()
  private let sound: Stereo
  private let progress: UnsafeMutablePointer<CaptureProgress>

  /// Creates a ring for a sample rate, long enough for a disk that stalls, or for a number of frames.
  package init(rate: Int, capacity: Int? = nil) {
    self.rate = rate
    self.capacity = .powerOfTwo(atLeast: capacity ?? Self.seconds * rate)
    sound = buffers.stereo(self.capacity)
    progress = buffers.box(CaptureProgress())
  }

  /// The state of the capture.
  ///
  /// After the end, all samples are visible to the reader.
  package var state: State {
    State(rawValue: progress.pointee.state.load(ordering: .acquiring)) ?? .waiting
  }

  /// Whether the audio thread is done with it.
  package var hasEnded: Bool { state == .ended || state == .overrun }

  /// The number of captured frames so far.
  package var frames: Int { progress.pointee.written.load(ordering: .acquiring) }

  /// The source at its start; known from then on.
  package var source: CaptureSource { progress.pointee.source }

  /// Whether the samples are stored as floating-point numbers; known from its start.
  package var isFine: Bool { progress.pointee.isFine }

  /// The pointer for the audio thread.
  package var pointer: CapturePointer {
    CapturePointer(sound: sound, capacity: capacity, rate: rate, progress: progress)
  }

  /// Passes the next contiguous samples to a closure, which may change them.
  ///
  /// Returns false if there are none. One reader thread.
  package func take<Fault: Error>(
    _ body: (Stereo, Int) throws(Fault) -> Void
  ) throws(Fault) -> Bool {
    let read = progress.pointee.read.load(ordering: .relaxed)
    // Acquiring: the frames are written.
    let count = progress.pointee.written.load(ordering: .acquiring) - read
    guard count > 0 else { return false }
    let place = read & (capacity - 1)
    let part = min(count, capacity - place, Self.longestStretch)
    try body(sound.advanced(by: place), part)
    // Releasing: the frames are read.
    progress.pointee.read.store(read + part, ordering: .releasing)
    return true
  }
}

/// The progress of a capture, shared by both ends of its ring.
struct CaptureProgress: ~Copyable {
  /// The frames written and read since the start.
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let state = Atomic<UInt8>(CaptureRing.State.waiting.rawValue)
  // Written before the state is running.
  var source = CaptureSource.input
  var isFine = false
}

/// A pointer to a ring, for the audio thread.
///
/// The sender keeps the ring alive until the event of the command was received, and then, if the capture has
/// started, until it has ended.
package struct CapturePointer: BitwiseCopyable, @unchecked Sendable {
  let sound: Stereo
  let capacity: Int
  let rate: Int
  let progress: UnsafeMutablePointer<CaptureProgress>
}
