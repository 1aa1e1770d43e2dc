internal import DSP
internal import Synchronization

/// The harmony voices of the live input.
struct Harmonies: ~Copyable {
  /// The number of voices.
  static var count: Int { @_noLocks get { Parameter.harmonyVoices } }
  // The number of unvoiced rounds of the tracker that mute the voices: one is creaky voice.
  private static var patience: Int { @_noLocks get { 2 } }
  // The range of chord notes around the lead, in semitones: closer ones would double it.
  private static var farthest: Int { @_noLocks get { 14 } }
  private static var nearest: Float { @_noLocks get { 1.5 } }

  private let buffers = Buffers()
  private let voices: UnsafeMutablePointer<HarmonyVoice>
  private let intervals: UnsafeMutablePointer<HarmonyInterval>
  private let bank = SincBank()
  private var leading = VoiceLeading()
  private var finder: ChordFinder
  // The note that is sung, and the scale's note that is nearest to it.
  private var lead = PitchCorrector()
  private var inScale = PitchCorrector()
  private var isOn = SIMD4<UInt8>()
  private var isBypassed = false
  private var detunes = SIMD4<Float>()
  // The notes of the voices, as fractional MIDI note numbers; NaN for none.
  private var notes = SIMD4<Float>(repeating: .nan)
  private var unvoicedRounds = 0
  // The inputs of the last assignment of shared notes.
  private var chosenLead: Float = .nan
  private var chosenChord: UInt16 = 0
  private var chosenHeld = 0
  private var chosenOn = SIMD4<UInt8>()
  // The input whose chords are followed.
  private var chordInput = ChordInput.none
  /// The sound of all voices of the last block.
  let sound: Stereo
  /// Whether it is audible.
  private(set) var isSounding = false
  private var isPublished = false
  /// Whether no voice is needed; kept here, so that a block without harmonies reads none of the voices.
  private(set) var isOff = true

  init(sampleRate: Double) {
    voices = buffers.made(count: Self.count) { _ in HarmonyVoice(sampleRate: sampleRate) }
    intervals = buffers.filled(with: .thirdUp, count: Self.count)
    finder = ChordFinder(sampleRate: sampleRate)
    sound = buffers.stereo(SegmentMemory.longest)
    lead.isPatient = true
    inScale.isPatient = true
  }

  // MARK: - Parameters

  @_noLocks
  mutating func set(_ parameter: Parameter.Harmony, ofVoice index: Int, _ value: Float) {
    guard index < Self.count else { return }
    let voice = voices + index
    switch parameter {
    case .on:
      isOn[index] = value != 0 ? 1 : 0
      voice.pointee.setOn(value != 0 && !isBypassed)
      noteOff()
    case .interval:
      intervals[index] = HarmonyInterval(number: value)
      notes[index] = .nan
      chosenLead = .nan
    case .gain: voice.pointee.setGain(Level.gain(decibels: value))
    case .pan: voice.pointee.setPan(value)
    case .formant: voice.pointee.setFormant(semitones: value)
    case .detune: detunes[index] = value * 0.01
    case .delay: voice.pointee.setDelay(seconds: value * 0.001)
    }
  }

  /// Turns all voices off while the effects are bypassed.
  @_noLocks
  mutating func setBypassed(_ value: Bool) {
    if value == isBypassed { return }
    isBypassed = value
    for index in 0..<Self.count { voices[index].setOn(isOn[index] != 0 && !value) }
    noteOff()
  }

  /// Sets the input whose chords are followed; the other one is the voice.
  @_noLocks
  mutating func setChordInput(_ input: ChordInput) {
    chordInput = input
    finder.reset()
  }

  /// Applies all settings at once, before the first block.
  @_noLocks
  mutating func settle() {
    for index in 0..<Self.count { voices[index].settle() }
  }

  /// Updates whether no voice is needed, and resets all voices when the last one has ended.
  @_noLocks
  private mutating func noteOff() {
    let wasOff = isOff
    isOff = true
    for index in 0..<Self.count where !voices[index].isOff { isOff = false }
    if wasOff || !isOff { return }
    rest(frames: 0)
    lead.reset()
    inScale.reset()
  }

  /// Advances all voices through silence.
  @_noLocks
  private func rest(frames: Int) {
    for index in 0..<Self.count { voices[index].rest(frames: frames) }
  }

  private var usesChords: Bool {
    @_noLocks get {
      if case .none = chordInput { return false }
      for index in 0..<Self.count where isOn[index] != 0 && intervals[index].isChord { return true }
      return false
    }
  }

  // MARK: - Notes

  /// Sets the notes of all voices for a new result of the singer's pitch.
  @_noLocks
  mutating func follow(
    _ voice: borrowing SungVoice, _ singing: Singing, held: borrowing HeldPitches
  ) {
    if isOff { return }
    guard let pitch = voice.pitch, voice.isVoiced else {
      lead.rest(seconds: voice.secondsARound)
      inScale.rest(seconds: voice.secondsARound)
      unvoicedRounds &+= 1
      if unvoicedRounds >= Self.patience {
        for index in 0..<Self.count { voices[index].setShift(nil) }
      }
      return
    }
    unvoicedRounds = 0
    (lead.amount, lead.speed, lead.vibrato) = (singing.amount, singing.speed, singing.vibrato)
    lead.correct(pitch, measured: pitch, toward: singing.targets, seconds: voice.secondsARound)
    inScale.correct(
      pitch, measured: pitch, toward: singing.scaleTargets, seconds: voice.secondsARound)
    guard let note = lead.target, let inKey = inScale.target else { return }
    chooseShared(note, singing, held)
    for index in 0..<Self.count where isOn[index] != 0 {
      if !intervals[index].isShared {
        notes[index] = intervals[index].note(from: note, inKey: inKey, singing.scale)
      }
      let interval = notes[index] - note
      // False for NaN.
      if abs(interval) < 100 {
        voices[index].setShift(interval + lead.shift + detunes[index])
      } else {
        voices[index].setShift(nil)
      }
    }
  }

  /// Chooses the notes of the voices that share held notes or a chord.
  @_noLocks
  private mutating func chooseShared(
    _ lead: Float, _ singing: Singing, _ held: borrowing HeldPitches
  ) {
    let chord = usesChords ? finder.chord?.notes ?? 0 : 0
    let hasLeadMoved = lead != chosenLead
    let isOnChanged = any(isOn .!= chosenOn)
    if hasLeadMoved || isOnChanged || held.revision != chosenHeld {
      leading.removeAll()
      for index in 0..<held.count { leading.insert(held.pitch(index)) }
      share(isHeld: true, lead: lead, center: 0)
    }
    if hasLeadMoved || isOnChanged || chord != chosenChord {
      leading.removeAll()
      insert(chord, around: lead, singing)
      // Voices return halfway to their register.
      share(isHeld: false, lead: lead, center: 0.5)
    }
    (chosenLead, chosenChord, chosenHeld, chosenOn) = (lead, chord, held.revision, isOn)
  }

  @_noLocks
  private mutating func insert(_ chord: UInt16, around lead: Float, _ singing: Singing) {
    if chord == 0 { return }
    let first = max(0, Int(lead) &- Self.farthest)
    let last = min(KeyMap.keys &- 1, Int(lead) &+ Self.farthest &+ 1)
    if first > last { return }
    for key in first...last where chord &>> UInt16(key % 12) & 1 == 1 {
      // In the grid's tuning if it has twelve notes near those of the piano.
      let own = singing.own[key] * 0.01
      let note = abs(own - Float(key)) < 0.7 ? own : Float(key)
      if abs(note - lead) > Self.nearest { leading.insert(note) }
    }
  }

  /// Assigns the notes to the voices that are on and have that interval.
  @_noLocks
  private mutating func share(isHeld: Bool, lead: Float, center: Float) {
    var wishes = SIMD4<Float>()
    var members = SIMD4<Int>()
    var count = 0
    for index in 0..<Self.count
    where isOn[index] != 0 && intervals[index].isShared && intervals[index].isHeld == isHeld {
      let place = lead + Self.place(count)
      let former = notes[index]
      // False for NaN.
      wishes[count] = abs(former) < 1000 ? former + center * (place - former) : place
      members[count] = index
      count &+= 1
    }
    if count == 0 { return }
    let found = leading.assign(wishes, voices: count)
    for member in 0..<count { notes[members[member]] = found[member] }
  }

  /// The register of a voice, counted from the first one, in semitones above the lead.
  @_noLocks
  private static func place(_ member: Int) -> Float {
    member == 0 ? 4 : member == 1 ? 7.5 : member == 2 ? -5 : -8.5
  }

  /// Publishes notes and chord if they can have changed.
  @_noLocks
  mutating func publish(to shared: borrowing PublishedHarmonies) {
    if isOff && !isPublished { return }
    isPublished = !isOff
    for index in 0..<Self.count {
      shared.store(index, note: voices[index].isSinging ? notes[index] : -1)
    }
    shared.store(usesChords ? finder.chord : nil)
  }

  // MARK: - Sound

  /// Starts a block.
  @_noLocks
  mutating func begin() { isSounding = false }

  /// Detects the chords of an input.
  @_noLocks
  mutating func hear(_ input: Stereo, frames: Int) {
    if !usesChords { return }
    if case .left = chordInput {
      finder.process(input.left, frames: frames)
    } else {
      finder.process(input.right, frames: frames)
    }
  }

  /// Renders a piece of a block, `done` frames after its start; `pitch` is the singer's at its start, and `untilResult`
  /// the number of frames from there to the next result.
  @_noLocks
  mutating func render(
    _ voice: borrowing SungVoice, _ pitch: VoicePitch, untilResult: Int, from done: Int,
    frames: Int
  ) {
    if isOff { return }
    if voice.isSilent {
      rest(frames: frames)
      if isSounding { sound.advanced(by: done).clear(frames: frames) }
      noteOff()
      return
    }
    if !isSounding { sound.clear(frames: done) }
    isSounding = true
    sound.advanced(by: done).clear(frames: frames)
    var place = 0
    while place < frames {
      let left = (untilResult &- place &- 1) % WarpStep.longest &+ 1
      let count = min(frames &- place, left)
      let to = sound.advanced(by: done &+ place)
      for index in 0..<Self.count {
        if voices[index].isOff {
          voices[index].rest(frames: count)
        } else {
          voices[index].add(
            voice.tape, pitch, shares: voice.shares, behind: frames &- place &- count,
            startsStep: left == WarpStep.longest,
            bank: bank, to: to, frames: count)
        }
      }
      place &+= count
    }
    noteOff()
  }
}

/// The input whose chords harmony voices follow.
package enum ChordInput: BitwiseCopyable {
  case none, left, right

  @_noLocks
  init(number: Float) { self = number == 1 ? .left : number == 2 ? .right : .none }

  /// The sides of the voice.
  var voiceSides: VoiceSides {
    @_noLocks get {
      switch self {
      case .none: .both
      case .left: .right
      case .right: .left
      }
    }
  }
}

/// The settings of the pitch correction and the notes of the grid, which harmonies depend on.
struct Singing: BitwiseCopyable {
  /// The share of the error that is corrected, its time constant in seconds, and the share of the vibrato that is
  /// preserved.
  let amount: Float, speed: Float, vibrato: Float
  /// The notes that the lead can have.
  let targets: PitchTargets
  /// The notes of the grid's scale, and the same as targets.
  let scale: ScaleNotes, scaleTargets: PitchTargets
  /// The notes of all keys, in cents.
  let own: UnsafePointer<Float>
}
