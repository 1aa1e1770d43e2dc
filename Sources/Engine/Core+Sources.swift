internal import DSP
internal import Synchronization

/// The four sources on their way into the mix, and the recorders that listen to them.
extension Core {
  // MARK: - Sources

  /// Renders the live input: feedback guard, gain, channel strip, and the warp of the chain.
  @_noLocks
  mutating func renderLive(frames: Int, ports: Ports) {
    let sound = ports.live
    if let recording = input.recording {
      guard recording.pointee.isTuned else {
        render(recording, frames: frames, ports: ports)
        return
      }
      recording.pointee.render(plain: sound, frames: frames)
    } else {
      ports.input.copy(to: sound, frames: frames)
    }
    let left = stopNonFinite(sound.left, meter: .in1, frames: frames)
    let right = stopNonFinite(sound.right, meter: .in2, frames: frames)
    var isSilent = left == 0 && right == 0
    if input.suppressFeedback(sound, peak: max(left, right), frames: frames) { publishNotches() }
    if isSilent {
      input.gain.skip(frames: frames)
    } else {
      // Twice, because a gain that turns back first goes a little further.
      let most = 2 * max(left, right) * input.gain.most
      input.gain.apply(to: sound, frames: frames, scratch: segment.scratch)
      // The gain can overflow. Tapes and effects would keep the result.
      if !most.isFinite {
        count(nonFinite: sound.silenceNonFinite(frames: frames))
      }
    }
    isSilent = !passChannel(sound, isSilent: isSilent, frames: frames)
    let isWarpSounding = chain.input.process(
      sound, isSilent: isSilent, isNeeded: strips.isLiveWarpNeeded, to: segment.warped,
      frames: frames)
    chain.input.tune.publish(to: shared.tune)
    chain.input.harmonies.publish(to: shared.harmonies)
    guard !isSilent || isWarpSounding else {
      strips.live.pointee.skip(frames: frames)
      return
    }
    mix(
      sound, toChain: isWarpSounding ? .another(segment.warped) : .nothing, by: strips.live, ports,
      meters: (.live1, .live2), frames: frames)
  }

  /// Applies the channel strip to the live input in place, and passes the sound before or after it to recorders.
  ///
  /// Returns false if the result is silent.
  @_noLocks
  mutating func passChannel(_ sound: Stereo, isSilent: Bool, frames: Int) -> Bool {
    let share = input.recordedShare
    guard input.usesChannel else {
      input.recordedShare.skip(frames: frames)
      passToRecorders(isSilent ? nil : sound, frames: frames)
      return !isSilent
    }
    var isSounding = !isSilent
    if share.isMoving {
      let dry = segment.dry
      sound.copy(to: dry, frames: frames)
      isSounding = input.processChannel(sound, isSilent: isSilent, frames: frames)
      input.recordedShare.fill(segment.scratch, frames: frames)
      for frame in 0..<frames {
        dry.left[frame] += segment.scratch[frame] * (sound.left[frame] - dry.left[frame])
        dry.right[frame] += segment.scratch[frame] * (sound.right[frame] - dry.right[frame])
      }
      segment.isDrySilent = false
      loops.remember(dry, in: .live, frames: frames)
    } else if share.target == 0 {
      passToRecorders(isSilent ? nil : sound, frames: frames)
      isSounding = input.processChannel(sound, isSilent: isSilent, frames: frames)
    } else {
      isSounding = input.processChannel(sound, isSilent: isSilent, frames: frames)
      passToRecorders(isSounding ? sound : nil, frames: frames)
    }
    publishChannel()
    return isSounding
  }

  /// Passes the live input to the loops and captures.
  @_noLocks
  private mutating func passToRecorders(_ sound: Stereo?, frames: Int) {
    segment.isDrySilent = sound == nil
    loops.remember(sound, in: .live, frames: frames)
    if let sound, loops.isListening || taps.needsInput { segment.copyDry(sound, frames: frames) }
  }

  /// Publishes the gains of the channel strip.
  @_noLocks
  func publishChannel() {
    shared.channel.store(
      gate: input.channel.gate.gain, level: input.channel.leveler.decibels)
  }

  /// Publishes the notches of the feedback guard.
  @_noLocks
  func publishNotches() {
    for index in 0..<HowlGuard.mostNotches {
      let notch = input.howlGuard.notch(index)
      shared.notches.store(index, hertz: notch.hertz, decibels: notch.decibels)
    }
  }

  /// Mixes the harmonies, which were rendered with the live input.
  @_noLocks
  mutating func mixHarmonies(frames: Int, ports: Ports) {
    segment.areHarmoniesSounding = chain.input.harmonies.isSounding
    guard segment.areHarmoniesSounding else {
      if ports.use.has(.harmony) { ports.harmony.clear(frames: frames) }
      if !strips.harmony.pointee.isResting { strips.harmony.pointee.skip(frames: frames) }
      return
    }
    let sound = ports.harmony
    chain.input.harmonies.sound.copy(to: sound, frames: frames)
    mix(sound, by: strips.harmony, ports, frames: frames)
    fade(sound, frames: frames)
    count(nonFinite: sound.silenceNonFinite(frames: frames))
  }

  /// Renders the loops.
  @_noLocks
  mutating func renderLoops(frames: Int, ports: Ports) {
    var rest = loops.awake.union(strips.movingLoops).union(ports.use.loops).first(loops.count)
    while let index = rest.popFirst() {
      let stem = ports.stem(ofLoop: index)
      let sound = stem ?? segment.unwanted
      if loops.isAwake(index), loops.slot(index).pointee.render(to: sound, frames: frames) {
        mix(sound, by: strips.loop(index), ports, meters: (.loop1, .loop2), frames: frames)
        strips.noteMixed(loop: index)
      } else {
        stem?.clear(frames: frames)
        strips.skip(loop: index, frames: frames)
      }
    }
  }

  /// Renders the song, which has no stem.
  @_noLocks
  mutating func renderMusic(frames: Int, ports: Ports) {
    if songs.isAtRest {
      if !strips.music.pointee.isResting { strips.music.pointee.skip(frames: frames) }
      return
    }
    // The warped live input has been mixed already.
    let sound = segment.warped
    let isSounding = songs.render(to: sound, frames: frames)
    answerSongs()
    guard isSounding else {
      strips.music.pointee.skip(frames: frames)
      return
    }
    mix(sound, by: strips.music, ports, frames: frames)
  }

  /// Renders the notes of the grid.
  @_noLocks
  mutating func renderGrid(frames: Int, ports: Ports) {
    segment.isGridSounding =
      !sampler.isAtRest && sampler.render(to: ports.grid, frames: frames, shared.notes)
    if !sampler.isAtRest { answerInstruments() }
    guard segment.isGridSounding else {
      if ports.use.has(.grid) { ports.grid.clear(frames: frames) }
      if !strips.grid.pointee.isResting { strips.grid.pointee.skip(frames: frames) }
      return
    }
    mix(ports.grid, by: strips.grid, ports, meters: (.grid1, .grid2), frames: frames)
  }

  // MARK: - Into the mix

  /// Adds a source to the mix and to the bus of the chain through its strip.
  ///
  /// If it has meters, it also becomes the stem of the source, with the fade and the guard of the mix.
  @_noLocks
  mutating func mix(
    _ sound: Stereo, toChain send: ChainSend = .itself, by strip: UnsafeMutablePointer<Strip>,
    _ ports: Ports, meters: (left: Meters.Channel, right: Meters.Channel)? = nil, frames: Int
  ) {
    segment.open(frames: frames)
    strip.pointee.process(
      sound, toChain: send, chain: segment.bus, direct: ports.output, frames: frames,
      scratch: segment.scratch)
    guard let meters else { return }
    fade(sound, frames: frames)
    _ = stopNonFinite(sound.left, meter: meters.left, frames: frames)
    _ = stopNonFinite(sound.right, meter: meters.right, frames: frames)
  }

  /// Applies the fade of the engine to a stem.
  @_noLocks
  private func fade(_ sound: Stereo, frames: Int) {
    var fader = presence.fader
    fader.apply(to: sound, frames: frames, scratch: segment.scratch)
  }

  /// Replaces NaN and infinity by silence, before any filter can keep it.
  ///
  /// Returns the peak.
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

  /// Counts samples that were NaN or infinite.
  @_noLocks
  func count(nonFinite: Int) {
    if nonFinite > 0 { shared.nonFinite.add(UInt64(nonFinite), ordering: .relaxed) }
  }

  // MARK: - Recording

  /// Passes the sources to the recorders, and advances the loops.
  @_noLocks
  mutating func record(_ ports: Ports, frames: Int) {
    // First: layers read from there.
    loops.remember(segment.isGridSounding ? ports.grid : nil, in: .grid, frames: frames)
    loops.remember(segment.isOutputSilent ? nil : ports.output, in: .mix, frames: frames)
    loops.remember(
      segment.areHarmoniesSounding ? ports.harmony : nil, in: .harmony, frames: frames)
    var rest = loops.awake
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      if player.pointee.isListening {
        switch player.pointee.settings.source {
        case .live: player.pointee.listen(to: segment.input, frames: frames)
        case .grid:
          player.pointee.listen(
            to: segment.isGridSounding ? ports.grid : segment.silence, frames: frames)
        case .mix: player.pointee.listen(to: ports.output, frames: frames)
        case .harmony:
          player.pointee.listen(
            to: segment.areHarmoniesSounding ? ports.harmony : segment.silence, frames: frames)
        }
      }
      player.pointee.advance(frames: frames, from: present)
      if player.pointee.carry(frames: frames) {
        let transfer = player.pointee.transfer
        player.pointee.transfer.end()
        answer(nil, transfer.origin)
      }
    }
    loops.letSleep()
  }

  // MARK: - Answers

  /// Answers the command that changed the song, if one has.
  @_noLocks
  mutating func answerSongs() {
    if let change = songs.nextAnswer() {
      push(.done, to: change.origin)
    }
  }

  /// Answers the commands whose former instruments were released.
  @_noLocks
  mutating func answerInstruments() {
    while let change = sampler.nextAnswer() {
      push(.done, to: change.origin)
    }
  }
}
