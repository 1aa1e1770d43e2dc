internal import CRealtime
internal import DSP
internal import Synchronization

/// The core of the engine: all that only the thread that renders touches.
struct Core: ~Copyable {
  /// The longest stretch rendered at once; longer blocks are cut, and what a segment needs stays together.
  static var longestSegment: Int { @_noLocks get { 256 } }

  let shared: Shared
  var schedule: Schedule
  var nextCommand: UInt64 = 0
  var budget = CommandBudget()
  // The number after the last command of a batch that was too much for one block.
  var endOfParted: UInt64 = 0
  // The number of the command that was due last, and whether more of its batch come after it.
  var latestDue: UInt64 = 0
  var isBatchDue = false
  var timeline = Timeline()
  var clock: ClockFilter
  var isNewDriver = true

  var howlGuard: HowlGuard
  var inGain: Fader
  // What plays in the place of the input, where that is a recording.
  var recorded: UnsafeMutablePointer<RecordedInput>?
  var chain: Chain
  var warp = ChainWarp()
  // The live input goes back through the chain when the warp, which has rested, is warm.
  var framesUntilChain = 0
  var loops: Loops
  // What becomes of the loops on its way to a disk.
  var scribes: LoopScribes
  var capture: Capture
  // The live input on its way to whoever finds its pitch.
  var tuner: Capture
  var songs: SongPlayer
  var sampler: Sampler
  var phrases: PhraseTape
  var metronome: Metronome
  var beatWatch: BeatWatch
  var inlet = MIDIInlet()
  var outbox = MIDIOutbox()
  var pedals = Pedals()
  var lights = PedalLights()
  // How many actions of pedals there are left in the block.
  var actionsLeft = 0
  // Where the server's transport goes on, if it rolls.
  var transportFrame = Int64.min
  var isTransportRolling = false
  // The way of each source into the mix.
  let live, grid, music: UnsafeMutablePointer<Strip>
  // By loop; and those that are not where they were going to.
  let loopStrips: UnsafeMutablePointer<Strip>
  var movingStrips = LoopBits.none
  // Whether a source sounds in the present segment: then it is on the chain's bus.
  var isSounding = false
  // Whether the guard against howling has anything to do: off, nothing of it is looked at.
  var isGuarding = false
  var master: Master
  var presence: Fader
  var leaving: UInt64?
  // The frame of the engine's time that comes next.
  var present: Int64 = 0

  // Nothing sounds and nothing moves: most of the memory need not be touched. For how many frames
  // that has been so, and the chain not told.
  var isAtRest = false
  var restedFrames = 0

  let scratch: UnsafeMutablePointer<Float>
  let bus: Stereo
  // How much of it is known to be silent.
  var clearBusFrames = 0
  let warped: Stereo
  // The live input before its gain; and nothing, to be read.
  let dry: Stereo
  let silence: Stereo
  // For stems that nobody takes.
  let unwanted: Stereo
  var isDrySilent = true
  // Whether the grid sounds in the present segment, and whether nothing at all is heard in it.
  var isGridSounding = false
  var isOutputSilent = true
  let memory: UnsafeMutablePointer<Float>
  // By parameter, for units that are built anew.
  let values: UnsafeMutablePointer<Float>
  var sampleRate: Double

  init(shared: Shared, loops setup: LoopSetup, sampleRate: Double) {
    self.shared = shared
    let rate = Float(sampleRate)
    schedule = Schedule(capacity: Shared.commandCapacity)
    clock = ClockFilter(sampleRate: sampleRate)
    howlGuard = HowlGuard(sampleRate: sampleRate)
    inGain = Fader(at: 1, sampleRate: rate)
    chain = Chain(sampleRate: sampleRate)
    loops = Loops(setup, sampleRate: sampleRate)
    scribes = LoopScribes(count: loops.count)
    capture = Capture(sampleRate: sampleRate)
    tuner = Capture(sampleRate: sampleRate)
    songs = SongPlayer(sampleRate: sampleRate)
    sampler = Sampler(sampleRate: sampleRate)
    phrases = PhraseTape(sampleRate: sampleRate)
    metronome = Metronome(sampleRate: sampleRate)
    beatWatch = BeatWatch(sampleRate: sampleRate)
    let strips = 3 + Parameter.mostLoops
    live = .allocate(capacity: strips)
    live.initialize(repeating: Strip(sampleRate: rate), count: strips)
    (grid, music, loopStrips) = (live + 1, live + 2, live + 3)
    master = Master(sampleRate: rate)
    presence = Fader(at: 0, sampleRate: rate)
    presence.move(to: 1)
    memory = .allocate(capacity: 11 * Core.longestSegment)
    memory.initialize(repeating: 0, count: 11 * Core.longestSegment)
    scratch = memory
    values = .allocate(capacity: Parameter.numbers)
    values.initialize(repeating: 0, count: Parameter.numbers)
    for parameter in Parameter.allCases { values[parameter.number] = parameter.initial }
    self.sampleRate = sampleRate
    bus = Stereo(memory + Core.longestSegment, memory + 2 * Core.longestSegment)
    warped = Stereo(memory + 3 * Core.longestSegment, memory + 4 * Core.longestSegment)
    dry = Stereo(memory + 5 * Core.longestSegment, memory + 6 * Core.longestSegment)
    silence = Stereo(memory + 7 * Core.longestSegment, memory + 8 * Core.longestSegment)
    unwanted = Stereo(memory + 9 * Core.longestSegment, memory + 10 * Core.longestSegment)
    publishMemory()
    restoreParameters()
  }

  private func publishMemory() {
    let memory = loops.memory
    shared.loopMemory.withLock { $0 = memory }
  }

  /// Sets all parameters again in units that were created for a new sample rate.
  private mutating func restoreParameters() {
    for parameter in Parameter.allCases { set(parameter, values[parameter.number]) }
    chain.settle()
    movingStrips = .none
  }

  deinit {
    recorded?.deinitialize(count: 1)
    recorded?.deallocate()
    memory.deallocate()
    live.deallocate()
    values.deallocate()
  }

  /// Prepares for another driver, which begins with a fade from silence, or at once.
  ///
  /// Only while nobody renders.
  mutating func begin(sampleRate: Double, fadesIn: Bool) {
    let rate = Float(sampleRate)
    clock = ClockFilter(sampleRate: sampleRate)
    inGain.setSampleRate(rate)
    live.pointee.setSampleRate(rate)
    for index in 0..<loops.count { loopStrips[index].setSampleRate(rate) }
    grid.pointee.setSampleRate(rate)
    music.pointee.setSampleRate(rate)
    master.setSampleRate(rate)
    presence.setSampleRate(rate)
    capture.setSampleRate(sampleRate)
    tuner.setSampleRate(sampleRate)
    phrases.setSampleRate(sampleRate, at: present)
    if sampleRate == self.sampleRate {
      chain.reset()
      howlGuard.rest(frames: 0)
    } else {
      self.sampleRate = sampleRate
      howlGuard = HowlGuard(sampleRate: sampleRate)
      isGuarding = false
      publishNotches()
      chain = Chain(sampleRate: sampleRate)
      // What was played is let go: whoever brings it does so again, at the new rate.
      if let change = songs.dropChange() { answer(.otherRate, change.origin) }
      answerSongs()
      songs = SongPlayer(sampleRate: sampleRate)
      sampler.begin(sampleRate: sampleRate, shared.notes)
      outbox.tell(.allOff)
      answerInstruments()
      metronome = Metronome(sampleRate: sampleRate)
      beatWatch = BeatWatch(sampleRate: sampleRate)
      for index in 0..<loops.count {
        let transfer = loops.slot(index).pointee.transfer
        if transfer.isUnderWay { answer(.transferring, transfer.origin) }
      }
      loops.breakOff(at: timeline.frame, shiftedBy: 0)
      var former = Loops(loops.setup, sampleRate: sampleRate)
      swap(&loops, &former)
      publishMemory()
      restoreParameters()
      loops.adopt(former)
    }
    isAtRest = false
    restedFrames = 0
    presence.jump(to: fadesIn ? 0 : 1)
    presence.move(to: 1)
    leaving = nil
    isNewDriver = true
    // What is planned before the first block needs a time already.
    if !fadesIn { shared.clock.publish(clock.nominalReading(at: timeline.frame)) }
  }

  @_noLocks
  mutating func render(_ cycle: Cycle, frames: Int, ports: Ports) {
    rt_flush_denormals()
    let isFirst = isNewDriver
    let wasAtRest = isAtRest
    loops.time.pointee.inputDelay = shared.inputDelayFrames
    loops.time.pointee.outputDelay = shared.outputDelayFrames
    updateTime(cycle)
    outbox.begin(ports.midiOut)
    beginPedals()
    isTransportRolling = shared.isTransportFollowed && cycle.transport.isRolling
    if shared.isTransportFollowed { follow(cycle.transport, frames: frames) }
    loops.time.pointee.isBeatInUse = metronome.isOn || isTransportRolling || shared.isTransportLed
    receiveCommands(frames: frames)
    // The fade from silence has not begun: what was set before is there from its first sample.
    if isFirst {
      settle()
      scribes.startLoops(&loops, at: present)
    }
    var done = 0
    var message = 0
    while done < frames {
      present = timeline.frame &+ Int64(done)
      outbox.move(to: done)
      applyDue(by: present)
      if phrases.isRunning { repeatPhrase() }
      if let midi = ports.midiIn { message = receiveMIDI(midi, from: message, at: done) }
      judgePresses()
      if !isAtRest { loops.turn(at: present) }
      turnMetronome()
      turnLights(isFirst: done == 0)
      var segment = min(frames &- done, Core.longestSegment)
      // What the block has no time for waits for the next one.
      let untilCommand = schedule.nextFrame &- present
      if untilCommand > 0 { segment = Int(min(Int64(segment), untilCommand)) }
      if framesUntilChain > 0 { segment = min(segment, framesUntilChain) }
      if phrases.isRunning { segment = min(segment, phrases.framesToGo(at: present)) }
      segment = min(segment, pedals.framesToGo(at: present, pressTimes))
      if let midi = ports.midiIn, message < midi.count {
        segment = min(segment, Int(midi[message].frame) &- done)
      }
      segment = min(segment, metronome.framesToGo(at: present))
      if !isAtRest {
        segment = min(segment, loops.framesToGo(at: present))
        if loops.isWaitingForSound(at: present) {
          segment = min(segment, framesToSound(ports.input.advanced(by: done), frames: segment))
        }
      }
      renderSegment(frames: segment, ports: done == 0 ? ports : ports.advanced(by: done))
      if framesUntilChain > 0 {
        framesUntilChain &-= segment
        if framesUntilChain == 0 { live.pointee.setRoute(.chain) }
      }
      done &+= segment
    }
    outbox.end()
    present = timeline.frame &+ Int64(frames)
    let stirred = loops.takeStirred()
    if !stirred.isEmpty { publish(stirred, frames: frames) }
    if !wasAtRest || !isAtRest {
      shared.voicesSounding.store(sampler.voiceCount, ordering: .relaxed)
    }
    if !stirred.isEmpty || scribes.isBehind {
      scribes.follow(
        loops, stirred: stirred, at: present, frames: frames, rate: Int(sampleRate))
    }
    if phrases.isRunning { phrases.tellPosition(at: present) }
    beatWatch.watch(from: timeline.frame, to: present, beats: loops.time.pointee.beats, shared.beat)
    shared.frames.add(UInt64(frames), ordering: .relaxed)
    if let leave = leaving, presence.isClosed {
      leaving = .max
      if leave != .max { push(.faded, to: .client(leave, wasTimed: false)) }
    }
  }

  @_noLocks
  mutating func settle() {
    inGain.settle()
    recorded?.pointee.settle()
    chain.settle()
    if framesUntilChain > 0 {
      framesUntilChain = 0
      live.pointee.setRoute(.chain)
    }
    live.pointee.settle()
    for index in 0..<loops.count { loopStrips[index].settle() }
    grid.pointee.settle()
    music.pointee.settle()
    metronome.settle()
    master.settle()
  }

  @_noLocks
  mutating func updateTime(_ cycle: Cycle) {
    let former = present
    let step =
      isNewDriver
      ? timeline.begin(at: cycle.frame) : timeline.advance(to: cycle.frame, from: former)
    present = timeline.frame
    if isNewDriver {
      schedule.shift(by: step)
      loops.breakOff(at: timeline.frame, shiftedBy: step)
      // It goes on where the last block ended.
      phrases.shift(by: present &- former)
      // What a keyboard held, and a pedal, may have been let go where nobody heard of it.
      for key in 0..<128 { play(.off(.midi(UInt8(truncatingIfNeeded: key)))) }
      sampler.control(64, 0)
      pedals.liftAll()
      lights.forget()
      isNewDriver = false
    }
    shared.freewheeling.store(cycle.isFreewheeling, ordering: .relaxed)
    if cycle.isFreewheeling {
      shared.clock.publish(clock.nominalReading(at: timeline.frame))
    } else {
      clock.update(frame: timeline.frame, microseconds: cycle.microseconds)
      shared.clock.publish(clock.reading)
    }
  }

  @_noLocks
  mutating func follow(_ transport: Transport, frames: Int) {
    var isTold = transport.beatsPerMinute > 0
    if shared.isTransportLed {
      // What it tells of beats it has from here: only where it begins or leaps is there anything to
      // follow, and that is counted from its own beginning.
      isTold = false
      if transport.isRolling && transport.frame != transportFrame {
        loops.follow(Transport(isRolling: true, frame: transport.frame), at: timeline.frame)
      }
    } else if transport.isRolling {
      loops.follow(transport, at: timeline.frame)
    } else {
      loops.time.pointee.beats.follow()
    }
    transportFrame = transport.isRolling ? transport.frame &+ Int64(frames) : .min
    shared.tempoOfTransport.store(
      transport.isRolling && isTold
        ? Float(transport.beatsPerMinute).bitPattern : 0, ordering: .relaxed)
  }
}
