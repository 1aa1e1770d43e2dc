internal import DSP
internal import Synchronization

/// The change to another driver, of the same or another sample rate.
extension Core {
  /// Prepares for another driver.
  ///
  /// Call this only while nothing renders.
  mutating func restart(sampleRate: Double, _ start: DriverStart) {
    endSteadyRun()
    steady.isDue = false
    let rate = Float(sampleRate)
    let formerRate = self.sampleRate
    time.setDriver(sampleRate: sampleRate)
    strips.setSampleRate(rate)
    master.setSampleRate(rate)
    presence.open(start, sampleRate: rate)
    taps.setSampleRate(sampleRate)
    phrases.setSampleRate(sampleRate, at: present)
    if sampleRate == formerRate {
      chain.reset()
      input.restart()
    } else {
      replaceUnits(sampleRate: sampleRate, ratio: sampleRate / formerRate)
    }
    loops.time.pointee.hasInput = start != .withoutInput
    _ = idle.end()
    // Commands can be scheduled before the first block, which needs a clock.
    if start == .atFullLevel { shared.clock.publish(time.reading(isNominal: true)) }
  }

  /// Replaces the units that depend on the sample rate, which has become `ratio` times as high.
  ///
  /// All planned times are converted around the end of the last block. Songs and instruments are released: the
  /// control side sends them again at the new rate.
  private mutating func replaceUnits(sampleRate: Double, ratio: Double) {
    input.setSampleRate(sampleRate)
    publishNotches()
    chain = Chain(sampleRate: sampleRate, warp: chain.warp)
    chain.input.tune.use(inlet.map)
    if let change = songs.dropChange() { answer(.otherRate, change.origin) }
    answerSongs()
    songs = SongPlayer(sampleRate: sampleRate)
    sampler.begin(sampleRate: sampleRate, shared.notes)
    outbox.tell(.allOff)
    answerInstruments()
    metronome = Metronome(sampleRate: sampleRate)
    beatWatch.setSampleRate(sampleRate, ratio: ratio, around: present)
    midiClock = MIDIClock(sampleRate: sampleRate)
    wasSourceRunning = false
    commands.convert(by: ratio, around: present)
    for index in 0..<loops.count {
      let transfer = loops.slot(index).pointee.transfer
      if transfer.isUnderWay { answer(.transferring, transfer.origin) }
    }
    shared.interrupted.bitwiseOr(loops.breakOff(at: present), ordering: .relaxed)
    loops.finishWork()
    var former = Loops(loops.setup, sampleRate: sampleRate)
    swap(&loops, &former)
    publishMemory()
    restoreParameters()
    loops.adopt(former, at: present)
    trackers.use(loops.memory.clips)
  }

  /// Starts a block, the first one of a driver or the next.
  @_noLocks
  mutating func startBlock(_ cycle: Cycle) {
    switch time.startBlock(cycle) {
    case .next(let gap): if gap > 0 { resume(after: gap) }
    case .newDriver(let handover): goOn(after: handover)
    }
    shared.freewheeling.store(cycle.isFreewheeling, ordering: .relaxed)
    shared.clock.publish(time.reading(isNominal: cycle.isFreewheeling))
  }

  /// Continues in a driver's first block, at the time that it is by then.
  @_noLocks
  private mutating func goOn(after handover: Handover) {
    commands.follow(handover, shared.commands)
    let interrupted = loops.goOn(after: handover, at: present)
    if interrupted != 0 { shared.interrupted.bitwiseOr(interrupted, ordering: .relaxed) }
    phrases.shift(by: handover.shift)
    phrases.skip(to: present)
    beatWatch.shift(by: handover.shift)
    taps.goOn(at: present, after: handover.passed)
    // Keys and pedals can have been released while no server was running.
    for key in 0..<128 { play(.off(.midi(UInt8(truncatingIfNeeded: key)))) }
    control(64, 0)
    pedals.liftAll()
    lights.forget()
  }

  /// Continues after an xrun, which has lost frames.
  ///
  /// Own beats wait for the loops and the phrase, whose sound was interrupted, as JACK's transport does. With MIDI
  /// clock and Link, which go on, the loops catch up.
  @_noLocks
  private mutating func resume(after gap: Int64) {
    switch tempoSource {
    case .own, .jack:
      loops.delay(by: gap)
      phrases.shift(by: gap)
      commands.delayBeats(by: gap, shared.commands)
    case .midi, .link: loops.catchUp(gap)
    }
  }
}
