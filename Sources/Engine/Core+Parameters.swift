internal import DSP
internal import Synchronization

/// The way of each parameter to its owner, and to all others that go by it.
extension Core {
  /// Sets a parameter, in the unit of its address.
  @_noLocks
  mutating func set(_ parameter: Parameter, _ value: Float) {
    values[parameter.number] = value
    switch parameter {
    case .mixer(let own): set(own, value)
    case .keyboard(let own): set(own, value)
    case .capture(let own): capture.set(own, value)
    case .gridSustain: sampler.setSustain(value != 0)
    case .beat(.transportFollow): shared.transportFollowed.store(value != 0, ordering: .relaxed)
    case .metronome(.on): beginBeat(isMetronomeOn: value != 0)
    case .loop(let own, let loop): set(own, ofLoop: Int(loop), value)
    case .warp, .echo, .reverb, .chainBypass, .beat, .metronome, .howlGuard: break
    }
    setUnits(parameter, value, at: present)
  }

  /// Sets a parameter in those units that are built anew for another sample rate.
  ///
  /// Three go by the pitch and stretch of the chain, two by a tempo, two by their route.
  @_noLocks
  mutating func setUnits(_ parameter: Parameter, _ value: Float, at frame: Int64) {
    switch parameter {
    case .warp(let own):
      warp.set(own, value)
      followWarp(at: frame)
    case .chainBypass:
      warp.isBypassed = value != 0
      chain.setBypassed(value != 0)
      followWarp(at: frame)
    case .echo(let own): chain.set(own, value)
    case .reverb(let own): chain.set(own, value)
    case .beat(let own):
      if case .tempo = own { chain.setTempo(value) }
      loops.set(own, value, at: frame)
    case .metronome(let own): metronome.set(own, value)
    case .loop(let own, let loop): setUnit(own, ofLoop: Int(loop), value, at: frame)
    case .howlGuard(.on):
      howlGuard.setOn(value != 0)
      isGuarding = howlGuard.isActive
    case .howlGuard(.hold): howlGuard.setHold(seconds: value)
    case .mixer(.musicRoute): songs.setThroughChain(value == 0)
    case .mixer, .keyboard, .capture, .gridSustain: break
    }
  }

  /// Lets all sources that can go through the chain go by its pitch and stretch.
  @_noLocks
  private mutating func followWarp(at frame: Int64) {
    chain.follow(warp)
    loops.follow(warp, at: frame)
    songs.follow(warp)
    recorded?.pointee.follow(warp)
  }

  @_noLocks
  private mutating func set(_ parameter: Parameter.Mixer, _ value: Float) {
    switch parameter {
    case .inGain: inGain.move(to: Level.gain(decibels: value))
    case .liveGain: live.pointee.setGain(Level.gain(decibels: value))
    case .gridGain: grid.pointee.setGain(Level.gain(decibels: value))
    case .musicGain: music.pointee.setGain(Level.gain(decibels: value))
    case .outGain: master.setGain(Level.gain(decibels: value))
    case .liveRoute: setLiveRoute(Core.route(value))
    case .gridRoute: grid.pointee.setRoute(Core.route(value))
    case .musicRoute: music.pointee.setRoute(Core.route(value))
    case .mute: master.setMute(value != 0)
    }
  }

  @_noLocks
  private mutating func set(_ parameter: Parameter.Loop, ofLoop index: Int, _ value: Float) {
    switch parameter {
    case .gain: loopStrips[index].setGain(Level.gain(decibels: value))
    case .pan: loopStrips[index].setPan(value)
    case .route: loopStrips[index].setRoute(Core.route(value))
    default: return
    }
    movingStrips.insert(index)
  }

  @_noLocks
  private mutating func setUnit(
    _ parameter: Parameter.Loop, ofLoop index: Int, _ value: Float, at frame: Int64
  ) {
    guard index < loops.count else { return }
    loops.wake(index)
    if case .route = parameter {
      loops.slot(index).pointee.setThroughChain(value == 0, at: frame)
    } else {
      loops.slot(index).pointee.set(parameter, value, at: frame)
    }
  }

  @_noLocks
  private mutating func set(_ parameter: Parameter.Keyboard, _ value: Float) {
    switch parameter {
    case .snap: inlet.setSnaps(value != 0)
    case .bend:
      inlet.setBendRange(semitones: value)
      sampler.bend(semitones: inlet.bend)
    case .channel: outbox.setChannel(Int(value))
    }
  }

  /// Begins a bar where the metronome is switched on and nobody depends on the beat.
  @_noLocks
  private mutating func beginBeat(isMetronomeOn: Bool) {
    if isMetronomeOn && !metronome.isOn && !loops.dependsOnBeat {
      loops.time.pointee.beats.beginBar(at: present)
    }
    loops.time.pointee.isBeatInUse = isMetronomeOn || isTransportRolling || shared.isTransportLed
  }

  @_noLocks
  private mutating func setLiveRoute(_ route: Route) {
    var isChain = false
    if case .chain = route { isChain = true }
    recorded?.pointee.setThroughChain(isChain)
    if !isChain || !live.pointee.isPastChain {
      framesUntilChain = 0
    } else if framesUntilChain == 0 {
      framesUntilChain = chain.warmUp
    }
    if framesUntilChain == 0 { live.pointee.setRoute(route) }
  }

  @_noLocks
  private static func route(_ value: Float) -> Route {
    value == 0 ? .chain : value == 1 ? .direct : .off
  }
}
