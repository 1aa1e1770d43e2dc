internal import CRealtime
internal import DSP
internal import Synchronization

/// The core of the engine: all that only the thread that renders touches.
struct Core: ~Copyable {
  /// The longest stretch rendered at once; longer blocks are cut.
  static var longestSegment: Int { @_noLocks get { 1024 } }

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

  var inGain: Fader
  // What plays in the place of the input, where that is a recording.
  var recorded: UnsafeMutablePointer<RecordedInput>?
  var chain: Chain
  var warp = ChainWarp()
  // The live input goes back through the chain when the warp, which has rested, is warm.
  var framesUntilChain = 0
  var player: Player
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
  // Where the server's transport goes on, if it rolls.
  var transportFrame = Int64.min
  var isTransportRolling = false
  // The way of each source into the mix.
  let live, loop, grid, music: UnsafeMutablePointer<Strip>
  // Whether a source sounds in the present segment: then it is on the chain's bus.
  var isSounding = false
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
  var isDrySilent = true
  let memory: UnsafeMutablePointer<Float>
  // By parameter, for units that are built anew.
  let values: UnsafeMutablePointer<Float>
  var sampleRate: Double

  init(shared: Shared, sampleRate: Double) {
    self.shared = shared
    let rate = Float(sampleRate)
    schedule = Schedule(capacity: Shared.commandCapacity)
    clock = ClockFilter(sampleRate: sampleRate)
    inGain = Fader(at: 1, sampleRate: rate)
    chain = Chain(sampleRate: sampleRate)
    player = Player(sampleRate: sampleRate)
    capture = Capture(sampleRate: sampleRate)
    tuner = Capture(sampleRate: sampleRate)
    songs = SongPlayer(sampleRate: sampleRate)
    sampler = Sampler(sampleRate: sampleRate)
    phrases = PhraseTape(sampleRate: sampleRate)
    metronome = Metronome(sampleRate: sampleRate)
    beatWatch = BeatWatch(sampleRate: sampleRate)
    live = .allocate(capacity: 4)
    live.initialize(repeating: Strip(sampleRate: rate), count: 4)
    (loop, grid, music) = (live + 1, live + 2, live + 3)
    master = Master(sampleRate: rate)
    presence = Fader(at: 0, sampleRate: rate)
    presence.move(to: 1)
    memory = .allocate(capacity: 9 * Core.longestSegment)
    memory.initialize(repeating: 0, count: 9 * Core.longestSegment)
    scratch = memory
    values = .allocate(capacity: Parameter.allCases.count)
    for parameter in Parameter.allCases {
      (values + parameter.number).initialize(to: parameter.initial)
    }
    self.sampleRate = sampleRate
    bus = Stereo(memory + Core.longestSegment, memory + 2 * Core.longestSegment)
    warped = Stereo(memory + 3 * Core.longestSegment, memory + 4 * Core.longestSegment)
    dry = Stereo(memory + 5 * Core.longestSegment, memory + 6 * Core.longestSegment)
    silence = Stereo(memory + 7 * Core.longestSegment, memory + 8 * Core.longestSegment)
    restoreUnits()
  }

  /// Sets all units of one sample rate, which are new, to the values of the parameters.
  private mutating func restoreUnits() {
    for parameter in Parameter.allCases {
      setUnits(parameter, values[parameter.number], at: timeline.frame)
    }
    chain.settle()
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
    loop.pointee.setSampleRate(rate)
    grid.pointee.setSampleRate(rate)
    music.pointee.setSampleRate(rate)
    master.setSampleRate(rate)
    presence.setSampleRate(rate)
    capture.setSampleRate(sampleRate)
    tuner.setSampleRate(sampleRate)
    phrases.setSampleRate(sampleRate, at: present)
    if sampleRate == self.sampleRate {
      chain.reset()
    } else {
      self.sampleRate = sampleRate
      chain = Chain(sampleRate: sampleRate)
      // What was played is let go: whoever brings it does so again, at the new rate.
      if let change = songs.dropChange() { answer(.otherRate, change.command, change.wasTimed) }
      answerSongs()
      songs = SongPlayer(sampleRate: sampleRate)
      sampler.begin(sampleRate: sampleRate, shared.notes)
      outbox.tell(.allOff)
      answerInstruments()
      metronome = Metronome(sampleRate: sampleRate)
      beatWatch = BeatWatch(sampleRate: sampleRate)
      if player.transfer.isUnderWay {
        answer(.transferring, player.transfer.command, player.transfer.wasTimed)
      }
      player.breakOff(at: timeline.frame, shiftedBy: 0)
      var former = Player(sampleRate: sampleRate)
      swap(&player, &former)
      restoreUnits()
      player.adopt(former)
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
    player.inputDelay = shared.inputDelayFrames
    player.outputDelay = shared.outputDelayFrames
    updateTime(cycle)
    outbox.begin(ports.midiOut)
    isTransportRolling = shared.isTransportFollowed && cycle.transport.isRolling
    if shared.isTransportFollowed { follow(cycle.transport, frames: frames) }
    player.isBeatInUse = metronome.isOn || isTransportRolling || shared.isTransportLed
    receiveCommands(frames: frames)
    // The fade from silence has not begun: what was set before is there from its first sample.
    if isFirst { settle() }
    var done = 0
    var message = 0
    while done < frames {
      present = timeline.frame &+ Int64(done)
      outbox.move(to: done)
      applyDue(by: present)
      repeatPhrase()
      if let midi = ports.midiIn { message = receiveMIDI(midi, from: message, at: done) }
      if !isAtRest { player.turn(at: present) }
      turnMetronome()
      var segment = min(frames &- done, Core.longestSegment)
      // What the block has no time for waits for the next one.
      let untilCommand = schedule.nextFrame &- present
      if untilCommand > 0 { segment = Int(min(Int64(segment), untilCommand)) }
      if framesUntilChain > 0 { segment = min(segment, framesUntilChain) }
      segment = min(segment, phrases.framesToGo(at: present))
      if let midi = ports.midiIn, message < midi.count {
        segment = min(segment, Int(midi[message].frame) &- done)
      }
      segment = min(segment, metronome.framesToGo(at: present))
      if !isAtRest {
        segment = min(segment, player.framesToCountIn(at: present))
        segment = min(segment, player.framesToGo(at: present))
        if player.isWaitingForSound(at: present) {
          segment = min(segment, framesToSound(ports.input.advanced(by: done), frames: segment))
        }
      }
      renderSegment(frames: segment, ports: ports.advanced(by: done))
      if framesUntilChain > 0 {
        framesUntilChain &-= segment
        if framesUntilChain == 0 { live.pointee.setRoute(.chain) }
      }
      done &+= segment
    }
    outbox.end()
    present = timeline.frame &+ Int64(frames)
    if !wasAtRest || !isAtRest {
      player.picture(to: shared.peaks, frames: frames)
      publishPlayer()
      shared.voicesSounding.store(sampler.voiceCount, ordering: .relaxed)
    }
    phrases.tellPosition(at: present)
    beatWatch.watch(from: timeline.frame, to: present, beats: player.beats, shared.beat)
    shared.frames.add(UInt64(frames), ordering: .relaxed)
    if let leave = leaving, presence.isClosed {
      leaving = .max
      if leave != .max { push(.faded, command: leave, wasTimed: false) }
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
    loop.pointee.settle()
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
      player.breakOff(at: timeline.frame, shiftedBy: step)
      // It goes on where the last block ended.
      phrases.shift(by: present &- former)
      // What a keyboard held, and a pedal, may have been let go where nobody heard of it.
      for key in 0..<128 { play(.off(.midi(UInt8(truncatingIfNeeded: key)))) }
      sampler.control(64, 0)
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
        player.follow(Transport(isRolling: true, frame: transport.frame), at: timeline.frame)
      }
    } else if transport.isRolling {
      player.follow(transport, at: timeline.frame)
    } else {
      player.beats.follow()
    }
    transportFrame = transport.isRolling ? transport.frame &+ Int64(frames) : .min
    shared.tempoOfTransport.store(
      transport.isRolling && isTold
        ? Float(transport.beatsPerMinute).bitPattern : 0, ordering: .relaxed)
  }
}
