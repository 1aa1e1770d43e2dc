internal import DSP
internal import Synchronization

/// Notes, whoever plays them, MIDI input, and the beat.
extension Core {
  /// Begins or ends notes, whoever plays them.
  @_noLocks
  mutating func play(_ action: NoteAction) {
    var action = action
    if case .on(var start) = action {
      // Nobody would end it any more.
      if case .some = leaving { return }
      // What is no number is no note, and ends the one before, as one without velocity does.
      let isNote = start.velocity > 0 && start.velocity.isFinite && start.cents.isFinite
      start.velocity = min(1, start.velocity)
      action = isNote ? .on(start) : .off(start.finger)
    }
    phrases.hear(action, at: present)
    budget.spend(voices: sampler.play(action, shared.notes))
    outbox.tell(action)
  }

  /// Plays what of the phrase is due.
  @_noLocks
  mutating func repeatPhrase() {
    while let action = phrases.turn(at: present) {
      wake()
      play(action)
    }
  }

  /// Ends what is recorded or played of the phrase.
  @_noLocks
  mutating func endPhrase() {
    while let action = phrases.stop(at: present) { play(action) }
  }

  // MARK: - MIDI

  /// Follows the messages up to a frame of the block; returns the place of the first that is later.
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
    case .bend(let semitones): sampler.bend(semitones: semitones)
    case .pressure(let value): sampler.pressure(value)
    case .control(let number, let value):
      shared.controllers.move(number, to: value)
      if shared.controllers.isBound(number) {
        // What it did before it was bound is not for ever.
        if number < 120 { sampler.control(number, MIDIInlet.rest(of: number)) }
        return
      }
      // All sound off, and all notes off, with those modes that mean it, too.
      if number == 120 || number >= 123 {
        wake()
        play(.allOff)
      }
      sampler.control(number, value)
    }
  }

  // MARK: - Beats

  /// Begins the click that is due.
  @_noLocks
  mutating func turnMetronome() {
    let isWanted = metronome.isOn || loops.isCountingIn(at: present)
    if metronome.turn(at: present, beats: loops.time.pointee.beats, isWanted: isWanted) { wake() }
  }

  /// Where a frame of the transport that so many frames after the last block begin lies among bars
  /// and beats.
  @_noLocks
  func position(after frames: Int, transportFrame: Int64) -> BarPosition {
    loops.time.pointee.beats.position(
      at: timeline.frame &+ Int64(frames), framesFromStart: transportFrame)
  }
}
