internal import Synchronization

/// A song on its way from the disk to the audio thread: a ring of frames that one thread fills
/// and the other empties.
///
/// The control side makes it and keeps it alive until the audio thread has let it go.
package final class SongRing: @unchecked Sendable {
  /// The pointer that the audio thread is given.
  package let pointer: SongPointer
  private var marks: UnsafeMutablePointer<SongMarks> { pointer.marks }

  /// A ring that holds at least so many seconds at a rate in Hz.
  package init(seconds: Double, sampleRate: Int) {
    var capacity = 1
    while Double(capacity) < seconds * Double(sampleRate) { capacity *= 2 }
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * capacity)
    memory.initialize(repeating: 0, count: 2 * capacity)
    let marks = UnsafeMutablePointer<SongMarks>.allocate(capacity: 1)
    marks.initialize(to: SongMarks())
    pointer = SongPointer(
      sound: Stereo(memory, memory + capacity), capacity: capacity, marks: marks,
      sampleRate: sampleRate)
  }

  deinit {
    pointer.sound.left.deallocate()
    marks.deinitialize(count: 1)
    marks.deallocate()
  }

  // MARK: - The thread that fills it

  /// How many frames there is room for.
  package var room: Int {
    // Acquiring: the audio thread is done with what it has read.
    pointer.capacity - marks.pointee.written.load(ordering: .relaxed)
      + marks.pointee.read.load(ordering: .acquiring)
  }

  /// Appends frames for which there is room.
  package func write(_ sound: Stereo, frames: Int) {
    precondition(frames <= room)
    let written = marks.pointee.written.load(ordering: .relaxed)
    var done = 0
    while done < frames {
      let start = (written + done) & (pointer.capacity - 1)
      let count = min(frames - done, pointer.capacity - start)
      Blocks.copy(sound.left + done, to: pointer.sound.left + start, frames: count)
      Blocks.copy(sound.right + done, to: pointer.sound.right + start, frames: count)
      done += count
    }
    marks.pointee.written.store(written + frames, ordering: .releasing)  // publishes the frames
  }

  /// Says that nothing more will come.
  package func end() {
    marks.pointee.isEnded.store(true, ordering: .releasing)  // after the last frames
  }

  // MARK: - Whoever watches

  // Each is whole in itself, and only told: relaxed.

  /// Its rate in Hz.
  package var sampleRate: Int { pointer.sampleRate }
  /// How many frames the audio thread has taken so far.
  package var framesRead: Int { marks.pointee.read.load(ordering: .relaxed) }
  /// How many frames of it were heard, where whoever hears them tells that.
  package var framesHeard: Int { marks.pointee.heard.load(ordering: .relaxed) }
  /// Whether all of it was heard.
  package var isOver: Bool { marks.pointee.isOver.load(ordering: .relaxed) }
  /// Whether the audio thread waits for more.
  package var isWaitedFor: Bool { marks.pointee.isWaitedFor.load(ordering: .relaxed) }
  /// How many times the audio thread had to wait for more.
  package var waits: Int { marks.pointee.waits.load(ordering: .relaxed) }
}

/// The progress of both sides, in frames from the ring's first.
struct SongMarks: ~Copyable {
  let written = Atomic<Int>(0)
  let read = Atomic<Int>(0)
  let heard = Atomic<Int>(0)
  let isEnded = Atomic<Bool>(false)
  let isOver = Atomic<Bool>(false)
  let isWaitedFor = Atomic<Bool>(false)
  let waits = Atomic<Int>(0)
}

/// A pointer to a ring: the audio thread's end of it.
///
/// Whoever hands it over keeps the ring alive until it is told that it was let go.
package struct SongPointer: BitwiseCopyable, @unchecked Sendable {
  let sound: Stereo
  let capacity: Int
  let marks: UnsafeMutablePointer<SongMarks>
  /// Its rate in Hz.
  package let sampleRate: Int

  /// Counts the frames that are there to be read; all that will ever be where that is known.
  @_noLocks
  package func framesAhead() -> (count: Int, isAll: Bool) {
    // Acquiring, and before the count: then that is the last one.
    let isAll = marks.pointee.isEnded.load(ordering: .acquiring)
    let written = marks.pointee.written.load(ordering: .acquiring)
    return (written &- marks.pointee.read.load(ordering: .relaxed), isAll)
  }

  /// Reads frames that are there.
  @_noLocks
  func read(to out: Stereo, frames: Int) {
    let read = marks.pointee.read.load(ordering: .relaxed)
    var done = 0
    while done < frames {
      let start = (read &+ done) & (capacity &- 1)
      let count = min(frames &- done, capacity &- start)
      Blocks.copy(sound.left + start, to: out.left + done, frames: count)
      Blocks.copy(sound.right + start, to: out.right + done, frames: count)
      done &+= count
    }
    marks.pointee.read.store(read &+ frames, ordering: .releasing)  // frees their places
  }

  /// Tells that it waits for more; counted where it was not meant to.
  @_noLocks
  package func tell(isWaiting: Bool, isCounted: Bool) {
    marks.pointee.isWaitedFor.store(isWaiting, ordering: .relaxed)
    if isCounted { marks.pointee.waits.add(1, ordering: .relaxed) }
  }

  /// Tells how many frames of it were heard.
  @_noLocks
  package func tell(framesHeard frames: Int) {
    marks.pointee.heard.store(frames, ordering: .relaxed)
  }

  /// Tells that all of it was heard.
  @_noLocks
  package func tellOver() { marks.pointee.isOver.store(true, ordering: .relaxed) }
}
