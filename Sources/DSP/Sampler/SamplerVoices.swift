internal import CRealtime

/// All voices of a sampler: a note begins one for each region that it fits.
///
/// When all are in use, the softest one that is released gives way, or else the softest; it fades
/// out on one of a few places more, so that nothing clicks.
package struct SamplerVoices: ~Copyable, @unchecked Sendable {
  /// How many sound at the same time, besides those that fade out.
  package static var count: Int { @_noLocks get { 128 } }
  private static var places: Int { @_noLocks get { 160 } }
  private static var fadeSeconds: Float { @_noLocks get { 0.005 } }
  // What ends another note, as a closed hi-hat an open one.
  private static var chokeSeconds: Float { @_noLocks get { 0.008 } }
  // More layers than any instrument has.
  private static var mostLayers: Int { @_noLocks get { 16 } }

  private let anchor = Anchor()
  private let voices: UnsafeMutablePointer<SamplerVoice>
  // The places in use, in the order in which they were begun, and those that are not.
  private let active: UnsafeMutablePointer<UInt8>
  private let free: UnsafeMutablePointer<UInt8>
  private let over: UnsafeMutablePointer<VoiceNote>
  private let none: UnsafeMutablePointer<SamplerRegion>
  private let noModulator: UnsafeMutablePointer<SamplerModulator>
  private let silence: SoundMemory
  private let noSound: UnsafeMutablePointer<SamplerSound>
  // The steps of all, and one more.
  private let steps: UnsafeMutablePointer<Float>
  private let spare: Stereo
  private let reader = SampleReader()
  private var controllers = SamplerControllers()
  private var activeCount = 0
  private var freeCount: Int
  private var fadingCount = 0
  private var overCount = 0
  private var sampleRate: Float
  private var dice: UInt32 = 0x9E37_79B9
  private var previousKey = SamplerRegion.noKey

  /// Voices, none of which sounds.
  package init(sampleRate: Double) {
    self.sampleRate = Float(sampleRate)
    voices = .allocate(capacity: Self.places)
    active = .allocate(capacity: Self.places)
    free = .allocate(capacity: Self.places)
    over = .allocate(capacity: Self.places)
    none = .allocate(capacity: 1)
    none.initialize(to: SamplerRegion())
    noModulator = .allocate(capacity: 1)
    noModulator.initialize(
      to: SamplerModulator(source: .init(.constant), target: .pitch, amount: 0))
    silence = SoundMemory()
    noSound = .allocate(capacity: 1)
    noSound.initialize(to: silence.sound)
    active.initialize(repeating: 0, count: Self.places)
    let note = VoiceNote(
      number: 0, finger: 0, instrument: 0, key: 0, cents: 0, velocity: 0, isLegato: false)
    over.initialize(repeating: note, count: Self.places)
    let length = VoiceEnvelope.usualStep
    steps = .allocate(capacity: 2 * length * (Self.places + 1))
    steps.initialize(repeating: 0, count: 2 * length * (Self.places + 1))
    for place in 0..<Self.places {
      let step = steps + 2 * length * place
      (free + place).initialize(to: UInt8(Self.places - 1 - place))
      (voices + place).initialize(
        to: SamplerVoice(
          region: none, modulators: noModulator, sound: noSound,
          step: Stereo(step, step + length)))
    }
    spare = Stereo(
      steps + 2 * length * Self.places, steps + (2 * Self.places + 1) * length)
    freeCount = Self.places
  }

  deinit {
    voices.deinitialize(count: Self.places)
    voices.deallocate()
    active.deallocate()
    free.deallocate()
    over.deallocate()
    none.deallocate()
    noModulator.deallocate()
    noSound.deallocate()
    steps.deallocate()
  }

  /// Goes over to another rate in Hz: whatever sounds is cut off.
  package mutating func begin(sampleRate: Double) {
    self.sampleRate = Float(sampleRate)
    overCount = 0
    for index in 0..<activeCount { end(Int(active[index])) }
    activeCount = 0
    fadingCount = 0
  }

  /// Whether nothing sounds.
  package var isSilent: Bool { @_noLocks get { activeCount == 0 } }

  /// How many sound, with those that fade out.
  package var soundingCount: Int { @_noLocks get { activeCount } }

  // MARK: - Hands

  /// Bends all pitches by so many semitones.
  @_noLocks
  package mutating func setBend(semitones: Float) { controllers.setBend(semitones: semitones) }

  /// Presses with a force from 0 to 1.
  @_noLocks
  package mutating func setPressure(_ value: Float) { controllers.setPressure(value) }

  /// Moves a controller, 0 to 127, to a value from 0 to 127.
  @_noLocks
  package mutating func setControl(_ number: UInt8, _ value: UInt8) {
    controllers.setControl(number, value)
  }

  /// Puts all that hands move where it is at the beginning.
  @_noLocks
  package mutating func resetControls() { controllers.reset() }

  // MARK: - Notes

  /// Begins a note of an instrument; how many voices it has.
  ///
  /// `held` says for each of the 128 keys how many fingers are on it, this note's not among them.
  @_noLocks
  package mutating func begin(
    _ note: VoiceNote, of instrument: InstrumentPointer, held: UnsafePointer<UInt16>
  ) -> Int {
    let key = min(note.key, 127)
    let state = instrument.state
    for place in 0..<state.switchCount {
      let keys = instrument.regions[Int(state.switched[place])].switchKeys
      if keys.low <= key && key <= keys.high { state.switches[place] = key }
    }
    let begun = begin(note, of: instrument, instrument.attacks, held: held)
    previousKey = key
    return begun
  }

  /// Begins what sounds when a note ends; how many voices it has.
  @_noLocks
  package mutating func beginEnd(
    of note: VoiceNote, of instrument: InstrumentPointer, held: UnsafePointer<UInt16>
  ) -> Int {
    begin(note, of: instrument, instrument.releases, held: held)
  }

  @_noLocks
  private mutating func begin(
    _ note: VoiceNote, of instrument: InstrumentPointer, _ lists: KeyLists,
    held: UnsafePointer<UInt16>
  ) -> Int {
    // From 1 on: at 0 it would be no note.
    let velocity = UInt8(max(1, min(127, note.velocity * 127 + 0.5)))
    let list = lists.regions(key: Int(min(note.key, 127)))
    let chance = roll()
    var begun = 0
    var hasStandIn = false
    for index in 0..<list.count {
      let place = Int(list.first[index])
      let region = instrument.regions + place
      guard region.pointee.velocities.low <= velocity, velocity <= region.pointee.velocities.high,
        region.pointee.chance.low <= chance, chance < region.pointee.chance.high,
        fits(note, region, place, instrument, held: held),
        hasTurn(region, place, instrument)
      else { continue }
      let player = instrument.parts.player(of: place)
      if player != place { hasStandIn = true }
      if player < 0 || hasStandIn && isPlaying(note, instrument.regions + player) { continue }
      if region.pointee.group != 0 { choke(region.pointee.group, except: note.number) }
      guard begun < Self.mostLayers, let voice = claimPlace() else { break }
      voices[voice].begin(
        note, UnsafePointer(instrument.regions + player), of: instrument, controllers,
        sampleRate: sampleRate)
      active[activeCount] = UInt8(voice)
      activeCount &+= 1
      begun &+= 1
    }
    return begun
  }

  /// Whether a note has a region already, which stands in for another layer of it.
  @_noLocks
  private func isPlaying(
    _ note: VoiceNote, _ region: UnsafeMutablePointer<SamplerRegion>
  ) -> Bool {
    for index in 0..<activeCount {
      let place = Int(active[index])
      if voices[place].note.number == note.number && voices[place].plays(region) { return true }
    }
    return false
  }

  @_noLocks
  private func fits(
    _ note: VoiceNote, _ region: UnsafeMutablePointer<SamplerRegion>, _ place: Int,
    _ instrument: InstrumentPointer, held: UnsafePointer<UInt16>
  ) -> Bool {
    switch region.pointee.trigger {
    case .first: if note.isLegato { return false }
    case .legato: if !note.isLegato { return false }
    case .attack, .release: break
    }
    let none = SamplerRegion.noKey
    let last = region.pointee.switchLast
    let switches = Int(instrument.state.placeOfSwitches[place])
    if last != none, switches >= 0, instrument.state.switches[switches] != last { return false }
    let (down, up) = (region.pointee.switchDown, region.pointee.switchUp)
    if down != none, held[Int(down & 127)] == 0 { return false }
    if up != none, held[Int(up & 127)] > 0 { return false }
    let previous = region.pointee.switchPrevious
    return previous == none || previous == previousKey
  }

  /// Whether it is a region's turn; counts.
  @_noLocks
  private func hasTurn(
    _ region: UnsafeMutablePointer<SamplerRegion>, _ place: Int, _ instrument: InstrumentPointer
  ) -> Bool {
    let length = region.pointee.turn.length
    if length <= 1 { return true }
    let turn = instrument.state.turns[place]
    instrument.state.turns[place] = turn &+ 1 >= length ? 0 : turn &+ 1
    return turn &+ 1 == region.pointee.turn.position
  }

  /// A number from 0 to below 1.
  @_noLocks
  private mutating func roll() -> Float {
    dice = dice &* 1_664_525 &+ 1_013_904_223
    return Float(dice >> 8) * (1 / 16_777_216)
  }

  /// A place for a voice, for which another may have to give way; nil where none is free in time.
  @_noLocks
  private mutating func claimPlace() -> Int? {
    // Nobody gives way for what can't begin.
    if freeCount == 0 && !dropUnheard() && !dropFading() { return nil }
    while activeCount &- fadingCount >= Self.count {
      if dropUnheard() { continue }
      giveWay()
      break
    }
    freeCount &-= 1
    return Int(free[freeCount])
  }

  /// Ends a voice that began and ended between two blocks; whether there was one.
  @_noLocks
  private mutating func dropUnheard() -> Bool {
    var index = activeCount &- 1
    // They are the last that began.
    while index >= 0 && voices[Int(active[index])].isUnheard {
      let place = Int(active[index])
      if voices[place].isReleased && overCount < Self.places {
        if voices[place].isFading { fadingCount &-= 1 }
        for later in index..<activeCount &- 1 { active[later] = active[later &+ 1] }
        activeCount &-= 1
        end(place)
        return true
      }
      index &-= 1
    }
    return false
  }

  /// Ends the softest of the voices that fade out; whether there was one.
  ///
  /// What is heard of it is little, and among so many voices; a note that does not sound is missed.
  @_noLocks
  private mutating func dropFading() -> Bool {
    var (softest, least) = (-1, Float.infinity)
    for index in 0..<activeCount {
      let loudness = voices[Int(active[index])].fadingLoudness
      if loudness >= 0 && loudness < least { (softest, least) = (index, loudness) }
    }
    guard softest >= 0 && overCount < Self.places else { return false }
    let place = Int(active[softest])
    fadingCount &-= 1
    for later in softest..<activeCount &- 1 { active[later] = active[later &+ 1] }
    activeCount &-= 1
    end(place)
    return true
  }

  @_noLocks
  private mutating func giveWay() {
    var (softest, least) = (-1, Float.infinity)
    for index in 0..<activeCount {
      let place = Int(active[index])
      if voices[place].isFading { continue }
      // What is released is 60 dB nearer to its end; of equals the eldest.
      let loudness = voices[place].loudness * (voices[place].isReleased ? 0.001 : 1)
      if loudness < least { (softest, least) = (place, loudness) }
    }
    if softest >= 0 { fade(softest, seconds: Self.fadeSeconds) }
  }

  @_noLocks
  private mutating func fade(_ place: Int, seconds: Float) {
    if !voices[place].isFading { fadingCount &+= 1 }
    voices[place].fadeOut(frames: Int(seconds * sampleRate))
  }

  @_noLocks
  private mutating func choke(_ group: Int32, except note: UInt32) {
    for index in 0..<activeCount {
      let place = Int(active[index])
      if voices[place].offBy == group && voices[place].note.number != note {
        fade(place, seconds: Self.chokeSeconds)
      }
    }
  }

  /// Ends a note.
  @_noLocks
  package mutating func release(note number: UInt32) {
    for index in 0..<activeCount {
      let place = Int(active[index])
      if voices[place].note.number == number { voices[place].release() }
    }
  }

  /// Fades out all that sounds of an instrument, by its number, or of all, within so many seconds.
  @_noLocks
  package mutating func fadeOut(instrument: UInt8?, seconds: Float) {
    for index in 0..<activeCount {
      let place = Int(active[index])
      if let instrument, voices[place].note.instrument != instrument { continue }
      fade(place, seconds: seconds)
    }
  }

  // MARK: - Sound

  /// Renders a block; false, and nothing written, where it is silent.
  @_noLocks
  package mutating func render(to output: Stereo, frames: Int) -> Bool {
    overCount = 0
    if activeCount == 0 { return false }
    Blocks.clear(output.left, frames: frames)
    Blocks.clear(output.right, frames: frames)
    var kept = 0
    for index in 0..<activeCount {
      let place = Int(active[index])
      voices[place].render(
        to: output, frames: frames, controllers, reader, spare: spare)
      if voices[place].isOver {
        if voices[place].isFading { fadingCount &-= 1 }
        end(place)
      } else {
        active[kept] = UInt8(place)
        kept &+= 1
      }
    }
    activeCount = kept
    return true
  }

  @_noLocks
  private mutating func end(_ place: Int) {
    free[freeCount] = UInt8(place)
    freeCount &+= 1
    over[overCount] = voices[place].note
    overCount &+= 1
  }

  /// The note of a voice that is over, and was not asked for before; to be asked for after each
  /// block, and after each note that begins or ends.
  @_noLocks
  package mutating func takeOver() -> VoiceNote? {
    if overCount == 0 { return nil }
    overCount &-= 1
    return over[overCount]
  }
}
