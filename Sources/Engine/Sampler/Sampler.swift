internal import DSP

/// The instrument of the grid: notes in, sound out.
struct Sampler: ~Copyable {
  // The fade of an instrument after two changes.
  private static var hurrySeconds: Float { @_noLocks get { 0.01 } }
  private static var panicSeconds: Float { @_noLocks get { 0.005 } }

  private enum Hold: BitwiseCopyable {
    case none, held, sustained
  }

  /// The note of a finger.
  private struct Touch: BitwiseCopyable {
    var note = VoiceNote(
      number: 0, finger: 0, instrument: 0, key: 0, cents: 0, velocity: 0, isLegato: false)
    var voices: UInt16 = 0
    var hold = Hold.none
  }

  /// Work that is due before anything else, because it publishes notes and needs their table.
  private struct Due: BitwiseCopyable {
    var all = false, silence = false
    // The sustained notes of MIDI keys, and of all other fingers.
    var keys = false, others = false

    var isAny: Bool { @_noLocks get { all || silence || keys || others } }
  }

  private var voices: SamplerVoices
  private var instruments = SamplerInstruments()
  private let buffers = Buffers()
  private let touches: UnsafeMutablePointer<Touch>
  // The number of fingers on each key.
  private let keys: UnsafeMutablePointer<UInt16>
  private var heldCount = 0
  private var sustainedCount = 0
  private var lastNumber: UInt32 = 0
  private var isSustained = false
  private var isPedalDown = false
  private var due = Due()
  // The number of voices started since the last action.
  private var begunNow = 0

  init(sampleRate: Double) {
    voices = SamplerVoices(sampleRate: sampleRate)
    touches = buffers.filled(with: Touch(), count: Finger.count)
    keys = buffers.filled(with: 0, count: 128)
  }

  /// Continues at another rate; cuts off all sound, and ends held notes.
  ///
  /// Call this only while nothing renders.
  mutating func begin(sampleRate: Double, _ notes: borrowing PublishedNotes) {
    voices.begin(sampleRate: sampleRate)
    letGo(notes)
    for number in 0..<Finger.count {
      touches[number].hold = .none
      notes.set(Finger(UInt16(number)), to: 0)
    }
    for key in 0..<128 { keys[key] = 0 }
    due = Due()
    (heldCount, sustainedCount) = (0, 0)
  }

  /// The number of active voices.
  var voiceCount: Int { @_noLocks get { voices.soundingCount } }

  /// Whether it is silent, and no answer is pending.
  var isAtRest: Bool { @_noLocks get { voices.isSilent && instruments.isSettled && !due.isAny } }

  // MARK: - Instruments

  /// Plays new notes with another instrument, or with none.
  ///
  /// `nextAnswer` reports when the former one is silent.
  @_noLocks
  mutating func change(_ change: InstrumentChange) {
    if let crowded = instruments.change(change) {
      voices.fadeOut(instrument: crowded, seconds: Self.hurrySeconds)
    }
  }

  /// An unanswered change whose former instrument was released.
  @_noLocks
  mutating func nextAnswer() -> InstrumentChange? { instruments.nextAnswer() }

  // MARK: - Notes

  /// Starts or ends notes from the next rendered frame on.
  ///
  /// Returns the number of voices that start.
  @_noLocks
  mutating func play(_ action: NoteAction, _ notes: borrowing PublishedNotes) -> Int {
    catchUp(notes)
    switch action {
    case .on(let start): begin(start, notes)
    case .off(let finger): lift(finger, notes)
    case .allOff: endAll(notes)
    }
    return begunNow
  }

  @_noLocks
  private mutating func begin(_ start: NoteStart, _ notes: borrowing PublishedNotes) {
    let place = Int(start.finger.number) & (Finger.count &- 1)
    end(place, notes)
    // NaN is no note.
    guard start.velocity > 0, start.cents.isFinite else { return }
    lastNumber &+= 1
    let key = min(start.key, 127)
    let note = VoiceNote(
      number: lastNumber, finger: UInt16(place), instrument: instruments.current, key: key,
      cents: max(-24_000, min(36_000, start.cents)), velocity: min(1, start.velocity),
      isLegato: heldCount > 0)
    var begun = 0
    if let pointer = instruments.pointer {
      begun = voices.begin(note, of: pointer, held: keys)
      begunNow &+= begun
      instruments.add(begun)
    }
    touches[place].note = note
    touches[place].voices = UInt16(begun)
    touches[place].hold = .held
    heldCount &+= 1
    keys[Int(key)] &+= 1
    notes.set(start.finger, to: begun > 0 ? note.velocity : 0)
    letGo(notes)
  }

  /// Whether the note of a finger continues when it is released.
  @_noLocks
  func sustains(_ finger: Finger) -> Bool { isSustained || isPedalDown && finger.isMIDI }

  /// Releases a finger.
  ///
  /// A sustained note continues.
  @_noLocks
  private mutating func lift(_ finger: Finger, _ notes: borrowing PublishedNotes) {
    let place = Int(finger.number) & (Finger.count &- 1)
    guard case .held = touches[place].hold else { return }
    guard sustains(finger) else {
      end(place, notes)
      return
    }
    leaveKey(place)
    touches[place].hold = .sustained
    sustainedCount &+= 1
  }

  @_noLocks
  private mutating func leaveKey(_ place: Int) {
    heldCount &-= 1
    let key = Int(touches[place].note.key)
    if keys[key] > 0 { keys[key] &-= 1 }
  }

  /// Ends the note of a finger, if it has one.
  @_noLocks
  private mutating func end(_ place: Int, _ notes: borrowing PublishedNotes) {
    switch touches[place].hold {
    case .none: return
    case .held: leaveKey(place)
    case .sustained: sustainedCount &-= 1
    }
    touches[place].hold = .none
    let note = touches[place].note
    if touches[place].voices > 0 { voices.release(note: note.number) }
    // The release belongs to the note's instrument, if that is still loaded. With more releases than
    // voices, the last would steal the first at once.
    if begunNow < SamplerVoices.count, let pointer = instruments.pointer(note.instrument) {
      let begun = voices.beginEnd(of: note, of: pointer, held: keys)
      begunNow &+= begun
      instruments.add(begun, to: note.instrument)
    }
    notes.set(Finger(UInt16(place)), to: 0)
    letGo(notes)
  }

  @_noLocks
  private mutating func endAll(_ notes: borrowing PublishedNotes) {
    if heldCount == 0 && sustainedCount == 0 { return }
    for place in 0..<Finger.count { end(place, notes) }
  }

  // MARK: - Sustain and hands

  /// Sets whether notes sustain after their release.
  ///
  /// Switching it off ends the sustained ones.
  @_noLocks
  mutating func setSustain(_ isOn: Bool) {
    isSustained = isOn
    if isOn { return }
    due.others = true
    if !isPedalDown { due.keys = true }
  }

  @_noLocks
  private mutating func setPedal(_ isDown: Bool) {
    isPedalDown = isDown
    if !isDown && !isSustained { due.keys = true }
  }

  /// Ends the notes that sustain and pedals have released.
  @_noLocks
  private mutating func catchUp(_ notes: borrowing PublishedNotes) {
    begunNow = 0
    guard due.isAny else { return }
    let due = due
    self.due = Due()
    if due.all { endAll(notes) }
    if due.silence { voices.fadeOut(instrument: nil, seconds: Self.panicSeconds) }
    if sustainedCount == 0 { return }
    for place in 0..<Finger.count {
      guard case .sustained = touches[place].hold else { continue }
      let isDue = Finger(UInt16(place)).isMIDI ? due.keys : due.others
      if isDue { end(place, notes) }
    }
  }

  /// Bends all notes, in semitones.
  @_noLocks
  mutating func bend(semitones: Float) { voices.controllers.setBend(semitones: semitones) }

  /// Handles a MIDI controller: 64 is the pedal of the MIDI keys, 120 silences all notes, and 123 ends them.
  @_noLocks
  mutating func control(_ number: UInt8, _ value: UInt8) {
    switch number {
    case 64: setPedal(value >= 64)
    case 120: (due.all, due.silence) = (true, true)
    case 121:
      setPedal(false)
      voices.controllers.reset()
    case 123...127: due.all = true
    default: voices.controllers.setControl(number, value)
    }
  }

  /// Applies pressure to all notes, from 0 to 1.
  @_noLocks
  mutating func pressure(_ value: Float) { voices.controllers.setPressure(value) }

  // MARK: - Sound

  /// Renders a block.
  ///
  /// Returns false, and writes nothing, if it is silent.
  @_noLocks
  mutating func render(to sound: Stereo, frames: Int, _ notes: borrowing PublishedNotes) -> Bool {
    catchUp(notes)
    let isSounding = voices.render(to: sound, frames: frames)
    letGo(notes)
    return isSounding
  }

  /// Counts the voices that have ended.
  @_noLocks
  private mutating func letGo(_ notes: borrowing PublishedNotes) {
    while let note = voices.takeOver() {
      instruments.remove(note.instrument)
      let place = Int(note.finger) & (Finger.count &- 1)
      // Voices of the finger's earlier notes do not count.
      guard touches[place].note.number == note.number, touches[place].voices > 0 else { continue }
      touches[place].voices &-= 1
      if touches[place].voices == 0 { notes.set(Finger(note.finger), to: 0) }
    }
  }
}
