/// The note of a harmony voice.
package enum HarmonyInterval: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case octaveDown, sixthDown, fifthDown, fourthDown, thirdDown, unison
  case thirdUp, fourthUp, fifthUp, sixthUp, octaveUp
  /// A note that is held on the grid or a MIDI keyboard.
  case held
  /// A note of the chord that another input plays.
  case chord

  @_noLocks
  init(number: Float) {
    let index = number > 0 && number < 13 ? UInt8(number) : 0
    self = unsafeBitCast(index, to: HarmonyInterval.self)
  }

  private var number: Int { @_noLocks get { Int(unsafeBitCast(self, to: UInt8.self)) } }

  /// The position in the list of intervals, from the unison; 5 is an octave.
  private var distance: Int { @_noLocks get { number &- 5 } }

  /// Whether the note is one of several that voices share among them.
  var isShared: Bool { @_noLocks get { number >= 11 } }
  /// Whether the note is of a chord.
  var isChord: Bool { @_noLocks get { number == 12 } }
  /// Whether the note is held.
  var isHeld: Bool { @_noLocks get { number == 11 } }

  /// Returns the note for a lead note and the note of the scale nearest to it, in semitones.
  @_noLocks
  func note(from lead: Float, inKey: Float, _ scale: ScaleNotes) -> Float {
    let size = abs(distance)
    if size == 0 { return lead }
    if size == 5 { return lead + (distance > 0 ? 12 : -12) }
    // A third is two steps.
    return scale.note(from: inKey, steps: size &+ 1, isUp: distance > 0)
  }
}

/// The notes of the grid's scale.
struct ScaleNotes: BitwiseCopyable {
  private static var keys: Int { @_noLocks get { 128 } }
  // Notes that are closer are the same, in cents.
  private static var same: Float { @_noLocks get { 0.5 } }

  private let cents: UnsafePointer<Float>

  /// Creates a scale from the notes of all MIDI keys, in cents above key 0; the memory must outlive it.
  @_noLocks
  init(snapped: UnsafePointer<Float>) { cents = snapped }

  /// Returns the note some steps above or below a note of the scale, in semitones.
  ///
  /// In scales of other than seven notes it is the one nearest to an interval of that many steps in seven.
  @_noLocks
  func note(from lead: Float, steps: Int, isUp: Bool) -> Float {
    let start = nearest(to: 100 * lead)
    if notesPerOctave(at: start) != 7 {
      return cents[
        nearest(to: 100 * lead + (isUp ? Self.cents(of: steps) : 0 - Self.cents(of: steps)))] * 0.01
    }
    var key = start
    for _ in 0..<steps { key = next(after: key, isUp: isUp) }
    return cents[key] * 0.01
  }

  @_noLocks
  private static func cents(of steps: Int) -> Float {
    steps == 2 ? 360 : steps == 3 ? 500 : steps == 4 ? 700 : 860
  }

  @_noLocks
  private func nearest(to pitch: Float) -> Int {
    var best = 0
    for key in 1..<Self.keys where abs(cents[key] - pitch) < abs(cents[best] - pitch) { best = key }
    return best
  }

  /// The first key with the next note, or the same key at the end of the keyboard.
  @_noLocks
  private func next(after key: Int, isUp: Bool) -> Int {
    var other = key
    while true {
      other = isUp ? other &+ 1 : other &- 1
      if other < 0 || other >= Self.keys { return key }
      let distance = cents[other] - cents[key]
      if isUp ? distance > Self.same : distance < 0 - Self.same { return other }
    }
  }

  @_noLocks
  private func notesPerOctave(at start: Int) -> Int {
    var key = start
    var count = 0
    while count < 64 {
      let other = next(after: key, isUp: true)
      if other == key || cents[other] > cents[start] + 1200 + Self.same { return count }
      key = other
      count &+= 1
    }
    return count
  }
}
