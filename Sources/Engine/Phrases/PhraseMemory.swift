internal import Synchronization

/// The state of a phrase: recorded, played, or neither.
package enum PhraseState: UInt8, BitwiseCopyable, Sendable {
  case stopped, recording, playing

  var byte: UInt8 {
    // The real-time check doesn't see the getter of a raw value; the byte is what it would be.
    @_noLocks get { unsafeBitCast(self, to: UInt8.self) }
  }
}

/// A note that begins or ends somewhere in a phrase.
package struct PhraseEvent: BitwiseCopyable, Sendable {
  /// Frames from the beginning of the phrase, at its rate.
  package var frame: Int
  /// Whether it begins; else what it was is ended.
  package var isTouch: Bool
  /// The note.
  package var note: NoteStart

  @_noLocks
  init(frame: Int, isTouch: Bool, note: NoteStart) {
    self.frame = frame
    self.isTouch = isTouch
    self.note = note
  }
}

/// The notes of one phrase, as the audio thread writes them down.
///
/// The control side makes it and keeps it alive until the audio thread has let it go: until the
/// command that brings another one was answered. What was written stays as it is.
package final class PhraseMemory: @unchecked Sendable {
  /// The most notes that it holds.
  package let mostTouches: Int
  /// The pointer that the audio thread is given.
  package let pointer: PhrasePointer
  private var marks: UnsafeMutablePointer<PhraseMarks> { pointer.marks }

  /// Room for so many notes, and so many seconds.
  package init(mostTouches: Int, seconds: Double) {
    self.mostTouches = mostTouches
    let events = UnsafeMutablePointer<PhraseEvent>.allocate(capacity: 2 * mostTouches)
    let nothing = NoteStart(finger: .key(0), key: 0, cents: 0, velocity: 0)
    events.initialize(
      repeating: PhraseEvent(frame: 0, isTouch: false, note: nothing), count: 2 * mostTouches)
    let marks = UnsafeMutablePointer<PhraseMarks>.allocate(capacity: 1)
    marks.initialize(to: PhraseMarks())
    pointer = PhrasePointer(
      events: events, mostTouches: mostTouches, seconds: seconds, marks: marks)
  }

  deinit {
    pointer.events.deallocate()
    marks.deinitialize(count: 1)
    marks.deallocate()
  }

  // What is whole in itself, and only told, is relaxed.

  /// Its state.
  package var state: PhraseState {
    PhraseState(rawValue: marks.pointee.state.load(ordering: .relaxed)) ?? .stopped
  }

  /// How many notes there are so far.
  package var touches: Int { marks.pointee.touches.load(ordering: .relaxed) }

  /// How long it is so far, in seconds.
  package var length: Double { seconds(marks.pointee.length.load(ordering: .relaxed)) }

  /// How far it is recorded or played, in seconds.
  package var position: Double { seconds(marks.pointee.position.load(ordering: .relaxed)) }

  /// How many of the events were played since it was begun the last time, and how many before that.
  package var eventsPlayed: (now: Int, before: Int) {
    let all = marks.pointee.played.load(ordering: .relaxed)
    // Begun anew meanwhile, it is as if nothing had been played yet.
    let before = marks.pointee.before.load(ordering: .relaxed)
    return (max(0, all - before), before)
  }

  /// How many events were written so far.
  package var eventCount: Int {
    // Acquiring: the events are there.
    marks.pointee.written.load(ordering: .acquiring)
  }

  /// An event that was written; they lie in the order of their times.
  package func event(_ index: Int) -> PhraseEvent {
    precondition(0..<eventCount ~= index)
    return pointer.events[index]
  }

  private func seconds(_ frames: Int) -> Double {
    let rate = marks.pointee.rate.load(ordering: .relaxed)
    return rate > 0 ? Double(frames) / Double(rate) : 0
  }
}

/// The progress of a phrase, in frames of its own rate.
struct PhraseMarks: ~Copyable {
  let state = Atomic<UInt8>(0)
  let rate = Atomic<Int>(0)
  let written = Atomic<Int>(0)
  let touches = Atomic<Int>(0)
  let length = Atomic<Int>(0)
  let position = Atomic<Int>(0)
  let played = Atomic<Int>(0)
  let before = Atomic<Int>(0)
}

/// A pointer to a phrase's memory: the audio thread's end of it.
package struct PhrasePointer: BitwiseCopyable, @unchecked Sendable {
  let events: UnsafeMutablePointer<PhraseEvent>
  let mostTouches: Int
  let seconds: Double
  let marks: UnsafeMutablePointer<PhraseMarks>
}
