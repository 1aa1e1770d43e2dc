internal import DSP
internal import Synchronization

/// The four sources on their way into the mix, and the recorder that hears them.
extension Core {
  // MARK: - Sources

  /// Renders the live input: guards it, turns it up, and lets the chain's warp have it.
  @_noLocks
  mutating func renderLive(frames: Int, ports: Ports) {
    if let recorded {
      render(recorded, frames: frames, ports: ports)
      return
    }
    let sound = ports.live
    Blocks.copy(ports.input.left, to: sound.left, frames: frames)
    Blocks.copy(ports.input.right, to: sound.right, frames: frames)
    let left = stopNonFinite(sound.left, meter: .in1, frames: frames)
    let right = stopNonFinite(sound.right, meter: .in2, frames: frames)
    let isSilent = left == 0 && right == 0
    if isGuarding { guardLive(sound, peak: max(left, right), frames: frames) }
    if isSilent {
      inGain.skip(frames: frames)
    } else {
      // Twice, because a gain that is turned back on its way goes a little further first.
      let most = 2 * max(left, right) * inGain.most
      inGain.apply(to: sound, frames: frames, scratch: scratch)
      // It can lift what is finite over all bounds: tapes and effects would remember that.
      if !most.isFinite {
        count(nonFinite: Magnitude.silenceNonFinite(sound.left, frames: frames))
        count(nonFinite: Magnitude.silenceNonFinite(sound.right, frames: frames))
      }
    }
    isDrySilent = isSilent
    loops.remember(isSilent ? nil : sound, in: .live, frames: frames)
    if !isSilent && (loops.isListening || capture.needsInput || tuner.isOn) {
      Blocks.copy(sound.left, to: dry.left, frames: frames)
      Blocks.copy(sound.right, to: dry.right, frames: frames)
    }
    let isWarpSounding = chain.warp(
      sound, isSilent: isSilent, isNeeded: !live.pointee.isPastChain || framesUntilChain > 0,
      to: warped, frames: frames)
    guard !isSilent || isWarpSounding else {
      live.pointee.skip(frames: frames)
      return
    }
    mix(
      sound, toChain: isWarpSounding ? .another(warped) : .nothing, by: live, ports,
      meters: (.live1, .live2), frames: frames)
  }

  /// Takes howls out of the live input; what is silent stays so.
  @_noLocks
  private mutating func guardLive(_ sound: Stereo, peak: Float, frames: Int) {
    if peak == 0 {
      howlGuard.rest(frames: frames)
    } else {
      howlGuard.process(sound, peak: peak, frames: frames)
    }
    if howlGuard.takeChange() { publishNotches() }
    isGuarding = howlGuard.isActive
  }

  /// Publishes what the guard takes out.
  @_noLocks
  func publishNotches() {
    for index in 0..<HowlGuard.mostNotches {
      let notch = howlGuard.notch(index)
      shared.notches.store(index, hertz: notch.hertz, decibels: notch.decibels)
    }
  }

  /// Renders the loops.
  @_noLocks
  mutating func renderLoops(frames: Int, ports: Ports) {
    var moved = loops.awake.union(movingStrips).union(ports.use.loops).first(loops.count)
    while let index = moved.popFirst() {
      let stem = ports.stem(ofLoop: index)
      let strip = loopStrips + index
      let sound = stem ?? unwanted
      guard loops.isAwake(index), loops.slot(index).pointee.render(to: sound, frames: frames)
      else {
        if let stem { Core.clear(stem, frames: frames) }
        if movingStrips.contains(index) {
          rest(strip, index, frames)
        }
        continue
      }
      mix(sound, by: strip, ports, meters: (.loop1, .loop2), frames: frames)
      if strip.pointee.isResting { movingStrips.remove(index) }
    }
  }

  /// Lets time pass for the strip of a loop that is silent.
  @_noLocks
  private mutating func rest(_ strip: UnsafeMutablePointer<Strip>, _ index: Int, _ frames: Int) {
    strip.pointee.skip(frames: frames)
    if strip.pointee.isResting { movingStrips.remove(index) }
  }

  /// Renders the song, which has no stem.
  @_noLocks
  mutating func renderMusic(frames: Int, ports: Ports) {
    if songs.isAtRest {
      if !music.pointee.isResting { music.pointee.skip(frames: frames) }
      return
    }
    // The live input's part of this memory has been mixed already.
    let sound = warped
    let isSounding = songs.render(to: sound, frames: frames)
    answerSongs()
    guard isSounding else {
      music.pointee.skip(frames: frames)
      return
    }
    mix(sound, by: music, ports, meters: nil, frames: frames)
  }

  /// Renders the grid's notes.
  @_noLocks
  mutating func renderGrid(frames: Int, ports: Ports) {
    isGridSounding =
      !sampler.isAtRest && sampler.render(to: ports.grid, frames: frames, shared.notes)
    if !sampler.isAtRest { answerInstruments() }
    guard isGridSounding else {
      if ports.use.has(.grid) { Core.clear(ports.grid, frames: frames) }
      if !grid.pointee.isResting { grid.pointee.skip(frames: frames) }
      return
    }
    mix(ports.grid, by: grid, ports, meters: (.grid1, .grid2), frames: frames)
  }

  // MARK: - Into the mix

  /// Adds a source to the mix and to the chain's bus, by its strip, and makes it the source's stem
  /// where it has one: with the fade of the mix, and guarded as that is.
  @_noLocks
  mutating func mix(
    _ sound: Stereo, toChain send: ChainSend = .itself, by strip: UnsafeMutablePointer<Strip>,
    _ ports: Ports, meters: (left: Meters.Channel, right: Meters.Channel)?, frames: Int
  ) {
    if !isSounding { clearBus(frames: frames) }
    isSounding = true
    clearBusFrames = 0
    strip.pointee.process(
      sound, toChain: send, chain: bus, direct: ports.output, frames: frames, scratch: scratch)
    guard let meters else { return }
    var fade = presence
    fade.apply(to: sound, frames: frames, scratch: scratch)
    _ = stopNonFinite(sound.left, meter: meters.left, frames: frames)
    _ = stopNonFinite(sound.right, meter: meters.right, frames: frames)
  }

  /// Clears the chain's bus, unless it still is.
  @_noLocks
  mutating func clearBus(frames: Int) {
    if frames <= clearBusFrames { return }
    Core.clear(bus, frames: frames)
    clearBusFrames = frames
  }

  /// Replaces NaN and infinity by silence, before any filter can remember it, and returns the peak.
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

  /// Counts samples that were no numbers.
  @_noLocks
  func count(nonFinite: Int) {
    if nonFinite > 0 { shared.nonFinite.add(UInt64(nonFinite), ordering: .relaxed) }
  }

  // MARK: - Recording

  /// Lets the recorders hear their sources, and time pass for the loops.
  @_noLocks
  mutating func record(_ ports: Ports, frames: Int) {
    let live = isDrySilent ? silence : dry
    var rest = loops.awake
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      if player.pointee.isListening {
        switch player.pointee.settings.source {
        case .live: player.pointee.listen(to: live, frames: frames)
        case .grid:
          player.pointee.listen(to: isGridSounding ? ports.grid : silence, frames: frames)
        case .mix: player.pointee.listen(to: ports.output, frames: frames)
        }
      }
      player.pointee.advance(frames: frames, from: present)
      if player.pointee.carry(frames: frames) {
        let transfer = player.pointee.transfer
        player.pointee.transfer.end()
        answer(nil, transfer.origin)
      }
    }
    loops.remember(isGridSounding ? ports.grid : nil, in: .grid, frames: frames)
    loops.remember(isOutputSilent ? nil : ports.output, in: .mix, frames: frames)
    loops.letSleep()
  }

  // MARK: - Answers

  /// Tells that a song was changed for another, where that is so.
  @_noLocks
  mutating func answerSongs() {
    if let change = songs.nextAnswer() {
      push(.done, to: change.origin)
    }
  }

  /// Tells which instruments are let go.
  @_noLocks
  mutating func answerInstruments() {
    while let change = sampler.nextAnswer() {
      push(.done, to: change.origin)
    }
  }
}
