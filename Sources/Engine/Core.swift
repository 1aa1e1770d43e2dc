internal import CRealtime
internal import DSP
internal import Synchronization

/// The core of the engine: everything that only the rendering thread touches.
struct Core: ~Copyable {
  let shared: Shared
  let values = ParameterValues()
  var commands = CommandReader()
  var time: EngineTime
  var transport = TransportState()
  var tempoSource = TempoSource.own
  /// Whether the source of the beats has a tempo.
  var isTempoFollowed = false
  var midiClock: MIDIClock
  var link = LinkSession()
  var wasSourceRunning = false

  var input: InputStage
  var chain: Chain
  var loops: Loops
  /// The audio thread's end of the loop journal.
  var trackers: LoopTrackers
  var songs: SongPlayer
  var sampler: Sampler
  var phrases: PhraseTape
  var metronome: Metronome
  var beatWatch: BeatWatch
  // The start of the leading loop's next cycle, as it was published last.
  private var cyclePublished = Int64.max
  var inlet = MIDIInlet()
  var outbox = MIDIOutbox()
  var clockOut = MIDIClockOut()
  var pedals = Pedals()
  var lights = PedalLights()
  // The number of pedal actions left in the block.
  var actionsLeft = 0

  var strips: Strips
  var master: Master
  var presence: Presence
  var taps: Taps
  var segment = SegmentMemory()
  var idle = Idle()
  var steady: SteadyRun

  init(shared: Shared, loops setup: LoopSetup, sampleRate: Double) {
    self.shared = shared
    let rate = Float(sampleRate)
    time = EngineTime(sampleRate: sampleRate)
    midiClock = MIDIClock(sampleRate: sampleRate)
    input = InputStage(sampleRate: sampleRate)
    chain = Chain(sampleRate: sampleRate)
    loops = Loops(setup, sampleRate: sampleRate)
    trackers = LoopTrackers(count: loops.count, shared.journal)
    songs = SongPlayer(sampleRate: sampleRate)
    sampler = Sampler(sampleRate: sampleRate)
    phrases = PhraseTape(sampleRate: sampleRate)
    metronome = Metronome(sampleRate: sampleRate)
    midiClock = MIDIClock(sampleRate: sampleRate)
    beatWatch = BeatWatch(sampleRate: sampleRate)
    strips = Strips(loops: loops.count, sampleRate: rate)
    master = Master(sampleRate: rate)
    presence = Presence(sampleRate: rate)
    taps = Taps(sampleRate: sampleRate)
    steady = SteadyRun(loops: loops.count)
    publishMemory()
    trackers.use(loops.memory.clips)
    restoreParameters()
  }

  /// Sets all parameters again, in units that were created for a new sample rate.
  mutating func restoreParameters() {
    for parameter in Parameter.allCases { set(parameter, values[parameter]) }
    chain.settle()
    strips.settle()
  }

  func publishMemory() {
    let memory = loops.memory
    shared.loopMemory.withLock { $0 = memory }
  }

  /// The next frame to be rendered.
  var present: Int64 { @_noLocks get { time.present } }

  /// The sample rate, in Hz.
  var sampleRate: Double { @_noLocks get { time.sampleRate } }

  // MARK: - Blocks

  /// Renders a block of any length.
  @_noLocks
  mutating func render(_ cycle: Cycle, frames: Int, ports: Ports) {
    rt_flush_denormals()
    // Not at the end of the full block before, which costs more than any other.
    if steady.isDue { beginSteadyRun() }
    if steady.isOn {
      if renderSteadily(cycle, frames: frames, ports: ports) { return }
      endSteadyRun()
    }
    renderFully(cycle, frames: frames, ports: ports)
    steady.noteFullBlock(cycle, frames: frames, use: ports.use)
  }

  @_noLocks
  private mutating func renderFully(_ cycle: Cycle, frames: Int, ports: Ports) {
    let isFirst = time.isNewDriver
    let wasIdle = idle.isOn
    loops.time.pointee.inputDelay = shared.inputDelayFrames
    loops.time.pointee.outputDelay = shared.outputDelayFrames
    startBlock(cycle)
    presence.follow(isConnected: shared.isConnected.load(ordering: .relaxed))
    let sent = taps.output(ports.midiOut)
    outbox.begin(sent)
    beginPedals()
    followTempo(cycle, ports.clockIn, frames: frames)
    loops.followTempo(at: present, block: frames)
    followTempoWithPhrase()
    songs.follow(framesPerBeat: loops.time.pointee.beats.exact(1), block: frames)
    noteBeatInUse()
    receiveCommands(frames: frames)
    // Before the fade from silence starts, all earlier settings apply at once.
    if isFirst {
      settle()
      trackers.startLoops(&loops, at: present)
    }
    var done = 0
    var message = 0
    while done < frames {
      time.move(to: done)
      outbox.move(to: done)
      applyDue(by: present)
      if phrases.isRunning { repeatPhrase() }
      if let midi = ports.midiIn { message = receiveMIDI(midi, from: message, at: done) }
      judgePresses()
      if !idle.isOn { loops.turn(at: present) }
      startDueClick()
      if clockOut.isOn { sendClock() }
      turnLights(isFirst: done == 0)
      let length = segmentLength(from: done, of: frames, ports, nextMessage: message)
      renderSegment(frames: length, ports: done == 0 ? ports : ports.advanced(by: done))
      strips.advanceReturn(frames: length)
      done &+= length
    }
    outbox.end()
    time.move(to: frames)
    let stirred = loops.takeStirred()
    if !stirred.isEmpty { publish(stirred, frames: frames) }
    if !wasIdle || !idle.isOn {
      shared.voicesSounding.store(sampler.voiceCount, ordering: .relaxed)
    }
    if !stirred.isEmpty || trackers.isBehind {
      trackers.follow(loops, stirred: stirred, at: present, frames: frames, rate: Int(sampleRate))
    }
    if phrases.isRunning { phrases.tellPosition(at: present) }
    beatWatch.watch(
      from: time.blockStart, to: present, beats: loops.time.pointee.beats, shared.beat)
    publishCycle()
    taps.noteBlock(
      from: time.blockStart, to: present, received: ports.midiIn, sent: sent,
      beats: loops.time.pointee.beats)
    taps.endBlock()
    shared.frames.add(UInt64(frames), ordering: .relaxed)
    if let command = presence.nextAnswer() { push(.faded, to: .client(command, wasTimed: false)) }
  }

  /// Publishes the start of the leading loop's next cycle, if it has changed.
  @_noLocks
  private mutating func publishCycle() {
    var next = Int64.max
    if let exact = loops.round(at: present).beginning(from: present) { next = Int64(exact + 0.5) }
    if next < cyclePublished || next > cyclePublished {
      cyclePublished = next
      shared.cycle.store(next, ordering: .relaxed)
    }
  }

  /// The number of frames until something starts, ends or is received, at most those left in the block.
  @_noLocks
  private mutating func segmentLength(
    from done: Int, of frames: Int, _ ports: Ports, nextMessage message: Int
  ) -> Int {
    var length = strips.limit(min(frames &- done, SegmentMemory.longest))
    // A command that exceeds the budget of this block waits for the next one.
    let untilCommand = commands.nextFrame &- present
    if untilCommand > 0 { length = Int(min(Int64(length), untilCommand)) }
    if phrases.isRunning { length = min(length, phrases.framesToGo(at: present)) }
    if pedals.isWaiting { length = min(length, pedals.framesToGo(at: present, pressTimes)) }
    if let midi = ports.midiIn, message < midi.count {
      length = min(length, Int(midi[message].frame) &- done)
    }
    length = min(length, metronome.framesToGo(at: present))
    if clockOut.isOn { length = min(length, clockOut.framesToGo(at: present)) }
    if idle.isOn { return length }
    length = min(length, loops.framesToGo(at: present))
    guard loops.isWaitingForSound(at: present) else { return length }
    return min(length, framesToSound(ports.input.advanced(by: done), frames: length))
  }

  /// Applies all settings at once, without glides, before the first block.
  @_noLocks
  private mutating func settle() {
    input.settle()
    chain.settle()
    strips.settle()
    metronome.settle()
    master.settle()
  }
}
