internal import DSP
internal import Synchronization

/// Routes parameters to their owners.
extension Core {
  /// Sets a parameter, in the unit of its address.
  ///
  /// After a change of the sample rate, all parameters are set again in their new units.
  @_noLocks
  mutating func set(_ parameter: Parameter, _ value: Float) {
    let former = values[parameter]
    values[parameter] = value
    switch parameter {
    case .mixer(let own): set(own, value)
    case .warp(let own):
      chain.set(own, value)
      followWarp()
    case .echo(let own): chain.set(own, value)
    case .reverb(let own): chain.set(own, value)
    case .beat(let own):
      switch own {
      case .tempo:
        chain.setTempo(value)
        // The source sets the beats.
        if isTempoFollowed && tempoSource != .jack { return }
      case .source: setTempoSource(TempoSource(number: value))
      case .sendsClock: setClockOut(value != 0)
      default: break
      }
      loops.set(own, value, at: present)
      followTempoWithPhrase()
    case .metronome(let own):
      if case .on = own { switchBeat(isMetronomeOn: value != 0, wasOn: former != 0) }
      metronome.set(own, value)
    case .notes(let own): set(own, value)
    case .capture(let own): taps.capture.set(own, value)
    case .press(let own): loops.time.pointee.presses.set(own, value)
    case .howlGuard(let own): input.set(own, value)
    case .channel(let own):
      input.set(own, value)
      publishChannel()
    case .tune(let own): chain.input.set(own, value)
    case .harmony(let own, let voice): chain.input.set(own, ofVoice: Int(voice), value)
    case .loop(let own, let loop): set(own, ofLoop: Int(loop), value)
    }
  }

  @_noLocks
  private mutating func set(_ parameter: Parameter.Mixer, _ value: Float) {
    switch parameter {
    case .inGain: input.gain.move(to: Level.gain(decibels: value))
    case .liveGain: strips.live.pointee.setGain(Level.gain(decibels: value))
    case .gridGain: strips.grid.pointee.setGain(Level.gain(decibels: value))
    case .musicGain: strips.music.pointee.setGain(Level.gain(decibels: value))
    case .outGain: master.setGain(Level.gain(decibels: value))
    case .liveRoute, .liveOff: followLiveRoute()
    case .gridRoute: strips.grid.pointee.setRoute(Core.route(value))
    case .musicRoute:
      strips.music.pointee.setRoute(Core.route(value))
      songs.setThroughChain(value == 0)
    case .musicFollow: songs.setFollowsTempo(value != 0)
    case .musicTempo: songs.setTempo(value)
    case .mute: master.setMute(value != 0)
    case .harmonyGain: strips.harmony.pointee.setGain(Level.gain(decibels: value))
    case .harmonyRoute: followLiveRoute()
    case .harmonyChords: chain.input.setChordInput(value)
    case .lock: loops.time.pointee.isLocked = value != 0
    case .bypass:
      chain.setBypassed(value != 0)
      followWarp()
    }
  }

  @_noLocks
  private mutating func set(_ parameter: Parameter.Loop, ofLoop index: Int, _ value: Float) {
    guard index < loops.count else { return }
    let strip = strips.loop(index)
    loops.wake(index)
    switch parameter {
    case .gain: strip.pointee.setGain(Level.gain(decibels: value))
    case .pan: strip.pointee.setPan(value)
    case .route:
      strip.pointee.setRoute(Core.route(value))
      loops.slot(index).pointee.setThroughChain(value == 0, at: present)
    case .solo:
      var soloed = LoopBits.none
      for other in 0..<loops.count where values[.loop(.solo, UInt8(other))] != 0 {
        soloed.insert(other)
      }
      loops.setSoloed(soloed)
      return
    default:
      loops.slot(index).pointee.set(parameter, value, at: present)
      if case .source = parameter { loops.followSources() }
      return
    }
    strips.noteMove(ofLoop: index)
  }

  @_noLocks
  private mutating func set(_ parameter: Parameter.Notes, _ value: Float) {
    switch parameter {
    case .sustain:
      sampler.setSustain(value != 0)
      chain.input.tune.held.endSustained(sampler)
    case .snap: inlet.snaps = value != 0
    case .bend:
      inlet.bendRange = value
      bend(semitones: inlet.bend)
    case .channel: outbox.setChannel(Int(value))
    case .phraseFollow:
      phrases.setFollowsTempo(value != 0)
      followTempoWithPhrase()
    }
  }

  /// Applies pitch and stretch of the chain to all sources that can be routed through it.
  @_noLocks
  private mutating func followWarp() {
    loops.follow(chain.warp, at: present)
    songs.follow(chain.warp)
    input.recording?.pointee.follow(chain.warp)
  }

  /// Plays the phrase at the tempo if it follows it.
  @_noLocks
  mutating func followTempoWithPhrase() {
    phrases.follow(framesPerBeat: loops.time.pointee.beats.exact(1), at: present)
  }

  /// Starts a bar when the metronome is switched on, unless something depends on the beat.
  @_noLocks
  private mutating func switchBeat(isMetronomeOn: Bool, wasOn: Bool) {
    if isMetronomeOn && !wasOn && !loops.dependsOnBeat {
      loops.time.pointee.beats.beginBar(at: present)
    }
    noteBeatInUse(isMetronomeOn: isMetronomeOn)
  }

  /// Notes whether the beats are heard, published or another's, so that nothing moves them.
  @_noLocks
  mutating func noteBeatInUse(isMetronomeOn: Bool? = nil) {
    loops.time.pointee.isBeatInUse =
      (isMetronomeOn ?? metronome.isOn) || transport.isRolling || shared.isTransportLed
      || isTempoFollowed
  }

  /// Routes the live input and its harmonies, which are off while it is held off.
  @_noLocks
  private mutating func followLiveRoute() {
    let isHeldOff = values[.mixer(.liveOff)] != 0
    let route = isHeldOff ? .off : Core.route(values[.mixer(.liveRoute)])
    let isChain = if case .chain = route { true } else { false }
    input.recording?.pointee.setThroughChain(isChain)
    strips.setLiveRoute(route, warmUp: chain.input.warmUp)
    strips.harmony.pointee.setRoute(
      isHeldOff ? .off : Core.route(values[.mixer(.harmonyRoute)]))
  }

  @_noLocks
  private static func route(_ value: Float) -> Route {
    value == 0 ? .chain : value == 1 ? .direct : .off
  }
}
