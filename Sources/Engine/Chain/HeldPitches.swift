internal import DSP

/// The pitches of held notes, including those of the phrase.
struct HeldPitches: ~Copyable {
  private static var most: Int { @_noLocks get { 16 } }

  private let buffers = Buffers()
  // In cents above MIDI key 0, with the numbers of their fingers.
  private let cents: UnsafeMutablePointer<Float>
  private let fingers: UnsafeMutablePointer<UInt16>
  private(set) var count = 0
  /// Changes with each note.
  private(set) var revision = 0

  init() {
    cents = buffers.floats(Self.most)
    fingers = buffers.filled(with: 0, count: Self.most)
  }

  /// Handles a note on or off.
  @_noLocks
  mutating func hear(_ action: NoteAction) {
    revision &+= 1
    switch action {
    case .on(let start):
      remove(start.finger)
      if count == Self.most { return }
      cents[count] = start.cents
      fingers[count] = start.finger.number
      count &+= 1
    case .off(let finger): remove(finger)
    case .allOff: count = 0
    }
  }

  @_noLocks
  private mutating func remove(_ finger: Finger) {
    for index in 0..<count where fingers[index] == finger.number {
      count &-= 1
      cents[index] = cents[count]
      fingers[index] = fingers[count]
      return
    }
  }

  /// A pitch, as a fractional MIDI note number.
  @_noLocks
  func pitch(_ index: Int) -> Float { cents[index] * 0.01 }

  /// The pitches, in all octaves.
  var targets: PitchTargets {
    @_noLocks get { PitchTargets(cents: UnsafePointer(cents), count: count, inAllOctaves: true) }
  }
}
