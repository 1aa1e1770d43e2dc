internal import DSP

/// The instrument of the grid: notes in, sound out.
struct Sampler: ~Copyable {
  init(sampleRate: Double) {}

  /// Whether nothing sounds, and nothing is held.
  var isAtRest: Bool { @_noLocks get { true } }

  /// Does something with notes, from the next frame that is rendered on.
  @_noLocks
  mutating func play(_ action: NoteAction, _ notes: borrowing PublishedNotes) {
    switch action {
    case .on(let start): notes.set(start.finger, to: start.velocity)
    case .off(let finger): notes.set(finger, to: 0)
    case .allOff: break
    }
  }

  /// Renders a block; false, and nothing written, where it is silent.
  @_noLocks
  mutating func render(to sound: Stereo, frames: Int) -> Bool { false }
}
