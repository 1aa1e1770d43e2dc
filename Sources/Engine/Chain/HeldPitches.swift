internal import DSP

/// The pitches of held notes, including those of the phrase.
struct HeldPitches: ~Copyable {
  private static var most: Int { @_noLocks get { 16 } }

  private let buffers = Buffers()
  // In cents above MIDI key 0, with the numbers of their fingers.
  private let cents: UnsafeMutablePointer<Float>
  private let fingers: UnsafeMutablePointer<UInt16>
  // Whether the finger is lifted, and the note only sustained.
  private let isLifted: UnsafeMutablePointer<Bool>
  private var bend: Float = 0
  private(set) var count = 0
  /// Changes with each note.
  private(set) var revision = 0

  init() {
    cents = buffers.floats(Self.most)
    fingers = buffers.filled(with: 0, count: Self.most)
    isLifted = buffers.filled(with: false, count: Self.most)
  }

  /// Handles a note on or off, sustained as by the sampler.
  @_noLocks
  mutating func hear(_ action: NoteAction, _ sampler: borrowing Sampler) {
    revision &+= 1
    switch action {
    case .on(let start):
      remove(start.finger)
      if count == Self.most { return }
      cents[count] = start.cents
      fingers[count] = start.finger.number
      isLifted[count] = false
      count &+= 1
    case .off(let finger):
      if sampler.sustains(finger) { lift(finger) } else { remove(finger) }
    case .allOff: count = 0
    }
  }

  /// Ends the notes of released fingers that the sampler no longer sustains.
  @_noLocks
  mutating func endSustained(_ sampler: borrowing Sampler) {
    revision &+= 1
    var index = 0
    while index < count {
      if isLifted[index] && !sampler.sustains(Finger(fingers[index])) {
        removeNote(index)
      } else {
        index &+= 1
      }
    }
  }

  /// Bends all notes, as `pitch` returns them.
  @_noLocks
  mutating func bend(semitones: Float) {
    if bend == semitones { return }
    bend = semitones
    revision &+= 1
  }

  @_noLocks
  private func lift(_ finger: Finger) {
    for index in 0..<count where fingers[index] == finger.number { isLifted[index] = true }
  }

  @_noLocks
  private mutating func removeNote(_ index: Int) {
    count &-= 1
    cents[index] = cents[count]
    fingers[index] = fingers[count]
    isLifted[index] = isLifted[count]
  }

  @_noLocks
  private mutating func remove(_ finger: Finger) {
    for index in 0..<count where fingers[index] == finger.number {
      removeNote(index)
      return
    }
  }

  /// A pitch, as a fractional MIDI note number.
  @_noLocks
  func pitch(_ index: Int) -> Float { cents[index] * 0.01 + bend }

  /// The pitches, in all octaves.
  var targets: PitchTargets {
    @_noLocks get { PitchTargets(cents: UnsafePointer(cents), count: count, inAllOctaves: true) }
  }
}
