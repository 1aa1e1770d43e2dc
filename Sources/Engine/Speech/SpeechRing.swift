internal import DSP
internal import Synchronization

/// A ring buffer for speech, from a control thread to the speech port.
///
/// One control thread writes whole phrases, the audio thread plays them, and neither waits.
package final class SpeechRing: @unchecked Sendable {
  /// The capacity in frames, a power of two: 43 seconds at 48 kHz.
  package static let capacity = 1 << 21

  private let buffers = Buffers()
  private let samples: UnsafeMutablePointer<Float>
  private let progress: UnsafeMutablePointer<SpeechProgress>

  /// Creates an empty ring.
  package init() {
    // Pages are allocated when they are first written.
    samples = buffers.room(for: Self.capacity)
    progress = buffers.box(SpeechProgress())
  }

  /// The number of frames still to be played.
  package var waiting: Int {
    let read = max(
      progress.pointee.read.load(ordering: .acquiring),
      progress.pointee.start.load(ordering: .relaxed))
    return progress.pointee.written.load(ordering: .relaxed) - read
  }

  /// Appends a phrase, or interrupts the current one with it.
  ///
  /// Returns false if there is no room.
  package func say(_ phrase: [Float], interrupting: Bool) -> Bool {
    let written = progress.pointee.written.load(ordering: .relaxed)
    // Acquiring: earlier frames have been played. An interrupted phrase fades out, so it can't be overwritten yet.
    let read = progress.pointee.read.load(ordering: .acquiring)
    guard phrase.count <= Self.capacity - (written - read) else { return false }
    for (index, sample) in phrase.enumerated() {
      samples[(written + index) & (Self.capacity - 1)] = sample
    }
    if interrupting { progress.pointee.start.store(written, ordering: .relaxed) }
    // Releasing: publishes the samples and the start position.
    progress.pointee.written.store(written + phrase.count, ordering: .releasing)
    return true
  }

  /// Interrupts the current phrase.
  package func stop() {
    // Relaxed: publishes no samples; the audio thread may see it a block later.
    progress.pointee.start.store(
      progress.pointee.written.load(ordering: .relaxed), ordering: .relaxed)
  }

  /// The pointer for the audio thread.
  package var pointer: SpeechPointer {
    SpeechPointer(samples: samples, mask: Self.capacity - 1, progress: progress)
  }
}

/// The positions of a ring, in frames since its creation.
struct SpeechProgress: ~Copyable {
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  /// The first frame that is still to be played.
  let start = Atomic<Int>(0)
}

/// A pointer to a ring, for the audio thread.
///
/// The ring must outlive it.
package struct SpeechPointer: BitwiseCopyable, @unchecked Sendable {
  fileprivate let samples: UnsafeMutablePointer<Float>
  // The capacity, less one.
  fileprivate let mask: Int
  fileprivate let progress: UnsafeMutablePointer<SpeechProgress>

  /// Writes the next frames of speech to a port, and silence after its end.
  @_noLocks
  package func play(to port: UnsafeMutablePointer<Float>, frames: Int) {
    // Acquiring: makes the samples and the start position visible.
    let written = progress.pointee.written.load(ordering: .acquiring)
    let start = progress.pointee.start.load(ordering: .relaxed)
    var read = progress.pointee.read.load(ordering: .relaxed)
    let count = min(written &- read, frames)
    var frame = 0
    while frame < count {
      port[frame] = samples[(read &+ frame) & mask]
      frame &+= 1
    }
    if start > read {
      // The interrupted phrase fades out within this block.
      let step = 1 / Float(max(count, 1))
      frame = 0
      while frame < count {
        port[frame] *= 1 - Float(frame &+ 1) * step
        frame &+= 1
      }
      read = start
    } else {
      read &+= count
    }
    while frame < frames {
      port[frame] = 0
      frame &+= 1
    }
    if read != progress.pointee.read.load(ordering: .relaxed) {
      // Releasing: these frames can be overwritten.
      progress.pointee.read.store(read, ordering: .releasing)
    }
  }
}
