package import DSP
internal import Synchronization

/// The notes of the harmony voices, and the chord that they follow, published by the audio thread.
///
/// Relaxed throughout: each is independent, and readers poll.
package struct PublishedHarmonies: ~Copyable, @unchecked Sendable {
  private let notes = AtomicArray<UInt32>(
    repeating: Float(-1).bitPattern, count: Parameter.harmonyVoices)
  // Root and shape in two bytes, from 1; 0 for none.
  private let chordBits = Atomic<UInt32>(0)

  /// Stores the note of a voice, as a fractional MIDI note number, or -1 for none.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func store(_ voice: Int, note: Float) {
    notes[voice].store(note.bitPattern, ordering: .relaxed)
  }

  /// Stores the chord.
  ///
  /// Audio thread.
  @_noLocks
  borrowing func store(_ chord: Chord?) {
    if let chord {
      chordBits.store(UInt32(chord.bits) &+ 1, ordering: .relaxed)
    } else {
      chordBits.store(0, ordering: .relaxed)
    }
  }

  /// The note of a voice, or -1 for none.
  package func note(_ voice: Int) -> Float {
    Float(bitPattern: notes[voice].load(ordering: .relaxed))
  }

  /// The chord, or nil for none.
  package var chord: Chord? {
    let bits = chordBits.load(ordering: .relaxed)
    return bits == 0 ? nil : Chord(bits: UInt16(bits - 1))
  }
}
