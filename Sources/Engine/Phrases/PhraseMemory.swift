internal import DSP
internal import Synchronization

/// The state of a phrase: recorded, played, or neither.
package enum PhraseState: UInt8, BitwiseCopyable, Sendable {
  case stopped, recording, playing
}

/// A note that starts or ends in a phrase.
package struct PhraseEvent: BitwiseCopyable, Sendable {
  /// Its position in the phrase, in frames of its rate.
  package var frame: Int
  /// Whether the note starts; otherwise it ends.
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

/// The notes of one phrase, as the audio thread records them.
///
/// The control side creates it and keeps it alive until the audio thread has released it: until the command
/// that sets another one was answered. Recorded events do not change.
package final class PhraseMemory: @unchecked Sendable {
  /// The maximum number of notes.
  package let mostTouches: Int
  /// The pointer for the audio thread.
  package let pointer: PhrasePointer
  private let buffers = Buffers()
  private var marks: UnsafeMutablePointer<PhraseMarks> { pointer.marks }

  /// Allocates memory for a number of notes and a length in seconds.
  package init(mostTouches: Int, seconds: Double) {
    self.mostTouches = mostTouches
    let nothing = NoteStart(finger: .key(0), key: 0, cents: 0, velocity: 0)
    let events = buffers.filled(
      with: PhraseEvent(frame: 0, isTouch: false, note: nothing), count: 2 * mostTouches)
    pointer = PhrasePointer(
      events: events, mostTouches: mostTouches, seconds: seconds,
      marks: buffers.box(PhraseMarks()))
  }

  // Independent values that are only reported are relaxed.

  /// Its state.
  package var state: PhraseState {
    PhraseState(rawValue: marks.pointee.state.load(ordering: .relaxed)) ?? .stopped
  }

  /// The number of notes so far.
  package var touches: Int { marks.pointee.touches.load(ordering: .relaxed) }

  /// Its length so far, in seconds.
  package var length: Double { seconds(marks.pointee.length.load(ordering: .relaxed)) }

  /// The position of recording or playing, in seconds.
  package var position: Double { seconds(marks.pointee.position.load(ordering: .relaxed)) }

  /// The number of events played since the last start, and before that.
  package var eventsPlayed: (now: Int, before: Int) {
    let all = marks.pointee.played.load(ordering: .relaxed)
    // After a restart in between, nothing has been played yet.
    let before = marks.pointee.before.load(ordering: .relaxed)
    return (max(0, all - before), before)
  }

  /// The number of events so far.
  package var eventCount: Int {
    // Acquiring: the events are written.
    marks.pointee.written.load(ordering: .acquiring)
  }

  /// A recorded event; events are in the order of their positions.
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

/// A pointer to the memory of a phrase: the audio thread's end of it.
package struct PhrasePointer: BitwiseCopyable, @unchecked Sendable {
  let events: UnsafeMutablePointer<PhraseEvent>
  let mostTouches: Int
  let seconds: Double
  let marks: UnsafeMutablePointer<PhraseMarks>
}
