internal import CRealtime
internal import DSP
internal import Synchronization

/// What only the thread that renders touches.
struct Core: ~Copyable {
  /// The longest stretch rendered at once; longer blocks are cut.
  static var longestSegment: Int { @_noLocks get { 1024 } }
  // Commands taken in per frame: 768,000 a second at 48 kHz, for a few percent of the time.
  private static var commandsPerFrame: Int { @_noLocks get { 16 } }

  let shared: Shared
  private var schedule: Schedule
  private var nextCommand: UInt64 = 0
  private var timeline = Timeline()
  private var clock: ClockFilter
  private var isNewDriver = true

  private var inGain: Fader
  private var chain: Chain
  // The live input goes back through the chain when the warp, which has rested, is warm.
  private var framesUntilChain = 0
  private var player: Player
  private var capture: Capture
  private var songs: SongPlayer
  private var sampler: Sampler
  private var phrases: PhraseTape
  private var metronome: Metronome
  private var inlet = MIDIInlet()
  private var outbox = MIDIOutbox()
  // Where the server's transport goes on, if it rolls.
  private var transportFrame = Int64.min
  private var isTransportRolling = false
  private var live: Strip, loop: Strip, grid: Strip, music: Strip
  private var master: Master
  private var presence: Fader
  private var leaving: UInt64?
  // The frame of the engine's time that comes next.
  private var present: Int64 = 0

  // Nothing sounds and nothing moves: most of the memory need not be touched. For how many frames
  // that has been so, and the chain not told.
  private var isAtRest = false
  private var restedFrames = 0

  private let scratch: UnsafeMutablePointer<Float>
  private let bus: Stereo
  // How much of it is known to be silent.
  private var clearBusFrames = 0
  private let warped: Stereo
  // The live input before its gain; and nothing, to be read.
  private let dry: Stereo
  private let silence: Stereo
  private var isDrySilent = true
  private let memory: UnsafeMutablePointer<Float>
  // What was set, by parameter, for a chain that is built anew; NaN where nothing was.
  private let values: UnsafeMutablePointer<Float>
  private var sampleRate: Double

  init(shared: Shared, sampleRate: Double) {
    self.shared = shared
    let rate = Float(sampleRate)
    schedule = Schedule(capacity: Shared.commandCapacity)
    clock = ClockFilter(sampleRate: sampleRate)
    inGain = Fader(at: 1, sampleRate: rate)
    chain = Chain(sampleRate: sampleRate)
    player = Player(sampleRate: sampleRate)
    capture = Capture(sampleRate: sampleRate)
    songs = SongPlayer(sampleRate: sampleRate)
    sampler = Sampler(sampleRate: sampleRate)
    phrases = PhraseTape(sampleRate: sampleRate)
    metronome = Metronome(sampleRate: sampleRate)
    live = Strip(sampleRate: rate)
    loop = Strip(sampleRate: rate)
    grid = Strip(sampleRate: rate)
    music = Strip(sampleRate: rate)
    master = Master(sampleRate: rate)
    presence = Fader(at: 0, sampleRate: rate)
    presence.move(to: 1)
    memory = .allocate(capacity: 9 * Core.longestSegment)
    memory.initialize(repeating: 0, count: 9 * Core.longestSegment)
    scratch = memory
    values = .allocate(capacity: Parameter.allCases.count)
    values.initialize(repeating: .nan, count: Parameter.allCases.count)
    self.sampleRate = sampleRate
    bus = Stereo(memory + Core.longestSegment, memory + 2 * Core.longestSegment)
    warped = Stereo(memory + 3 * Core.longestSegment, memory + 4 * Core.longestSegment)
    dry = Stereo(memory + 5 * Core.longestSegment, memory + 6 * Core.longestSegment)
    silence = Stereo(memory + 7 * Core.longestSegment, memory + 8 * Core.longestSegment)
  }

  deinit {
    memory.deallocate()
    values.deallocate()
  }

  /// Prepares for another driver, which begins with a fade from silence, or at once.
  ///
  /// Only while nobody renders.
  mutating func begin(sampleRate: Double, fadesIn: Bool) {
    let rate = Float(sampleRate)
    clock = ClockFilter(sampleRate: sampleRate)
    inGain.setSampleRate(rate)
    live.setSampleRate(rate)
    loop.setSampleRate(rate)
    grid.setSampleRate(rate)
    music.setSampleRate(rate)
    master.setSampleRate(rate)
    presence.setSampleRate(rate)
    capture.setSampleRate(sampleRate)
    phrases.setSampleRate(sampleRate, at: present)
    if sampleRate == self.sampleRate {
      chain.reset()
    } else {
      self.sampleRate = sampleRate
      chain = Chain(sampleRate: sampleRate)
      var player = Player(sampleRate: sampleRate)
      // What was played is let go: whoever brings it does so again, at the new rate.
      if let change = songs.dropChange() { answer(.otherRate, change.command, change.wasTimed) }
      answerSongs()
      songs = SongPlayer(sampleRate: sampleRate)
      sampler.begin(sampleRate: sampleRate, shared.notes)
      answerInstruments()
      metronome = Metronome(sampleRate: sampleRate)
      for parameter in Parameter.allCases {
        let value = values[parameter.number]
        if value.isNaN { continue }
        chain.set(parameter, value)
        player.set(parameter, value, at: timeline.frame)
        songs.set(parameter, value)
        metronome.set(parameter, value)
      }
      if self.player.transfer.isUnderWay {
        let transfer = self.player.transfer
        answer(.transferring, transfer.command, transfer.wasTimed)
      }
      self.player.breakOff(at: timeline.frame, shiftedBy: 0)
      player.adopt(self.player)
      self.player = player
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
    keepTime(cycle)
    outbox.begin(ports.midiOut)
    isTransportRolling = shared.isTransportFollowed && cycle.transport.isRolling
    if shared.isTransportFollowed { follow(cycle.transport, frames: frames) }
    player.isBeatInUse = metronome.isOn || isTransportRolling || shared.isTransportLed
    takeCommands(frames: frames)
    // The fade from silence has not begun: what was set before is there from its first sample.
    if isFirst { settle() }
    var done = 0
    var message = 0
    while done < frames {
      present = timeline.frame &+ Int64(done)
      outbox.move(to: done)
      applyDue(by: present)
      repeatPhrase()
      if let midi = ports.midiIn { message = takeMIDI(midi, from: message, at: done) }
      if !isAtRest { player.turn(at: present) }
      turnMetronome()
      let untilCommand = schedule.nextFrame &- present
      var segment = Int(min(Int64(min(frames &- done, Core.longestSegment)), untilCommand))
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
        if framesUntilChain == 0 { live.setRoute(.chain) }
      }
      done &+= segment
    }
    outbox.end()
    present = timeline.frame &+ Int64(frames)
    if !wasAtRest || !isAtRest { publishPlayer() }
    phrases.tellPosition(at: present)
    shared.frames.add(UInt64(frames), ordering: .relaxed)
    if let leave = leaving, presence.isClosed {
      leaving = .max
      if leave != .max { push(.faded, command: leave, wasTimed: false) }
    }
  }

  @_noLocks
  private mutating func settle() {
    inGain.settle()
    chain.settle()
    if framesUntilChain > 0 {
      framesUntilChain = 0
      live.setRoute(.chain)
    }
    live.settle()
    loop.settle()
    grid.settle()
    music.settle()
    metronome.settle()
    master.settle()
  }

  @_noLocks
  private mutating func keepTime(_ cycle: Cycle) {
    let former = present
    let step = timeline.advance(to: cycle.frame)
    present = timeline.frame
    if isNewDriver {
      schedule.shift(by: step)
      player.breakOff(at: timeline.frame, shiftedBy: step)
      // It goes on where the last block ended.
      phrases.shift(by: present &- former)
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
  private mutating func follow(_ transport: Transport, frames: Int) {
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

  /// Takes in what has come, whole batches only, and no more than the block has time for.
  @_noLocks
  private mutating func takeCommands(frames: Int) {
    var budget = frames &* Core.commandsPerFrame
    while let first = shared.commands.command(number: nextCommand) {
      let batch = Int(first.following) &+ 1
      if batch > budget && budget < frames &* Core.commandsPerFrame { return }
      budget &-= batch
      for _ in 0..<batch {
        guard let command = shared.commands.command(number: nextCommand) else { return }
        take(command, number: nextCommand)
        nextCommand &+= 1
      }
      if budget <= 0 { return }
    }
  }

  @_noLocks
  private mutating func take(_ command: Command, number: UInt64) {
    if command.frame > timeline.frame {
      schedule.insert(Schedule.Entry(command: command, number: number))
      return
    }
    if command.frame != Command.now && command.frame < timeline.frame {
      shared.late.add(1, ordering: .relaxed)
    }
    apply(command.action, number: number, wasTimed: command.frame != Command.now)
  }

  @_noLocks
  private mutating func applyDue(by frame: Int64) {
    while schedule.nextFrame <= frame {
      let entry = schedule.removeEarliest()
      // A lost block can take the frame of a command with it.
      if entry.command.frame < frame { shared.late.add(1, ordering: .relaxed) }
      apply(entry.command.action, number: entry.number, wasTimed: true)
    }
  }

  @_noLocks
  private mutating func apply(_ action: Command.Action, number: UInt64, wasTimed: Bool) {
    wake()
    switch action {
    case .set(let parameter, let value):
      set(parameter, value)
      push(.applied(parameter, value), command: number, wasTimed: wasTimed)
    case .sync(let token):
      push(.synced(token), command: number, wasTimed: wasTimed)
    case .resetChain:
      chain.reset()
      push(.done, command: number, wasTimed: wasTimed)
    case .player(let action):
      answer(player.perform(action, at: present), number, wasTimed)
    case .seek(let seconds):
      if player.canSeek {
        player.seek(to: Int(Double(seconds) * sampleRate + 0.5), at: present)
        answer(nil, number, wasTimed)
      } else {
        answer(.nothingRecorded, number, wasTimed)
      }
    case .load(let passage): transfer(passage, loading: true, number, wasTimed)
    case .keep(let passage): transfer(passage, loading: false, number, wasTimed)
    case .capture(let passage):
      if let passage { capture.begin(passage) } else { capture.end() }
      push(.done, command: number, wasTimed: wasTimed)
    case .playSong(let song):
      let change = SongChange(song: song, command: number, wasTimed: wasTimed)
      if let refusal = songs.begin(change) { answer(refusal, number, wasTimed) }
      answerSongs()
    case .note(let note):
      play(note)
      push(.done, command: number, wasTimed: wasTimed)
    case .instrument(let instrument):
      sampler.change(
        InstrumentChange(instrument: instrument, command: number, wasTimed: wasTimed))
      answerInstruments()
    case .recordPhrase(let passage):
      endPhrase()
      phrases.record(passage, at: present)
      push(.done, command: number, wasTimed: wasTimed)
    case .playPhrase:
      endPhrase()
      answer(phrases.play(at: present) ? nil : .nothingRecorded, number, wasTimed)
    case .stopPhrase:
      endPhrase()
      push(.done, command: number, wasTimed: wasTimed)
    case .keyMap(let map):
      inlet.setMap(map)
      push(.done, command: number, wasTimed: wasTimed)
    case .leave:
      // Whoever else plays them shall not be left with notes that nobody ends.
      play(.allOff)
      leaving = number
      presence.move(to: 0)
    }
  }

  /// Does something with notes, whoever wants it.
  @_noLocks
  private mutating func play(_ action: NoteAction) {
    var action = action
    if case .on(var start) = action {
      // What is no number is no note, and ends the one before, as one without velocity does.
      let isNote = start.velocity > 0 && start.velocity.isFinite && start.cents.isFinite
      start.velocity = min(1, start.velocity)
      action = isNote ? .on(start) : .off(start.finger)
    }
    phrases.hear(action, at: present)
    sampler.play(action, shared.notes)
    outbox.tell(action)
  }

  /// Plays what of the phrase is due.
  @_noLocks
  private mutating func repeatPhrase() {
    while let action = phrases.turn(at: present) {
      wake()
      play(action)
    }
  }

  /// Ends what is recorded or played of the phrase.
  @_noLocks
  private mutating func endPhrase() {
    while let action = phrases.stop(at: present) { play(action) }
  }

  // MARK: - MIDI

  /// Follows the messages up to a frame of the block; returns the place of the first that is later.
  @_noLocks
  private mutating func takeMIDI(_ midi: MIDIBlock, from first: Int, at frame: Int) -> Int {
    var place = first
    while place < midi.count && Int(midi[place].frame) <= frame {
      follow(inlet.meaning(of: midi[place]))
      place &+= 1
    }
    return place
  }

  @_noLocks
  private mutating func follow(_ meaning: MIDIInlet.Meaning) {
    switch meaning {
    case .nothing: return
    case .note(let action):
      wake()
      play(action)
    case .bend(let semitones): sampler.bend(semitones: semitones)
    case .pressure(let value): sampler.pressure(value)
    case .control(let number, let value):
      shared.controllers.move(number, to: value)
      if shared.controllers.isBound(number) { return }
      // All sound off, and all notes off.
      if number == 120 || number == 123 {
        wake()
        play(.allOff)
      }
      sampler.control(number, value)
    }
  }

  // MARK: - Beats

  /// Begins the click that is due.
  @_noLocks
  private mutating func turnMetronome() {
    let isWanted = metronome.isOn || player.isCountingIn(at: present)
    if metronome.turn(at: present, beats: player.beats, isWanted: isWanted) { wake() }
  }

  /// Where a frame of the transport that so many frames after the last block begin lies among bars
  /// and beats.
  @_noLocks
  func position(after frames: Int, transportFrame: Int64) -> BarPosition {
    player.beats.position(
      at: timeline.frame &+ Int64(frames), framesFromStart: transportFrame)
  }

  @_noLocks
  private func push(_ kind: Event.Kind, command: UInt64, wasTimed: Bool) {
    // The command's credit stands for this place: there is room.
    _ = shared.events.push(Event(kind: kind, command: command, wasTimed: wasTimed))
  }

  @_noLocks
  private mutating func transfer(
    _ passage: ClipPassage, loading: Bool, _ number: UInt64, _ wasTimed: Bool
  ) {
    if let refusal = player.begin(
      passage, loading: loading, command: number, wasTimed: wasTimed)
    {
      answer(refusal, number, wasTimed)
    }
  }

  /// Tells what became of something that the player was asked for, and what it does now.
  @_noLocks
  private mutating func answer(_ refusal: PlayerRefusal?, _ number: UInt64, _ wasTimed: Bool) {
    publishPlayer()
    if let refusal {
      push(.refused(refusal), command: number, wasTimed: wasTimed)
    } else {
      push(.done, command: number, wasTimed: wasTimed)
    }
  }

  @_noLocks
  private func publishPlayer() {
    shared.player.publish(
      state: player.state, pending: player.pending, isOverdubbing: player.wantsOverdub,
      overdubs: player.tape.layers, stepsBack: player.tape.stepsBack,
      stepsForth: player.tape.stepsForth,
      position: player.position, length: player.length,
      waiting: player.framesWaiting(at: present), tempo: player.tempoFound,
      latestClip: player.tape.latestClip)
  }

  /// How many frames until the input is as loud as a recording waits for; begins it where it is
  /// now.
  @_noLocks
  private mutating func framesToSound(_ input: Stereo, frames: Int) -> Int {
    let least = player.threshold / max(inGain.target, 1e-6)
    for frame in 0..<frames {
      // False for what is no number.
      guard abs(input.left[frame]) >= least || abs(input.right[frame]) >= least else { continue }
      if frame > 0 { return frame }
      player.hearSound(at: present)
      return player.framesToGo(at: present)
    }
    return frames
  }

  @_noLocks
  private mutating func set(_ parameter: Parameter, _ value: Float) {
    switch parameter {
    case .inGain: inGain.move(to: Level.gain(decibels: value))
    case .liveGain: live.setGain(Level.gain(decibels: value))
    case .loopGain: loop.setGain(Level.gain(decibels: value))
    case .gridGain: grid.setGain(Level.gain(decibels: value))
    case .musicGain: music.setGain(Level.gain(decibels: value))
    case .outGain: master.setGain(Level.gain(decibels: value))
    case .liveRoute: setLiveRoute(value)
    case .loopRoute: loop.setRoute(Core.route(value))
    case .gridRoute: grid.setRoute(Core.route(value))
    case .musicRoute: music.setRoute(Core.route(value))
    case .mute: master.setMute(value != 0)
    case .transportFollow: shared.transportFollowed.store(value != 0, ordering: .relaxed)
    case .metronomeOn:
      if value != 0 && !metronome.isOn && !player.dependsOnBeat {
        player.beats.beginBar(at: present)
      }
      player.isBeatInUse = value != 0 || isTransportRolling || shared.isTransportLed
    case .midiBend:
      inlet.set(parameter, value)
      sampler.bend(semitones: inlet.bend)
    case .captureSource: capture.setSource(value == 0 ? .input : .output)
    case .captureFormat: capture.setFine(value != 0)
    case .gridSustain: sampler.setSustain(value != 0)
    default: chain.set(parameter, value)
    }
    player.set(parameter, value, at: present)
    songs.set(parameter, value)
    metronome.set(parameter, value)
    inlet.set(parameter, value)
    outbox.set(parameter, value)
    values[parameter.number] = value
  }

  @_noLocks
  private mutating func setLiveRoute(_ value: Float) {
    let route = Core.route(value)
    var isChain = false
    if case .chain = route { isChain = true }
    if !isChain || !live.isPastChain {
      framesUntilChain = 0
    } else if framesUntilChain == 0 {
      framesUntilChain = chain.warmUp
    }
    if framesUntilChain == 0 { live.setRoute(route) }
  }

  /// Whether the live input goes through the chain, or will as soon as it can.
  private var isLiveThroughChain: Bool {
    @_noLocks get { live.isThroughChain || framesUntilChain > 0 }
  }

  @_noLocks
  private static func route(_ value: Float) -> Route {
    value == 0 ? .chain : value == 1 ? .direct : .off
  }

  @_noLocks
  private mutating func renderSegment(frames: Int, ports: Ports) {
    if isAtRest {
      if Core.isSilent(ports.input, frames: frames) {
        rest(ports, frames: frames)
        return
      }
      wake()
    }
    let out = ports.output
    Core.clear(out, frames: frames)
    let isLiveSounding = renderLive(frames: frames, ports: ports)
    let isLoopSounding = renderLoop(frames: frames, ports: ports, onto: isLiveSounding)
    let isMusicSounding = renderMusic(
      frames: frames, ports: ports, onto: isLiveSounding || isLoopSounding)
    let isGridSounding = renderGrid(
      frames: frames, ports: ports,
      onto: isLiveSounding || isLoopSounding || isMusicSounding)
    let isClicking = metronome.render(to: ports.click, frames: frames, scratch: scratch)
    var fade = presence
    if isClicking { fade.apply(to: ports.click, frames: frames, scratch: scratch) }
    let fades = master.fades

    let isSounding = isLiveSounding || isLoopSounding || isMusicSounding || isGridSounding
    if !isSounding { clearBus(frames: frames) }
    let isChainSounding = chain.process(bus, isSilent: !isSounding, frames: frames)
    shared.chainDelay.store(isLiveThroughChain ? chain.delay : 0, ordering: .relaxed)
    if isSounding || isChainSounding {
      clearBusFrames = 0
      if isChainSounding {
        Blocks.add(bus.left, times: 1, to: out.left, frames: frames)
        Blocks.add(bus.right, times: 1, to: out.right, frames: frames)
      }
      finish(out, frames: frames)
    } else {
      presence.skip(frames: frames)
      shared.meters.raise(.limiter, to: 1 / master.rest(out, frames: frames))
      isAtRest = canRest
    }
    record(ports, frames: frames)
    if isClicking || master.isLimitingLast { addClick(ports, fades, frames: frames) }
    if capture.isOn {
      capture.write(
        input: isDrySilent ? silence : dry, output: ports.output, frames: frames)
    }
  }

  /// Adds the metronome to what is heard, behind all that is recorded of it.
  @_noLocks
  private mutating func addClick(_ ports: Ports, _ fades: Master.Fades, frames: Int) {
    // All that was in it has been mixed.
    let click = warped.left
    var fades = fades
    Blocks.copy(ports.click, to: click, frames: frames)
    fades.apply(to: click, frames: frames, scratch: scratch)
    let finding = master.addLast(click, to: ports.output, frames: frames)
    shared.meters.raise(.out1, to: finding.leftPeak)
    shared.meters.raise(.out2, to: finding.rightPeak)
    shared.meters.raise(.limiter, to: 1 / finding.limiterGain)
  }

  @_noLocks
  private mutating func finish(_ out: Stereo, frames: Int) {
    presence.apply(to: out, frames: frames, scratch: scratch)
    let finding = master.process(out, frames: frames, scratch: scratch)
    count(nonFinite: finding.nonFinite)
    shared.meters.raise(.out1, to: finding.leftPeak)
    shared.meters.raise(.out2, to: finding.rightPeak)
    shared.meters.raise(.limiter, to: 1 / finding.limiterGain)
  }

  // MARK: - Rest

  @_noLocks
  private static func isSilent(_ sound: Stereo, frames: Int) -> Bool {
    Magnitude(sound.left, frames: frames).bits == 0
      && Magnitude(sound.right, frames: frames).bits == 0
  }

  /// Whether nothing will sound or move until something comes in, or is asked for.
  private var canRest: Bool {
    @_noLocks get {
      chain.isAtRest && player.isAtRest && songs.isAtRest && sampler.isAtRest
        && metronome.isResting && framesUntilChain == 0
        && inGain.isResting
        && live.isResting
        && loop.isResting && grid.isResting && music.isResting && master.isResting
        && presence.isResting
    }
  }

  /// Renders silence, and touches nothing else.
  @_noLocks
  private mutating func rest(_ ports: Ports, frames: Int) {
    Core.clear(ports.output, frames: frames)
    Core.clear(ports.live, frames: frames)
    Core.clear(ports.loop, frames: frames)
    Core.clear(ports.grid, frames: frames)
    Blocks.clear(ports.click, frames: frames)
    capture.rest(frames: frames)
    restedFrames &+= frames
  }

  /// Tells those that were left alone how long that was.
  @_noLocks
  private mutating func wake() {
    isAtRest = false
    if restedFrames == 0 { return }
    chain.rest(frames: restedFrames)
    restedFrames = 0
  }

  @_noLocks
  private static func clear(_ sound: Stereo, frames: Int) {
    Blocks.clear(sound.left, frames: frames)
    Blocks.clear(sound.right, frames: frames)
  }

  // MARK: - Sources

  /// Lets the recorder hear what it listens to, and time pass for the player.
  @_noLocks
  private mutating func record(_ ports: Ports, frames: Int) {
    if player.isListening {
      switch player.source {
      case .live: player.listen(to: isDrySilent ? silence : dry, frames: frames)
      case .grid: player.listen(to: ports.grid, frames: frames)
      case .mix: player.listen(to: ports.output, frames: frames)
      }
    }
    player.advance(frames: frames, from: present)
    if player.carry(frames: frames) {
      let (number, wasTimed) = (player.transfer.command, player.transfer.wasTimed)
      player.transfer.end()
      answer(nil, number, wasTimed)
    }
  }

  /// Renders the loop's stem, and adds it to the buses; false where it is silent.
  ///
  /// `onto` says whether the chain's bus has something on it already.
  @_noLocks
  private mutating func renderLoop(frames: Int, ports: Ports, onto isBusInUse: Bool) -> Bool {
    let sound = ports.loop
    guard player.render(to: sound, frames: frames) else {
      Core.silence(sound, &loop, frames: frames)
      return false
    }
    if !isBusInUse { clearBus(frames: frames) }
    clearBusFrames = 0
    loop.process(sound, chain: bus, direct: ports.output, frames: frames, scratch: scratch)
    var fade = presence
    fade.apply(to: sound, frames: frames, scratch: scratch)
    _ = stopNonFinite(sound.left, meter: .loop1, frames: frames)
    _ = stopNonFinite(sound.right, meter: .loop2, frames: frames)
    return true
  }

  /// Adds the song to the buses; false where it is silent.
  ///
  /// `onto` says whether the chain's bus has something on it already.
  @_noLocks
  private mutating func renderMusic(frames: Int, ports: Ports, onto isBusInUse: Bool) -> Bool {
    // What the live input needed it for is done.
    let sound = warped
    let isSounding = songs.render(to: sound, frames: frames)
    answerSongs()
    guard isSounding else {
      music.skip(frames: frames)
      return false
    }
    if !isBusInUse { clearBus(frames: frames) }
    clearBusFrames = 0
    music.process(sound, chain: bus, direct: ports.output, frames: frames, scratch: scratch)
    return true
  }

  /// Renders the grid's stem, and adds it to the buses; false where it is silent.
  ///
  /// `onto` says whether the chain's bus has something on it already.
  @_noLocks
  private mutating func renderGrid(frames: Int, ports: Ports, onto isBusInUse: Bool) -> Bool {
    let sound = ports.grid
    let isSounding = sampler.render(to: sound, frames: frames, shared.notes)
    answerInstruments()
    guard isSounding else {
      Core.silence(sound, &grid, frames: frames)
      return false
    }
    if !isBusInUse { clearBus(frames: frames) }
    clearBusFrames = 0
    grid.process(sound, chain: bus, direct: ports.output, frames: frames, scratch: scratch)
    var fade = presence
    fade.apply(to: sound, frames: frames, scratch: scratch)
    _ = stopNonFinite(sound.left, meter: .grid1, frames: frames)
    _ = stopNonFinite(sound.right, meter: .grid2, frames: frames)
    return true
  }

  /// Tells that a song was changed for another, where that is so.
  @_noLocks
  private mutating func answerSongs() {
    if let change = songs.takeAnswer() {
      push(.done, command: change.command, wasTimed: change.wasTimed)
    }
  }

  /// Tells which instruments are let go.
  @_noLocks
  private mutating func answerInstruments() {
    while let change = sampler.takeAnswer() {
      push(.done, command: change.command, wasTimed: change.wasTimed)
    }
  }

  /// Clears the chain's bus, unless it still is.
  @_noLocks
  private mutating func clearBus(frames: Int) {
    if frames <= clearBusFrames { return }
    Blocks.clear(bus.left, frames: frames)
    Blocks.clear(bus.right, frames: frames)
    clearBusFrames = frames
  }

  /// Renders the live stem, and adds it to the buses; false, and the chain's bus untouched, when
  /// it is silent.
  @_noLocks
  private mutating func renderLive(frames: Int, ports: Ports) -> Bool {
    let sound = ports.live
    Blocks.copy(ports.input.left, to: sound.left, frames: frames)
    Blocks.copy(ports.input.right, to: sound.right, frames: frames)
    let left = stopNonFinite(sound.left, meter: .in1, frames: frames)
    let right = stopNonFinite(sound.right, meter: .in2, frames: frames)
    let isSilent = left == 0 && right == 0
    if isSilent {
      inGain.skip(frames: frames)
    } else {
      inGain.apply(to: sound, frames: frames, scratch: scratch)
    }
    isDrySilent = isSilent
    if !isSilent && (player.isListening || capture.needsInput) {
      Blocks.copy(sound.left, to: dry.left, frames: frames)
      Blocks.copy(sound.right, to: dry.right, frames: frames)
    }
    let isWarpSounding = chain.warp(
      sound, isSilent: isSilent, isNeeded: !live.isPastChain || framesUntilChain > 0, to: warped,
      frames: frames)
    guard !isSilent || isWarpSounding else {
      live.skip(frames: frames)
      return false
    }
    clearBus(frames: frames)
    clearBusFrames = 0
    live.process(
      sound, warped: isWarpSounding ? warped : nil, chain: bus, direct: ports.output,
      frames: frames, scratch: scratch)
    // The stem fades in and out with the mix.
    var fade = presence
    fade.apply(to: sound, frames: frames, scratch: scratch)
    // A gain can lift what is finite over all bounds: the stems are guarded as the mix is.
    _ = stopNonFinite(sound.left, meter: .live1, frames: frames)
    _ = stopNonFinite(sound.right, meter: .live2, frames: frames)
    return true
  }

  /// Stops NaN and infinity, at the door before any filter can remember it, and returns the peak.
  @_noLocks
  private func stopNonFinite(
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

  @_noLocks
  private func count(nonFinite: Int) {
    if nonFinite > 0 { shared.nonFinite.add(UInt64(nonFinite), ordering: .relaxed) }
  }

  @_noLocks
  private static func silence(_ stem: Stereo, _ strip: inout Strip, frames: Int) {
    clear(stem, frames: frames)
    strip.skip(frames: frames)
  }
}
