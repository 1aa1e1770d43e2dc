internal import DSP
internal import Synchronization

/// The sound of a segment, from the inputs to the outputs.
extension Core {
  /// The number of frames until the input reaches the threshold of a recording, which it starts if that is
  /// the first frame.
  @_noLocks
  mutating func framesToSound(_ sound: Stereo, frames: Int) -> Int {
    var first = frames
    var rest = loops.awake
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      guard player.pointee.isWaitingForSound(at: present) else { continue }
      let least = player.pointee.settings.threshold / max(input.gain.target, 1e-6)
      for frame in 0..<first {
        // False for NaN.
        guard abs(sound.left[frame]) >= least || abs(sound.right[frame]) >= least else { continue }
        if frame > 0 {
          first = frame
        } else {
          loops.hearSound(index, at: present)
          first = min(first, player.pointee.framesToGo(at: present))
        }
        break
      }
    }
    return first
  }

  @_noLocks
  mutating func renderSegment(frames: Int, ports outside: Ports) {
    if idle.isOn {
      if outside.input.isSilent(frames: frames) {
        renderIdle(outside, frames: frames)
        return
      }
      wake()
    }
    // JACK passes on the port buffers of a late block while it is rendered: they must never contain the sum before the
    // limiter.
    var ports = outside
    ports.output = segment.mix
    if taps.isOnPorts {
      taps.noteLoops(loops, at: present)
      ports = taps.completing(ports)
    }
    let out = ports.output
    out.clear(frames: frames)
    segment.start()
    renderLive(frames: frames, ports: ports)
    mixHarmonies(frames: frames, ports: ports)
    renderLoops(frames: frames, ports: ports)
    renderMusic(frames: frames, ports: ports)
    renderGrid(frames: frames, ports: ports)
    let isClicking = metronome.render(
      to: ports.click, isConnected: ports.use.has(.click), frames: frames, scratch: segment.scratch)
    var fade = presence.fader
    if isClicking { fade.apply(to: ports.click, frames: frames, scratch: segment.scratch) }
    let fades = master.fades

    if !segment.isSounding { segment.clearBus(frames: frames) }
    let isChainSounding = chain.process(
      segment.bus, isSilent: !segment.isSounding, frames: frames)
    shared.chainDelay.store(strips.isLiveThroughChain ? inputDelay : 0, ordering: .relaxed)
    segment.isOutputSilent = !segment.isSounding && !isChainSounding
    if !segment.isOutputSilent {
      segment.noteEffects()
      if isChainSounding {
        Blocks.add(segment.bus.left, times: 1, to: out.left, frames: frames)
        Blocks.add(segment.bus.right, times: 1, to: out.right, frames: frames)
      }
      finish(out, frames: frames)
    } else {
      presence.fader.skip(frames: frames)
      shared.meters.raise(.limiter, to: 1 / master.rest(out, frames: frames))
    }
    record(ports, frames: frames)
    if segment.isOutputSilent { idle.set(canIdle) }
    if isClicking || master.isLimitingLast {
      addClick(isClicking ? ports.click : nil, to: ports.output, fades, frames: frames)
    }
    taps.write(input: segment.input, ports: ports, at: present, frames: frames)
    if outside.use.has(.output) { out.copy(to: outside.output, frames: frames) }
  }

  /// Adds the metronome to the output, after everything that records it.
  @_noLocks
  private mutating func addClick(
    _ sound: UnsafeMutablePointer<Float>?, to out: Stereo, _ fades: Master.Fades, frames: Int
  ) {
    // The warped input and the song have been mixed: their memory is free.
    let click = segment.warped.left
    var fades = fades
    if let sound {
      Blocks.copy(sound, to: click, frames: frames)
    } else {
      Blocks.clear(click, frames: frames)
    }
    fades.apply(to: click, frames: frames, scratch: segment.scratch)
    raiseMeters(master.addLast(click, to: out, frames: frames))
  }

  @_noLocks
  private mutating func finish(_ out: Stereo, frames: Int) {
    presence.fader.apply(to: out, frames: frames, scratch: segment.scratch)
    let finding = master.process(out, frames: frames, scratch: segment.scratch)
    count(nonFinite: finding.nonFinite)
    raiseMeters(finding)
  }

  @_noLocks
  private func raiseMeters(_ finding: Master.Finding) {
    shared.meters.raise(.out1, to: finding.leftPeak)
    shared.meters.raise(.out2, to: finding.rightPeak)
    shared.meters.raise(.limiter, to: 1 / finding.limiterGain)
  }

  // MARK: - Idle

  /// Whether the core stays silent and unchanged until a command or a sound is received.
  private var canIdle: Bool {
    @_noLocks get {
      input.isResting && chain.isAtRest && loops.awake.isEmpty && songs.isAtRest
        && sampler.isAtRest && metronome.isResting && strips.isResting && master.isResting
        && presence.fader.isResting
    }
  }

  /// Renders silence, and accesses nothing else.
  @_noLocks
  private mutating func renderIdle(_ ports: Ports, frames: Int) {
    if ports.use.has(.output) { ports.output.clear(frames: frames) }
    if ports.use.has(.live) { ports.live.clear(frames: frames) }
    var stems = ports.use.loops.first(loops.count)
    while let index = stems.popFirst() { ports.stem(ofLoop: index)?.clear(frames: frames) }
    if ports.use.has(.harmony) { ports.harmony.clear(frames: frames) }
    if ports.use.has(.grid) { ports.grid.clear(frames: frames) }
    if ports.use.has(.click) { Blocks.clear(ports.click, frames: frames) }
    loops.remember(nil, in: .live, frames: frames)
    loops.remember(nil, in: .grid, frames: frames)
    loops.remember(nil, in: .mix, frames: frames)
    loops.remember(nil, in: .harmony, frames: frames)
    taps.noteLoops(loops, at: present)
    taps.rest(at: present, frames: frames)
    idle.skip(frames: frames)
  }

  /// Ends the idle state, and advances the chain by its duration.
  @_noLocks
  mutating func wake() {
    let frames = idle.end()
    if frames > 0 { chain.rest(frames: frames) }
  }
}
