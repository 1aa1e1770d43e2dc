internal import DSP
internal import Synchronization

/// What sounds, from the inputs to the outputs.
extension Core {
  /// How many frames until the input is as loud as a recording waits for; begins it where it is
  /// now.
  @_noLocks
  mutating func framesToSound(_ input: Stereo, frames: Int) -> Int {
    let least = player.threshold / max(inGain.target, 1e-6)
    for frame in 0..<frames {
      // False for what is no number.
      guard abs(input.left[frame]) >= least || abs(input.right[frame]) >= least else { continue }
      if frame > 0 { return frame }
      player.hearSound(at: present)
      return player.framesToGo(at: present)
    }
    return frames
  }

  /// Whether the live input goes through the chain, or will as soon as it can.
  var isLiveThroughChain: Bool {
    @_noLocks get { live.isThroughChain || framesUntilChain > 0 }
  }

  @_noLocks
  mutating func renderSegment(frames: Int, ports: Ports) {
    if isAtRest {
      if Core.isSilent(ports.input, frames: frames) {
        rest(ports, frames: frames)
        return
      }
      wake()
    }
    let out = ports.output
    Core.clear(out, frames: frames)
    let isLiveSounding = renderLive(frames: frames, ports: ports)
    let isLoopSounding = renderLoop(frames: frames, ports: ports, onto: isLiveSounding)
    let isMusicSounding = renderMusic(
      frames: frames, ports: ports, onto: isLiveSounding || isLoopSounding)
    let isGridSounding = renderGrid(
      frames: frames, ports: ports,
      onto: isLiveSounding || isLoopSounding || isMusicSounding)
    let isClicking = metronome.render(to: ports.click, frames: frames, scratch: scratch)
    var fade = presence
    if isClicking { fade.apply(to: ports.click, frames: frames, scratch: scratch) }
    let fades = master.fades

    let isSounding = isLiveSounding || isLoopSounding || isMusicSounding || isGridSounding
    if !isSounding { clearBus(frames: frames) }
    let isChainSounding = chain.process(bus, isSilent: !isSounding, frames: frames)
    shared.chainDelay.store(isLiveThroughChain ? chain.delay : 0, ordering: .relaxed)
    if isSounding || isChainSounding {
      clearBusFrames = 0
      if isChainSounding {
        Blocks.add(bus.left, times: 1, to: out.left, frames: frames)
        Blocks.add(bus.right, times: 1, to: out.right, frames: frames)
      }
      finish(out, frames: frames)
    } else {
      presence.skip(frames: frames)
      shared.meters.raise(.limiter, to: 1 / master.rest(out, frames: frames))
      isAtRest = canRest
    }
    record(ports, frames: frames)
    if isClicking || master.isLimitingLast { addClick(ports, fades, frames: frames) }
    if capture.isOn {
      capture.write(
        input: isDrySilent ? silence : dry, output: ports.output, frames: frames)
    }
  }

  /// Adds the metronome to what is heard, behind all that is recorded of it.
  @_noLocks
  mutating func addClick(_ ports: Ports, _ fades: Master.Fades, frames: Int) {
    // All that was in it has been mixed.
    let click = warped.left
    var fades = fades
    Blocks.copy(ports.click, to: click, frames: frames)
    fades.apply(to: click, frames: frames, scratch: scratch)
    let finding = master.addLast(click, to: ports.output, frames: frames)
    shared.meters.raise(.out1, to: finding.leftPeak)
    shared.meters.raise(.out2, to: finding.rightPeak)
    shared.meters.raise(.limiter, to: 1 / finding.limiterGain)
  }

  @_noLocks
  mutating func finish(_ out: Stereo, frames: Int) {
    presence.apply(to: out, frames: frames, scratch: scratch)
    let finding = master.process(out, frames: frames, scratch: scratch)
    count(nonFinite: finding.nonFinite)
    shared.meters.raise(.out1, to: finding.leftPeak)
    shared.meters.raise(.out2, to: finding.rightPeak)
    shared.meters.raise(.limiter, to: 1 / finding.limiterGain)
  }

  // MARK: - Rest

  @_noLocks
  static func isSilent(_ sound: Stereo, frames: Int) -> Bool {
    Magnitude(sound.left, frames: frames).bits == 0
      && Magnitude(sound.right, frames: frames).bits == 0
  }

  /// Whether nothing will sound or move until something comes in, or is asked for.
  var canRest: Bool {
    @_noLocks get {
      chain.isAtRest && player.isAtRest && songs.isAtRest && sampler.isAtRest
        && metronome.isResting && framesUntilChain == 0
        && inGain.isResting
        && live.isResting
        && loop.isResting && grid.isResting && music.isResting && master.isResting
        && presence.isResting
    }
  }

  /// Renders silence, and touches nothing else.
  @_noLocks
  mutating func rest(_ ports: Ports, frames: Int) {
    Core.clear(ports.output, frames: frames)
    Core.clear(ports.live, frames: frames)
    Core.clear(ports.loop, frames: frames)
    Core.clear(ports.grid, frames: frames)
    Blocks.clear(ports.click, frames: frames)
    capture.rest(frames: frames)
    restedFrames &+= frames
  }

  /// Tells those that were left alone how long that was.
  @_noLocks
  mutating func wake() {
    isAtRest = false
    if restedFrames == 0 { return }
    chain.rest(frames: restedFrames)
    restedFrames = 0
  }

  @_noLocks
  static func clear(_ sound: Stereo, frames: Int) {
    Blocks.clear(sound.left, frames: frames)
    Blocks.clear(sound.right, frames: frames)
  }

  // MARK: - Sources

  /// Lets the recorder hear what it listens to, and time pass for the player.
  @_noLocks
  mutating func record(_ ports: Ports, frames: Int) {
    if player.isListening {
      switch player.source {
      case .live: player.listen(to: isDrySilent ? silence : dry, frames: frames)
      case .grid: player.listen(to: ports.grid, frames: frames)
      case .mix: player.listen(to: ports.output, frames: frames)
      }
    }
    player.advance(frames: frames, from: present)
    if player.carry(frames: frames) {
      let (number, wasTimed) = (player.transfer.command, player.transfer.wasTimed)
      player.transfer.end()
      answer(nil, number, wasTimed)
    }
  }

  /// Renders the loop's stem, and adds it to the buses; false where it is silent.
  ///
  /// `onto` says whether the chain's bus has something on it already.
  @_noLocks
  mutating func renderLoop(frames: Int, ports: Ports, onto isBusInUse: Bool) -> Bool {
    let sound = ports.loop
    guard player.render(to: sound, frames: frames) else {
      Core.silence(sound, &loop, frames: frames)
      return false
    }
    openBus(isInUse: isBusInUse, frames: frames)
    loop.process(sound, chain: bus, direct: ports.output, frames: frames, scratch: scratch)
    endStem(sound, .loop1, .loop2, frames: frames)
    return true
  }

  /// Adds the song to the buses; false where it is silent.
  ///
  /// `onto` says whether the chain's bus has something on it already.
  @_noLocks
  mutating func renderMusic(frames: Int, ports: Ports, onto isBusInUse: Bool) -> Bool {
    // What the live input needed it for is done.
    let sound = warped
    let isSounding = songs.render(to: sound, frames: frames)
    answerSongs()
    guard isSounding else {
      music.skip(frames: frames)
      return false
    }
    openBus(isInUse: isBusInUse, frames: frames)
    music.process(sound, chain: bus, direct: ports.output, frames: frames, scratch: scratch)
    return true
  }

  /// Renders the grid's stem, and adds it to the buses; false where it is silent.
  ///
  /// `onto` says whether the chain's bus has something on it already.
  @_noLocks
  mutating func renderGrid(frames: Int, ports: Ports, onto isBusInUse: Bool) -> Bool {
    let sound = ports.grid
    let isSounding = sampler.render(to: sound, frames: frames, shared.notes)
    answerInstruments()
    guard isSounding else {
      Core.silence(sound, &grid, frames: frames)
      return false
    }
    openBus(isInUse: isBusInUse, frames: frames)
    grid.process(sound, chain: bus, direct: ports.output, frames: frames, scratch: scratch)
    endStem(sound, .grid1, .grid2, frames: frames)
    return true
  }

  /// Tells that a song was changed for another, where that is so.
  @_noLocks
  mutating func answerSongs() {
    if let change = songs.takeAnswer() {
      push(.done, command: change.command, wasTimed: change.wasTimed)
    }
  }

  /// Tells which instruments are let go.
  @_noLocks
  mutating func answerInstruments() {
    while let change = sampler.takeAnswer() {
      push(.done, command: change.command, wasTimed: change.wasTimed)
    }
  }

  /// Clears the chain's bus, unless it still is.
  @_noLocks
  mutating func clearBus(frames: Int) {
    if frames <= clearBusFrames { return }
    Blocks.clear(bus.left, frames: frames)
    Blocks.clear(bus.right, frames: frames)
    clearBusFrames = frames
  }

  /// Renders the live stem, and adds it to the buses; false, and the chain's bus untouched, when
  /// it is silent.
  @_noLocks
  mutating func renderLive(frames: Int, ports: Ports) -> Bool {
    let sound = ports.live
    Blocks.copy(ports.input.left, to: sound.left, frames: frames)
    Blocks.copy(ports.input.right, to: sound.right, frames: frames)
    let left = stopNonFinite(sound.left, meter: .in1, frames: frames)
    let right = stopNonFinite(sound.right, meter: .in2, frames: frames)
    let isSilent = left == 0 && right == 0
    if isSilent {
      inGain.skip(frames: frames)
    } else {
      inGain.apply(to: sound, frames: frames, scratch: scratch)
    }
    isDrySilent = isSilent
    if !isSilent && (player.isListening || capture.needsInput) {
      Blocks.copy(sound.left, to: dry.left, frames: frames)
      Blocks.copy(sound.right, to: dry.right, frames: frames)
    }
    let isWarpSounding = chain.warp(
      sound, isSilent: isSilent, isNeeded: !live.isPastChain || framesUntilChain > 0, to: warped,
      frames: frames)
    guard !isSilent || isWarpSounding else {
      live.skip(frames: frames)
      return false
    }
    openBus(isInUse: false, frames: frames)
    live.process(
      sound, warped: isWarpSounding ? warped : nil, chain: bus, direct: ports.output,
      frames: frames, scratch: scratch)
    endStem(sound, .live1, .live2, frames: frames)
    return true
  }

  /// Makes the chain's bus ready for something to be added to it.
  @_noLocks
  mutating func openBus(isInUse: Bool, frames: Int) {
    if !isInUse { clearBus(frames: frames) }
    clearBusFrames = 0
  }

  /// Lets a stem fade in and out with the mix, and guards it as the mix is: a gain can lift what is
  /// finite over all bounds.
  @_noLocks
  func endStem(
    _ sound: Stereo, _ left: Meters.Channel, _ right: Meters.Channel, frames: Int
  ) {
    var fade = presence
    fade.apply(to: sound, frames: frames, scratch: scratch)
    _ = stopNonFinite(sound.left, meter: left, frames: frames)
    _ = stopNonFinite(sound.right, meter: right, frames: frames)
  }

  /// Stops NaN and infinity, at the door before any filter can remember it, and returns the peak.
  @_noLocks
  func stopNonFinite(
    _ samples: UnsafeMutablePointer<Float>, meter: Meters.Channel, frames: Int
  ) -> Float {
    var magnitude = Magnitude(samples, frames: frames)
    if !magnitude.isFinite {
      count(nonFinite: Magnitude.silenceNonFinite(samples, frames: frames))
      magnitude = Magnitude(samples, frames: frames)
    }
    shared.meters.raise(meter, to: magnitude.peak)
    return magnitude.peak
  }

  @_noLocks
  func count(nonFinite: Int) {
    if nonFinite > 0 { shared.nonFinite.add(UInt64(nonFinite), ordering: .relaxed) }
  }

  @_noLocks
  static func silence(_ stem: Stereo, _ strip: inout Strip, frames: Int) {
    clear(stem, frames: frames)
    strip.skip(frames: frames)
  }
}
