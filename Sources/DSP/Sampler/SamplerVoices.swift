internal import CRealtime

/// The polyphony of a sampler: a note starts one voice for each matching region.
///
/// If all voices are in use, the quietest released one is stolen, or else the quietest. It fades
/// out in one of a few extra slots, so that stealing doesn't click.
package struct SamplerVoices: ~Copyable, @unchecked Sendable {
  /// The polyphony, not counting voices that fade out.
  package static var count: Int { @_noLocks get { 128 } }
  private static var places: Int { @_noLocks get { 160 } }
  private static var fadeSeconds: Float { @_noLocks get { 0.005 } }
  // The fade of a choked note, such as an open hi-hat cut by a closed one.
  private static var chokeSeconds: Float { @_noLocks get { 0.008 } }
  // More layers than any instrument has.
  private static var mostLayers: Int { @_noLocks get { 16 } }

  private let anchor = Anchor()
  private let buffers = Buffers()
  private let voices: UnsafeMutablePointer<SamplerVoice>
  // Slots in use, oldest first, and free slots.
  private let active: UnsafeMutablePointer<UInt8>
  private let free: UnsafeMutablePointer<UInt8>
  private let over: UnsafeMutablePointer<VoiceNote>
  private let silence: SoundMemory
  // A step of any voice.
  private let spare: Stereo
  private let reader = SampleReader()
  /// The controllers that modulate all notes.
  package var controllers = SamplerControllers()
  private var activeCount = 0
  private var freeCount: Int
  private var fadingCount = 0
  private var overCount = 0
  private var sampleRate: Float
  private var dice: UInt32 = 0x9E37_79B9
  private var previousKey = SamplerRegion.noKey

  /// Creates silent voices.
  package init(sampleRate: Double) {
    self.sampleRate = Float(sampleRate)
    active = buffers.filled(with: 0, count: Self.places)
    free = buffers.copied((0..<UInt8(Self.places)).reversed())
    over = buffers.filled(
      with: VoiceNote(
        number: 0, finger: 0, instrument: 0, key: 0, cents: 0, velocity: 0, isLegato: false),
      count: Self.places)
    silence = SoundMemory()
    let none = buffers.box(SamplerRegion())
    let noModulator = buffers.box(
      SamplerModulator(source: .init(.constant), target: .pitch, amount: 0))
    let noSound = buffers.box(silence.sound)
    let length = VoiceEnvelope.usualStep
    let steps = buffers.floats(2 * length * (Self.places + 1))
    voices = buffers.made(count: Self.places) { place in
      let step = steps + 2 * length * place
      return SamplerVoice(
        region: none, modulators: noModulator, sound: noSound, step: Stereo(step, step + length))
    }
    spare = Stereo(
      steps + 2 * length * Self.places, steps + (2 * Self.places + 1) * length)
    freeCount = Self.places
  }

  /// Changes the sample rate in Hz.
  ///
  /// All voices are cut off.
  package mutating func begin(sampleRate: Double) {
    self.sampleRate = Float(sampleRate)
    overCount = 0
    for index in 0..<activeCount { end(Int(active[index])) }
    activeCount = 0
    fadingCount = 0
  }

  /// Whether no voice is active.
  package var isSilent: Bool { @_noLocks get { activeCount == 0 } }

  /// The number of active voices, including those fading out.
  package var soundingCount: Int { @_noLocks get { activeCount } }

  // MARK: - Notes

  /// Starts a note and returns the number of its voices.
  ///
  /// `held` has the number of fingers on each of the 128 keys, not counting this note's.
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

  /// Starts the release regions of a note and returns the number of their voices.
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
    // At least 1: velocity 0 would be a note-off.
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

  /// Whether a note already plays a region that substitutes for another of its layers.
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

  /// Advances a region's round-robin counter.
  ///
  /// Returns whether it is the region's turn.
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

  /// Returns a random number from 0 to below 1.
  @_noLocks
  private mutating func roll() -> Float {
    dice = dice &* 1_664_525 &+ 1_013_904_223
    return Float(dice >> 8) * (1 / 16_777_216)
  }

  /// Returns a free slot, stealing a voice if necessary, or nil if none is available in time.
  @_noLocks
  private mutating func claimPlace() -> Int? {
    // Nothing is stolen for a voice that can't start.
    if freeCount == 0 && !dropUnheard() && !dropFading() { return nil }
    while activeCount &- fadingCount >= Self.count {
      if dropUnheard() { continue }
      giveWay()
      break
    }
    freeCount &-= 1
    return Int(free[freeCount])
  }

  /// Drops a voice that started and ended between two blocks, and returns whether there was one.
  @_noLocks
  private mutating func dropUnheard() -> Bool {
    var index = activeCount &- 1
    // Unrendered voices are at the end of the list.
    while index >= 0 && voices[Int(active[index])].isUnheard {
      let place = Int(active[index])
      if voices[place].isReleased && overCount < Self.places {
        if voices[place].isFading { fadingCount &-= 1 }
        drop(index)
        return true
      }
      index &-= 1
    }
    return false
  }

  /// Drops the quietest voice that is fading out, and returns whether there was one.
  ///
  /// Among many voices the cut is hardly audible, while a missing note would be.
  @_noLocks
  private mutating func dropFading() -> Bool {
    var (softest, least) = (-1, Float.infinity)
    for index in 0..<activeCount {
      let loudness = voices[Int(active[index])].fadingLoudness
      if loudness >= 0 && loudness < least { (softest, least) = (index, loudness) }
    }
    guard softest >= 0 && overCount < Self.places else { return false }
    fadingCount &-= 1
    drop(softest)
    return true
  }

  /// Ends the voice at an index of the list of active ones.
  @_noLocks
  private mutating func drop(_ index: Int) {
    let place = Int(active[index])
    for later in index..<activeCount &- 1 { active[later] = active[later &+ 1] }
    activeCount &-= 1
    end(place)
  }

  @_noLocks
  private mutating func giveWay() {
    var (softest, least) = (-1, Float.infinity)
    for index in 0..<activeCount {
      let place = Int(active[index])
      if voices[place].isFading { continue }
      // Released voices count as 60 dB quieter. Of equals the oldest is stolen.
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

  /// Releases a note.
  @_noLocks
  package mutating func release(note number: UInt32) {
    for index in 0..<activeCount {
      let place = Int(active[index])
      if voices[place].note.number == number { voices[place].release() }
    }
  }

  /// Fades out all voices, or those of one instrument, within `seconds`.
  @_noLocks
  package mutating func fadeOut(instrument: UInt8?, seconds: Float) {
    for index in 0..<activeCount {
      let place = Int(active[index])
      if let instrument, voices[place].note.instrument != instrument { continue }
      fade(place, seconds: seconds)
    }
  }

  // MARK: - Rendering

  /// Renders a block.
  ///
  /// Returns false and writes nothing if it is silent.
  @_noLocks
  package mutating func render(to output: Stereo, frames: Int) -> Bool {
    overCount = 0
    if activeCount == 0 { return false }
    output.clear(frames: frames)
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

  /// Returns the note of a voice that has ended since the last call.
  ///
  /// Drain it after each block and after each note that starts or ends.
  @_noLocks
  package mutating func takeOver() -> VoiceNote? {
    if overCount == 0 { return nil }
    overCount &-= 1
    return over[overCount]
  }
}
