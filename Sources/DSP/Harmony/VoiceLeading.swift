/// Assigns notes to voices: each voice moves as little as possible, and voices never cross.
package struct VoiceLeading: ~Copyable {
  /// The largest numbers of voices and notes.
  package static var mostVoices: Int { @_noLocks get { 4 } }
  package static var mostNotes: Int { @_noLocks get { 32 } }
  // The cost of a voice without a note, more than any distance: only if there are fewer notes than voices.
  private static var absence: Float { @_noLocks get { 1000 } }

  private let buffers = Buffers()
  // The notes, ascending.
  private let notes: UnsafeMutablePointer<Float>
  private var count = 0
  // The least total distance of the first voices from the first notes.
  private let costs: UnsafeMutablePointer<Float>
  private static var columns: Int { @_noLocks get { mostNotes &+ 1 } }

  package init() {
    notes = buffers.floats(Self.mostNotes)
    costs = buffers.floats((Self.mostVoices + 1) * Self.columns)
  }

  /// Removes all notes.
  @_noLocks
  package mutating func removeAll() { count = 0 }

  /// Adds a note, in semitones, unless it is there already or there is no room.
  @_noLocks
  package mutating func insert(_ note: Float) {
    var place = count
    while place > 0 && notes[place &- 1] >= note { place &-= 1 }
    if place < count && notes[place] == note { return }
    // False for NaN.
    guard count < Self.mostNotes && note > -1000 && note < 1000 else { return }
    var last = count
    while last > place {
      notes[last] = notes[last &- 1]
      last &-= 1
    }
    notes[place] = note
    count &+= 1
  }

  /// Returns the notes of `voices` voices whose wishes are in semitones; NaN for a voice without one.
  @_noLocks
  package func assign(_ wishes: SIMD4<Float>, voices: Int) -> SIMD4<Float> {
    let order = Self.order(wishes, voices: voices)
    for voice in 0...voices {
      for note in 0...count {
        cost(voice, note).pointee = least(voice, note, wishes, order)
      }
    }
    var result = SIMD4<Float>(repeating: .nan)
    var voice = voices
    var note = count
    while voice > 0 {
      let own = cost(voice, note).pointee
      if note > 0 && own == cost(voice, note &- 1).pointee {
        note &-= 1
      } else if own == cost(voice &- 1, note).pointee + Self.absence {
        voice &-= 1
      } else {
        voice &-= 1
        note &-= 1
        result[order[voice]] = notes[note]
      }
    }
    return result
  }

  @_noLocks
  private func cost(_ voice: Int, _ note: Int) -> UnsafeMutablePointer<Float> {
    costs + (voice &* Self.columns &+ note)
  }

  @_noLocks
  private func least(
    _ voice: Int, _ note: Int, _ wishes: SIMD4<Float>, _ order: SIMD4<Int>
  ) -> Float {
    if voice == 0 { return 0 }
    var least = cost(voice &- 1, note).pointee + Self.absence
    if note == 0 { return least }
    least = min(least, cost(voice, note &- 1).pointee)
    let distance = abs(wishes[order[voice &- 1]] - notes[note &- 1])
    return min(least, cost(voice &- 1, note &- 1).pointee + distance)
  }

  /// The indexes of the voices by ascending wishes.
  @_noLocks
  private static func order(_ wishes: SIMD4<Float>, voices: Int) -> SIMD4<Int> {
    var order = SIMD4<Int>(0, 1, 2, 3)
    var next = 1
    while next < voices {
      var place = next
      while place > 0 && wishes[order[place &- 1]] > wishes[order[place]] {
        let other = order[place]
        order[place] = order[place &- 1]
        order[place &- 1] = other
        place &-= 1
      }
      next &+= 1
    }
    return order
  }
}
