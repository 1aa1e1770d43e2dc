internal import DSP
internal import Synchronization

/// The sound of a segment, from the inputs to the outputs.
extension Core {
  /// How many frames until the input is as loud as a recording waits for; begins it where it is
  /// now.
  @_noLocks
  mutating func framesToSound(_ input: Stereo, frames: Int) -> Int {
    var first = frames
    var rest = loops.awake
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      guard player.pointee.isWaitingForSound(at: present) else { continue }
      let least = player.pointee.settings.threshold / max(inGain.target, 1e-6)
      for frame in 0..<first {
        // False for what is no number.
        guard abs(input.left[frame]) >= least || abs(input.right[frame]) >= least else { continue }
        if frame > 0 {
          first = frame
        } else {
          player.pointee.hearSound(at: present)
          first = min(first, player.pointee.framesToGo(at: present))
        }
        break
      }
    }
    return first
  }

  /// Whether the live input goes through the chain, or will as soon as it can.
  var isLiveThroughChain: Bool {
    @_noLocks get { live.pointee.isThroughChain || framesUntilChain > 0 }
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
    isSounding = false
    renderLive(frames: frames, ports: ports)
    renderLoops(frames: frames, ports: ports)
    renderMusic(frames: frames, ports: ports)
    renderGrid(frames: frames, ports: ports)
    let isClicking = metronome.render(
      to: ports.click, isHeard: ports.use.has(.click), frames: frames, scratch: scratch)
    var fade = presence
    if isClicking { fade.apply(to: ports.click, frames: frames, scratch: scratch) }
    let fades = master.fades

    if !isSounding { clearBus(frames: frames) }
    let isChainSounding = chain.process(bus, isSilent: !isSounding, frames: frames)
    shared.chainDelay.store(isLiveThroughChain ? inputDelay : 0, ordering: .relaxed)
    isOutputSilent = !isSounding && !isChainSounding
    if !isOutputSilent {
      clearBusFrames = 0
      if isChainSounding {
        Blocks.add(bus.left, times: 1, to: out.left, frames: frames)
        Blocks.add(bus.right, times: 1, to: out.right, frames: frames)
      }
      finish(out, frames: frames)
    } else {
      presence.skip(frames: frames)
      shared.meters.raise(.limiter, to: 1 / master.rest(out, frames: frames))
    }
    record(ports, frames: frames)
    if isOutputSilent { isAtRest = canRest }
    if isClicking || master.isLimitingLast {
      addClick(isClicking ? ports.click : nil, to: ports.output, fades, frames: frames)
    }
    if capture.isOn {
      capture.write(
        input: isDrySilent ? silence : dry, output: ports.output, frames: frames)
    }
    if tuner.isOn {
      tuner.write(input: isDrySilent ? silence : dry, output: ports.output, frames: frames)
    }
  }

  /// Adds the metronome to what is heard, behind all that is recorded of it.
  @_noLocks
  mutating func addClick(
    _ sound: UnsafeMutablePointer<Float>?, to out: Stereo, _ fades: Master.Fades, frames: Int
  ) {
    // Its memory is free again: what the warp made, and the song after that, has been mixed.
    let click = warped.left
    var fades = fades
    if let sound {
      Blocks.copy(sound, to: click, frames: frames)
    } else {
      Blocks.clear(click, frames: frames)
    }
    fades.apply(to: click, frames: frames, scratch: scratch)
    let finding = master.addLast(click, to: out, frames: frames)
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
      isInputOver && chain.isAtRest && loops.awake.isEmpty && songs.isAtRest && sampler.isAtRest
        && metronome.isResting && framesUntilChain == 0
        && (!isGuarding || howlGuard.isResting) && inGain.isResting && areStripsResting
        && master.isResting && presence.isResting
    }
  }

  private var areStripsResting: Bool {
    @_noLocks get {
      live.pointee.isResting && movingStrips.isEmpty && grid.pointee.isResting
        && music.pointee.isResting
    }
  }

  /// Renders silence, and touches nothing else.
  @_noLocks
  mutating func rest(_ ports: Ports, frames: Int) {
    if ports.use.has(.output) { Core.clear(ports.output, frames: frames) }
    if ports.use.has(.live) { Core.clear(ports.live, frames: frames) }
    var stems = ports.use.loops.first(loops.count)
    while let index = stems.popFirst() {
      if let stem = ports.stem(ofLoop: index) { Core.clear(stem, frames: frames) }
    }
    if ports.use.has(.grid) { Core.clear(ports.grid, frames: frames) }
    if ports.use.has(.click) { Blocks.clear(ports.click, frames: frames) }
    loops.remember(nil, in: .live, frames: frames)
    loops.remember(nil, in: .grid, frames: frames)
    loops.remember(nil, in: .mix, frames: frames)
    capture.rest(frames: frames)
    tuner.rest(frames: frames)
    restedFrames &+= frames
  }

  /// Ends the rest, and tells the chain how long that was.
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
}
