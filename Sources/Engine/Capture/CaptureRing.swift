package import DSP
internal import Synchronization

/// The source of a capture: the sound as it comes in, or as it goes out.
package enum CaptureSource: BitwiseCopyable, Sendable {
  case input, output
}

/// Sound on its way from the audio thread to a disk.
///
/// The audio thread writes, one other thread reads, and neither waits for the other. A ring holds
/// one capture: it is begun and ended once.
package final class CaptureRing: @unchecked Sendable {
  /// The state of a capture.
  package enum State: UInt8, BitwiseCopyable, Sendable {
    /// Not begun.
    case waiting
    /// It runs.
    case running
    /// It was ended, and no more will come.
    case ended
    /// The ring was full, and no more will come.
    case overrun

    var byte: UInt8 {
      // The real-time check doesn't see the getter of a raw value; the byte is what it would be.
      @_noLocks get { unsafeBitCast(self, to: UInt8.self) }
    }
  }

  /// The length of the ring, and so of a stall of the disk, in seconds.
  private static let seconds = 8
  // A slow disk frees the ring by so many frames at a time.
  private static let longestStretch = 16_384

  /// The rate of the sound, in Hz.
  package let rate: Int
  /// How many frames it holds, a power of two.
  package let capacity: Int

  private let sound: Stereo
  private let progress: UnsafeMutablePointer<CaptureProgress>

  /// A ring for sound of a rate, long enough for a disk that stalls, or for so many frames.
  package init(rate: Int, capacity: Int? = nil) {
    let least = capacity ?? Self.seconds * rate
    var size = 1
    while size < least { size *= 2 }
    self.rate = rate
    self.capacity = size
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * size)
    memory.initialize(repeating: 0, count: 2 * size)
    sound = Stereo(memory, memory + size)
    progress = .allocate(capacity: 1)
    progress.initialize(to: CaptureProgress())
  }

  deinit {
    sound.left.deallocate()
    progress.deinitialize(count: 1)
    progress.deallocate()
  }

  /// Its state.
  ///
  /// Where no more will come, all of it is seen by whoever asks afterwards.
  package var state: State {
    State(rawValue: progress.pointee.state.load(ordering: .acquiring)) ?? .waiting
  }

  /// Whether the audio thread is done with it.
  package var hasEnded: Bool { state == .ended || state == .overrun }

  /// How many frames were captured so far.
  package var frames: Int { progress.pointee.written.load(ordering: .acquiring) }

  /// The source at its beginning; known from then on.
  package var source: CaptureSource { progress.pointee.source }

  /// Whether the samples shall be kept as floating-point numbers; known from its beginning on.
  package var isFine: Bool { progress.pointee.isFine }

  /// The pointer that the audio thread is given.
  package var pointer: CapturePointer {
    CapturePointer(sound: sound, capacity: capacity, rate: rate, progress: progress)
  }

  /// Hands over the next stretch of what has come; false where there is nothing.
  ///
  /// One thread. What is handed over may be changed there.
  package func take<Fault: Error>(
    _ body: (Stereo, Int) throws(Fault) -> Void
  ) throws(Fault) -> Bool {
    let read = progress.pointee.read.load(ordering: .relaxed)
    // Acquiring: the sound is there.
    let count = progress.pointee.written.load(ordering: .acquiring) - read
    guard count > 0 else { return false }
    let place = read & (capacity - 1)
    let part = min(count, capacity - place, Self.longestStretch)
    try body(sound.advanced(by: place), part)
    // Releasing: what was read there is done with.
    progress.pointee.read.store(read + part, ordering: .releasing)
    return true
  }
}

/// The progress of a capture, which both sides of its ring know.
struct CaptureProgress: ~Copyable {
  /// Frames written and read since the beginning.
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let state = Atomic<UInt8>(CaptureRing.State.waiting.rawValue)
  // Written before the state says that it runs.
  var source = CaptureSource.input
  var isFine = false
}

/// A pointer to the parts of a ring, as the audio thread is given it.
///
/// Whoever sends it keeps the ring alive until the command's event has come, and then, if the
/// capture has begun, until it has ended.
package struct CapturePointer: BitwiseCopyable, @unchecked Sendable {
  let sound: Stereo
  let capacity: Int
  let rate: Int
  let progress: UnsafeMutablePointer<CaptureProgress>
}
