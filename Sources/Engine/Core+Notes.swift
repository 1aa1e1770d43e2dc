internal import DSP
internal import Synchronization

/// Notes of all sources, MIDI input, and the beat.
extension Core {
  /// Starts or ends notes of any source.
  @_noLocks
  mutating func play(_ action: NoteAction) {
    var action = action
    if case .on(var start) = action {
      // No event would end it.
      if presence.isLeaving { return }
      // NaN starts no note, and ends the previous one, like a velocity of 0.
      let isNote = start.velocity > 0 && start.velocity.isFinite && start.cents.isFinite
      start.velocity = min(1, start.velocity)
      action = isNote ? .on(start) : .off(start.finger)
    }
    phrases.hear(action, at: present)
    chain.input.tune.held.hear(action, sampler)
    commands.budget.spend(voices: sampler.play(action, shared.notes))
    outbox.tell(action)
  }

  /// Plays the due notes of the phrase.
  @_noLocks
  mutating func repeatPhrase() {
    while let action = phrases.nextDue(at: present) {
      wake()
      play(action)
    }
  }

  /// Ends recording or playing the phrase.
  @_noLocks
  mutating func endPhrase() {
    while let action = phrases.stop(at: present) { play(action) }
  }

  // MARK: - MIDI

  /// Applies a controller to the instrument, and a released pedal to the held notes of tune and harmonies.
  @_noLocks
  mutating func control(_ number: UInt8, _ value: UInt8) {
    sampler.control(number, value)
    // The pedal, and the reset of all controllers.
    if number == 64 || number == 121 { chain.input.tune.held.endSustained(sampler) }
  }

  /// Bends all notes, also the held ones of harmonies.
  @_noLocks
  mutating func bend(semitones: Float) {
    sampler.bend(semitones: semitones)
    chain.input.tune.held.bend(semitones: semitones)
  }

  /// Handles the messages up to a frame of the block.
  ///
  /// Returns the index of the first later one.
  @_noLocks
  mutating func receiveMIDI(_ midi: MIDIBlock, from first: Int, at frame: Int) -> Int {
    var place = first
    while place < midi.count && Int(midi[place].frame) <= frame {
      if !followPedal(midi[place]) { follow(inlet.meaning(of: midi[place])) }
      place &+= 1
    }
    return place
  }

  @_noLocks
  mutating func follow(_ meaning: MIDIInlet.Meaning) {
    switch meaning {
    case .nothing: return
    case .note(let action):
      wake()
      play(action)
    case .bend(let semitones): bend(semitones: semitones)
    case .pressure(let value): sampler.pressure(value)
    case .control(let number, let value):
      shared.controllers.move(number, to: value)
      if shared.controllers.isBound(number) {
        // Its effect from before it was bound is reset.
        if number < 120 { control(number, MIDIInlet.rest(of: number)) }
        return
      }
      // All sound off, all notes off, and the modes that imply it.
      if number == 120 || number >= 123 {
        wake()
        play(.allOff)
      }
      control(number, value)
    }
  }

  /// Ends what the keys, wheels and pedals of a device hold that is gone.
  ///
  /// Keys of other devices at the same port end, too: MIDI doesn't say which device holds them.
  @_noLocks
  mutating func releaseMIDI() {
    liftMIDIPedals()
    for key in 0..<128 { play(.off(.midi(UInt8(key)))) }
    // Sustain, sostenuto and soft pedal.
    control(64, 0)
    control(66, 0)
    control(67, 0)
    inlet.center()
    bend(semitones: 0)
    sampler.pressure(0)
  }

  // MARK: - Beats

  /// Starts the click that is due.
  @_noLocks
  mutating func startDueClick() {
    let isWanted = metronome.isOn || loops.isCountingIn(at: present)
    if metronome.advance(to: present, beats: loops.time.pointee.beats, isWanted: isWanted) {
      wake()
    }
  }

  /// The bar and beat of a frame of the transport, `frames` after the start of the last block.
  @_noLocks
  func position(after frames: Int, transportFrame: Int64) -> BarPosition {
    loops.time.pointee.beats.position(
      at: time.blockStart &+ Int64(frames), framesFromStart: transportFrame)
  }
}
