internal import DSP
internal import Synchronization

/// The source of the beats.
extension Core {
  // The change of MIDI clock's tempo that is passed on, in beats per minute: less is noise.
  private static var leastChange: Float { @_noLocks get { 0.02 } }
  // Smaller deviations from a session at a change of its tempo are corrected without a jump.
  private static var leastJumpSeconds: Double { @_noLocks get { 0.02 } }
  private static var slackOfBarSeconds: Double { @_noLocks get { 0.002 } }

  /// Follows the source of the beats, from the start of a block.
  ///
  /// Nothing is published for the own tempo, which is a parameter.
  @_noLocks
  mutating func followTempo(_ cycle: Cycle, _ clock: MIDIBlock?, frames: Int) {
    transport.isRolling = false
    if tempoSource == .own { return }
    var tempo: Float = 0
    var reading = TempoReading()
    switch tempoSource {
    case .own: break
    case .jack: tempo = follow(cycle.transport, frames: frames)
    case .midi: tempo = followMIDI(clock, frames: frames, &reading)
    case .link: tempo = followLink(frames: frames, &reading)
    }
    isTempoFollowed = tempo > 0
    loops.time.pointee.isTempoFollowed = isTempoFollowed
    let known = Float(bitPattern: shared.followedTempo.load(ordering: .relaxed))
    let isNoise = tempoSource == .midi && isTempoFollowed && abs(tempo - known) < Self.leastChange
    if !isNoise {
      shared.followedTempo.store(tempo.bitPattern, ordering: .relaxed)
    }
    if transport.isRolling { reading.isRunning = true }
    if tempoSource == .jack { reading.isLocked = transport.isRolling }
    if wasSourceRunning && !reading.isRunning && values[.beat(.stopsLoops)] != 0 {
      loops.stopAll(at: present)
    }
    wasSourceRunning = reading.isRunning
    // Link's beats are those of the host's clock, not of the sound card's.
    reading.beatsPerMinute =
      tempoSource == .link && isTempoFollowed
      ? link.latest.beatsPerMinute : loops.time.pointee.beats.beatsPerMinute
    shared.tempo.publish(reading)
  }

  /// Sets the source of the beats.
  @_noLocks
  mutating func setTempoSource(_ source: TempoSource) {
    if source == tempoSource { return }
    tempoSource = source
    wasSourceRunning = false
    midiClock = MIDIClock(sampleRate: sampleRate)
    link.forget()
    isTempoFollowed = false
    loops.time.pointee.isTempoFollowed = false
    shared.followedTempo.store(0, ordering: .relaxed)
    shared.transportFollowed.store(source == .jack, ordering: .relaxed)
    loops.time.pointee.beats.follow()
    var reading = TempoReading()
    reading.isLocked = source == .own
    reading.beatsPerMinute = loops.time.pointee.beats.beatsPerMinute
    shared.tempo.publish(reading)
  }

  /// Returns the tempo of JACK's transport, or 0.
  @_noLocks
  private mutating func follow(_ server: Transport, frames: Int) -> Float {
    transport.isRolling = server.isRolling
    let jumps = transport.advance(server, frames: frames)
    if shared.isTransportLed {
      // This node sets its bars and beats. Only starts and jumps are followed, and counted from the
      // transport's start.
      if jumps {
        loops.follow(Transport(isRolling: true, frame: server.frame), at: time.blockStart)
      }
      return 0
    }
    if server.isRolling {
      loops.follow(server, at: time.blockStart)
    } else {
      loops.time.pointee.beats.follow()
    }
    return server.isRolling ? Float(server.beatsPerMinute) : 0
  }

  /// Returns the tempo of MIDI clock, or 0.
  @_noLocks
  private mutating func followMIDI(
    _ clock: MIDIBlock?, frames: Int, _ reading: inout TempoReading
  ) -> Float {
    if let clock {
      for index in 0..<clock.count {
        midiClock.receive(clock[index], at: Double(present) + Double(clock[index].frame))
      }
    }
    let now = Double(present)
    reading.isLocked = midiClock.isLocked(at: now)
    reading.isRunning = midiClock.isRunning
    // Without ticks the beats continue at the last tempo. A Start is followed at its first tick.
    if midiClock.hasTempo && !midiClock.isPaused(at: now) || midiClock.hasJumped {
      let position = midiClock.read(
        at: now - tempoOffset,
        presentFramesPerBeat: loops.time.pointee.beats.exact(1))
      loops.follow(position, at: present, after: frames)
    }
    if !midiClock.hasTempo { return 0 }
    reading.error = midiClock.uncertainty / sampleRate * 1000
    return Float(sampleRate * 60 / midiClock.framesPerBeat)
  }

  /// Returns the tempo of the Link session, or 0.
  @_noLocks
  private mutating func followLink(frames: Int, _ reading: inout TempoReading) -> Float {
    switch shared.link.read() {
    case .nothing:
      link.leave()
      reading.isLocked = false
      return 0
    case .busy: break
    case .reading(let latest): link.receive(latest)
    }
    guard link.isJoined else {
      reading.isLocked = false
      return 0
    }
    // What is rendered now is heard after the latency of the output.
    let clock = time.reading(isNominal: false)
    let heard = Double(present) + Double(shared.outputDelayFrames) - tempoOffset
    let microseconds =
      clock.microseconds + (heard - Double(clock.frame)) * clock.microsecondsPerFrame
    let position = link.position(
      at: microseconds, microsecondsPerFrame: clock.microsecondsPerFrame,
      leastJump: Self.leastJumpSeconds * sampleRate)
    loops.follow(position, at: present, after: frames)
    let start = link.latest.start - microseconds
    startLinkClock(
      at: Double(present) + start / clock.microsecondsPerFrame, frames: frames)
    return Float(link.latest.beatsPerMinute)
  }

  /// Notes that the session plays, from the first bar on that is not before a frame.
  @_noLocks
  private mutating func startLinkClock(at frame: Double, frames: Int) {
    if link.isRunning || !(frame < Double(present) + Double(frames)) { return }
    // The bar of a start by another program may be a few frames earlier here.
    let slack = Self.slackOfBarSeconds * sampleRate
    let first = Int64(max(frame - slack, Double(present) - 1e9))
    let bar = loops.time.pointee.beats.next(.bar, from: first)
    link.isRunning = bar < present &+ Int64(frames)
  }

  // MARK: - Sending

  /// Turns MIDI clock on the output on or off.
  @_noLocks
  mutating func setClockOut(_ isOn: Bool) {
    if clockOut.setOn(isOn) { _ = outbox.tell(0xFC) }
  }

  /// Sends the messages of MIDI clock that are due.
  @_noLocks
  mutating func sendClock() {
    let runs =
      metronome.isOn || transport.isRolling || tempoSource == .midi && midiClock.isRunning
      || tempoSource == .link && link.isRunning || loops.isRunning
    clockOut.advance(
      to: present, beats: loops.time.pointee.beats, isRunning: runs,
      delay: Int64(Double(values[.beat(.clockOffset)]) / 1000 * sampleRate), outbox: outbox)
  }

  // The delay of the beats against their source, in frames.
  private var tempoOffset: Double {
    @_noLocks get { Double(values[.beat(.offset)]) / 1000 * sampleRate }
  }
}
