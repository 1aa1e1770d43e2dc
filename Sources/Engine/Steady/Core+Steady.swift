internal import CRealtime
internal import DSP
internal import Synchronization

/// Runs of blocks in which nothing changes.
extension Core {
  // The limiter stays open while the peaks of all sources add up to less.
  private static var safePeak: Float { @_noLocks get { 0.95 } }

  // MARK: - A block

  /// Renders a block of the run.
  ///
  /// Returns false, and changes nothing, if something is due in it.
  @_noLocks
  mutating func renderSteadily(_ cycle: Cycle, frames: Int, ports: Ports) -> Bool {
    guard frames == steady.frames, steady.done &+ frames <= steady.most,
      cycle.frame == steady.nextCount, ports.use.bits == steady.use.bits, !cycle.isFreewheeling,
      !commands.hasNext(in: shared.commands), !trackers.isSnapshotDue
    else { return false }
    if let messages = ports.midiIn, messages.count > 0 { return false }

    // The history needs a copy of the input, which counts as written at the end of the run.
    let memory = steady.inputMemory?.advanced(by: steady.done)
    let inLeft = Magnitude(bits: rt_peak(ports.input.left, memory?.left, frames))
    let inRight = Magnitude(bits: rt_peak(ports.input.right, memory?.right, frames))
    guard inLeft.isFinite, inRight.isFinite,
      // Not of the bits: denormals count as silence.
      (inLeft.peak != 0 || inRight.peak != 0) == steady.isInputSounding
    else { return false }
    var (loopLeft, loopRight): (Float, Float) = (0, 0)
    let (liveLeft, liveRight) = (
      inLeft.peak * steady.inputGain, inRight.peak * steady.inputGain
    )
    var most = steady.isInputHeard ? max(liveLeft, liveRight) : 0
    for index in 0..<steady.count {
      let peaks = steady.sources[index].peaks(frames: frames)
      most += max(peaks.left, peaks.right)
      loopLeft = max(loopLeft, peaks.left)
      loopRight = max(loopRight, peaks.right)
    }
    guard most.isFinite, liveLeft.isFinite, liveRight.isFinite else { return false }

    // JACK passes on the port buffers of a late block while it is rendered: they must never contain a sum that
    // the limiter would reduce.
    let isSafe = most * steady.mostGain < Self.safePeak
    let out = isSafe ? ports.output : segment.mix
    var (outLeft, outRight) = (Magnitude(bits: 0), Magnitude(bits: 0))
    if steady.isIdle {
      if ports.use.has(.output) { out.clear(frames: frames) }
    } else {
      mixSteadily(ports.input, to: out, frames: frames)
      outLeft = Magnitude(bits: rt_peak(out.left, nil, frames))
      outRight = Magnitude(bits: rt_peak(out.right, nil, frames))
    }
    if !isSafe {
      guard Limiter.passes(outLeft), Limiter.passes(outRight) else { return false }
      out.copy(to: ports.output, frames: frames)
    }

    ports.midiOut?.clear()
    _ = time.startBlock(cycle)
    shared.clock.publish(time.reading(isNominal: false))
    time.move(to: frames)
    if steady.isInputSounding {
      shared.meters.raise(.in1, to: inLeft.peak)
      shared.meters.raise(.in2, to: inRight.peak)
      shared.meters.raise(.live1, to: liveLeft)
      shared.meters.raise(.live2, to: liveRight)
    }
    if !steady.isIdle {
      shared.meters.raise(.loop1, to: loopLeft)
      shared.meters.raise(.loop2, to: loopRight)
      shared.meters.raise(.out1, to: outLeft.peak)
      shared.meters.raise(.out2, to: outRight.peak)
      shared.meters.raise(.limiter, to: 1)
    }
    for index in 0..<steady.count { steady.sources[index].advance(frames: frames) }
    steady.done &+= frames
    steady.nextCount = cycle.frame &+ UInt32(truncatingIfNeeded: frames)
    shared.frames.add(UInt64(frames), ordering: .relaxed)
    // Not in the full block that follows, which would then cost more than any other.
    if steady.done &+ frames > steady.most { endSteadyRun() }
    return true
  }

  /// Adds up the sources, in the order of full blocks.
  @_noLocks
  private mutating func mixSteadily(_ input: Stereo, to out: Stereo, frames: Int) {
    var isFirst = true
    if steady.isInputHeard {
      rt_mix(input.left, steady.inputGain, 1, out.left, true, frames)
      rt_mix(input.right, steady.inputGain, 1, out.right, true, frames)
      isFirst = false
    }
    for index in 0..<steady.count {
      steady.sources[index].mix(to: out, isFirst: isFirst, frames: frames)
      isFirst = false
    }
    if isFirst { out.clear(frames: frames) }
    if steady.isOutputScaled {
      master.applyResting(to: out, frames: frames, scratch: segment.scratch)
    }
  }

  // MARK: - Its start and end

  /// Begins a run after a full block if nothing will change in the next one.
  @_noLocks
  mutating func beginSteadyRun() {
    steady.isDue = false
    if commands.hasNext(in: shared.commands) { return }
    let frames = steady.frames
    steady.isIdle = idle.isOn
    // Stems and the click are written by full blocks only.
    guard frames <= SegmentMemory.longest, steady.use.subtracting(.main).isEmpty,
      steady.isIdle || input.isPassing && chain.areEffectsOff, areUnitsSteady
    else {
      steady.blocksToWait = SteadyRun.mostBlocksToWait
      return
    }
    steady.isInputSounding = !steady.isIdle && !segment.isDrySilent
    steady.most = min(
      SteadyRun.longest, beatWatch.framesToGo(at: present, beats: loops.time.pointee.beats))
    let untilCommand = commands.nextFrame &- present
    if untilCommand < Int64(steady.most) { steady.most = Int(max(0, untilCommand)) }
    if steady.isIdle {
      (steady.isInputHeard, steady.inputMemory) = (false, nil)
      (steady.loops, steady.layered, steady.count) = (.none, .none, 0)
    } else if !followInput() {
      return
    } else if !followLoops() {
      steady.blocksToWait = SteadyRun.mostBlocksToWait
      return
    }
    if trackers.isBehind(besides: steady.layered) {
      steady.blocksToWait = SteadyRun.mostBlocksToWait
      return
    }
    (steady.done, steady.start) = (0, present)
    steady.mostGain = master.restingGain
    steady.isOutputScaled = !master.passes
    steady.isOn = steady.most >= frames
  }

  /// Whether no unit but the input and the loops sounds or changes without a command or a message.
  private var areUnitsSteady: Bool {
    @_noLocks get {
      guard case .own = tempoSource, strips.isResting, master.isResting, presence.isSteady,
        songs.isSteady, sampler.isAtRest, metronome.isResting, !metronome.isOn
      else { return false }
      guard case .none = lights.map, !taps.isOn, !phrases.isRunning, !clockOut.isOn,
        !pedals.isWaiting, !outbox.isBehind, commands.isInBudget
      else { return false }
      return steady.isIdle || loops.remembersOnlyInput
    }
  }

  /// Prepares the input for a run.
  ///
  /// Returns false if it doesn't pass unchanged.
  @_noLocks
  private mutating func followInput() -> Bool {
    let sounds = steady.isInputSounding
    let live = strips.live
    guard chain.input.isSteady(sounds: sounds, isNeeded: strips.isLiveWarpNeeded) else {
      return false
    }
    let gains = live.pointee.restingGains
    guard gains.left == 1, gains.right == 1 else { return false }
    steady.inputGain = gains.both
    steady.isInputHeard = false
    if case .off = live.pointee.restingRoute {} else { steady.isInputHeard = sounds }
    steady.inputMemory = nil
    if !sounds { return true }
    guard let room = loops.inputHistory.pointee.room() else { return false }
    steady.inputMemory = room.place
    steady.most = min(steady.most, room.frames)
    return true
  }

  /// Prepares the loops for a run.
  ///
  /// Returns false if something else than their clips is heard of them, or if two sources take different routes.
  @_noLocks
  private mutating func followLoops() -> Bool {
    var isChain = false
    var isDirect = false
    if steady.isInputHeard {
      if case .chain = strips.live.pointee.restingRoute { isChain = true } else { isDirect = true }
    }
    steady.loops = loops.awake
    steady.layered = .none
    steady.count = 0
    var rest = loops.awake
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      guard let clip = player.pointee.steadyClip else { return false }
      let strip = strips.loop(index)
      let published = shared.loops.pointer(index)
      switch strip.pointee.restingRoute {
      case .chain: isChain = true
      case .direct: isDirect = true
      case .off: return false
      }
      (steady.sources + steady.count).initialize(
        to: SteadyRun.Source(
          clip, strip.pointee, position: player.pointee.tape.position,
          length: player.pointee.tape.length, published))
      if player.pointee.isListening { steady.layered.insert(index) }
      steady.most = min(steady.most, clip.frames)
      steady.count &+= 1
    }
    return !(isChain && isDirect) && (steady.count > 0 || steady.isInputSounding)
  }

  /// Ends the run: brings all units to the state that full blocks would have left.
  @_noLocks
  mutating func endSteadyRun() {
    if !steady.isOn { return }
    steady.isOn = false
    let frames = steady.frames
    var done = 0
    while done < steady.done {
      loops.followTempo(at: steady.start &+ Int64(done), block: frames)
      if steady.isIdle {
        loops.remember(nil, in: .live, frames: frames)
        idle.skip(frames: frames)
      } else {
        catchUp(steady.inputMemory?.advanced(by: done) ?? segment.silence, frames: frames)
      }
      loops.remember(nil, in: .grid, frames: frames)
      loops.remember(nil, in: .mix, frames: frames)
      loops.remember(nil, in: .harmony, frames: frames)
      done &+= frames
    }
    if steady.layered.isEmpty {
      if steady.count > 0 { trackers.skip(frames: done, stirred: steady.loops) }
    } else if done > 0 {
      trackers.skip(frames: done &- frames, stirred: steady.loops)
      trackers.follow(
        loops, stirred: steady.loops, at: steady.start &+ Int64(done), frames: frames,
        rate: Int(sampleRate))
    }
  }

  /// Passes a block of the run to the units that are not idle.
  @_noLocks
  private mutating func catchUp(_ sound: Stereo, frames: Int) {
    if steady.isInputSounding {
      loops.inputHistory.pointee.append(frames: frames)
    } else {
      loops.remember(nil, in: .live, frames: frames)
    }
    _ = chain.input.process(
      sound, isSilent: !steady.isInputSounding, isNeeded: strips.isLiveWarpNeeded,
      to: segment.warped, frames: frames)
    var rest = steady.loops
    while let index = rest.popFirst() {
      _ = loops.slot(index).pointee.render(to: segment.unwanted, frames: frames)
    }
    rest = steady.layered
    while let index = rest.popFirst() {
      let player = loops.slot(index)
      player.pointee.listen(to: sound, frames: frames)
      player.pointee.picture(to: shared.loops.pointer(index), frames: frames)
    }
    _ = chain.process(segment.bus, isSilent: false, frames: frames)
  }
}
