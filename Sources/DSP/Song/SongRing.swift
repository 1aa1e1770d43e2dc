internal import Synchronization

/// A single-producer, single-consumer ring buffer of frames between the disk thread and the audio
/// thread.
///
/// The control side creates it and keeps it alive until the audio thread has released it.
package final class SongRing: @unchecked Sendable {
  /// The audio thread's view of the ring.
  package let pointer: SongPointer
  private let buffers = Buffers()
  private var marks: UnsafeMutablePointer<SongMarks> { pointer.marks }

  /// Creates a ring for at least `seconds` at a sample rate in Hz.
  package init(seconds: Double, sampleRate: Int) {
    let capacity = Int.powerOfTwo(atLeast: Int((seconds * Double(sampleRate)).rounded(.up)))
    pointer = SongPointer(
      sound: buffers.stereo(capacity), capacity: capacity, marks: buffers.box(SongMarks()),
      sampleRate: sampleRate)
  }

  // MARK: - Producer

  /// The number of frames that can be written.
  package var room: Int {
    // Acquiring: the audio thread has finished reading these frames.
    pointer.capacity - marks.pointee.written.load(ordering: .relaxed)
      + marks.pointee.read.load(ordering: .acquiring)
  }

  /// Appends frames.
  ///
  /// There must be room for them.
  package func write(_ sound: Stereo, frames: Int) {
    precondition(frames <= room)
    let written = marks.pointee.written.load(ordering: .relaxed)
    var done = 0
    while done < frames {
      let start = (written + done) & (pointer.capacity - 1)
      let count = min(frames - done, pointer.capacity - start)
      sound.advanced(by: done).copy(to: pointer.sound.advanced(by: start), frames: count)
      done += count
    }
    marks.pointee.written.store(written + frames, ordering: .releasing)  // publishes the frames
  }

  /// Marks the end of the song.
  package func end() {
    marks.pointee.isEnded.store(true, ordering: .releasing)  // after the last frames
  }

  // MARK: - Observers

  // Independent values for display only, so relaxed loads suffice.

  /// The sample rate, in Hz.
  package var sampleRate: Int { pointer.sampleRate }
  /// The number of frames that the audio thread has read.
  package var framesRead: Int { marks.pointee.read.load(ordering: .relaxed) }
  /// The number of frames that have been played, if the player reports it.
  package var framesHeard: Int { marks.pointee.heard.load(ordering: .relaxed) }
  /// Whether the whole song has been played.
  package var isOver: Bool { marks.pointee.isOver.load(ordering: .relaxed) }
  /// Whether the audio thread is waiting for data.
  package var isWaitedFor: Bool { marks.pointee.isWaitedFor.load(ordering: .relaxed) }
  /// The number of underruns.
  package var waits: Int { marks.pointee.waits.load(ordering: .relaxed) }
}

/// The ring's shared state.
///
/// Positions are in frames since the first one.
struct SongMarks: ~Copyable {
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let heard = Atomic<Int>(0)
  let isEnded = Atomic<Bool>(false)
  let isOver = Atomic<Bool>(false)
  let isWaitedFor = Atomic<Bool>(false)
  let waits = Atomic<Int>(0)
}

/// The audio thread's end of a ring.
///
/// The owner keeps the ring alive until the audio thread has released it.
package struct SongPointer: BitwiseCopyable, @unchecked Sendable {
  let sound: Stereo
  let capacity: Int
  let marks: UnsafeMutablePointer<SongMarks>
  /// The sample rate, in Hz.
  package let sampleRate: Int

  /// Returns the number of readable frames, and whether no more will follow.
  @_noLocks
  package func framesAhead() -> (count: Int, isAll: Bool) {
    // Acquired before the count, so the count is final if the flag is set.
    let isAll = marks.pointee.isEnded.load(ordering: .acquiring)
    let written = marks.pointee.written.load(ordering: .acquiring)
    return (written &- marks.pointee.read.load(ordering: .relaxed), isAll)
  }

  /// Reads frames that are available.
  @_noLocks
  func read(to out: Stereo, frames: Int) {
    let read = marks.pointee.read.load(ordering: .relaxed)
    var done = 0
    while done < frames {
      let start = (read &+ done) & (capacity &- 1)
      let count = min(frames &- done, capacity &- start)
      sound.advanced(by: start).copy(to: out.advanced(by: done), frames: count)
      done &+= count
    }
    marks.pointee.read.store(read &+ frames, ordering: .releasing)  // frees their slots
  }

  /// Reports whether the reader waits for data.
  ///
  /// Underruns are counted, other waits aren't.
  @_noLocks
  package func tell(isWaiting: Bool, isCounted: Bool) {
    marks.pointee.isWaitedFor.store(isWaiting, ordering: .relaxed)
    if isCounted { marks.pointee.waits.add(1, ordering: .relaxed) }
  }

  /// Reports the number of frames played.
  @_noLocks
  package func tell(framesHeard frames: Int) {
    marks.pointee.heard.store(frames, ordering: .relaxed)
  }

  /// Reports that the whole song has been played.
  @_noLocks
  package func tellOver() { marks.pointee.isOver.store(true, ordering: .relaxed) }
}
