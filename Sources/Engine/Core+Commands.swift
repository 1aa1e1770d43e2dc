internal import DSP
internal import Synchronization

/// Commands from the control side, and the events that answer them.
extension Core {
  /// Starts a block: applies the commands that are due by its first frame, and then receives new ones, within
  /// the block's budget.
  ///
  /// Due commands come first because they were sent before, so that a `sync` is answered after them.
  @_noLocks
  mutating func receiveCommands(frames: Int) {
    commands.startBlock(frames: frames)
    applyDue(by: present)
    // Most blocks receive nothing.
    if commands.nextFrame <= present || !commands.hasNext(in: shared.commands) { return }
    // New commands must not delay those that are due within the block.
    commands.reserve(before: present &+ Int64(frames))
    while let due = commands.nextReceived(from: shared.commands, at: present) { apply(due) }
    commands.budget.freeReserve()
  }

  /// Applies the commands that are due by a frame, within the block's budget.
  ///
  /// Inlined, because most blocks have none.
  @_noLocks @inline(__always)
  mutating func applyDue(by frame: Int64) {
    if commands.nextFrame <= frame { applyEarliest(by: frame) }
  }

  @_noLocks
  private mutating func applyEarliest(by frame: Int64) {
    while let due = commands.nextDue(by: frame, at: present) { apply(due) }
  }

  @_noLocks
  private mutating func apply(_ due: CommandReader.Due) {
    if due.isLate { shared.late.add(1, ordering: .relaxed) }
    apply(due.action, from: .client(due.number, wasTimed: due.wasTimed))
  }

  @_noLocks
  mutating func apply(_ action: Command.Action, from origin: CommandOrigin) {
    wake()
    var refusal: EngineRefusal?
    switch action {
    case .set(let parameter, let value):
      set(parameter, value)
      return push(.applied(parameter, value), to: origin)
    case .sync(let token): return push(.synced(token), to: origin)
    case .ringOut(let isOn): chain.ringsOut = isOn
    case .resetChain: chain.reset()
    case .clearGuard: input.clearNotches()
    case .loop(let action, let loop):
      refusal = loops.perform(action, of: Int(loop), at: present)
      publish(loop: Int(loop))
    case .nextLoop: refusal = recordNextLoop()
    case .fade(let time, let isBars, let loop):
      refusal = loops.fade(Int(loop), time, isBars: isBars, at: present)
      publish(loop: Int(loop))
    case .fadeAll(let time, let isBars): loops.fadeAll(time, isBars: isBars, at: present)
    case .stopAll: loops.stopAll(at: present)
    case .seek(let seconds, let loop): refusal = seek(to: seconds, loop: Int(loop))
    case .keep(let amount, let isBars, let loop):
      refusal = loops.keep(amount, isBars: isBars, in: Int(loop), at: present)
      publish(loop: Int(loop))
    case .load(let pointer, let loop):
      refusal = transfer(pointer, loading: true, loop: Int(loop), origin)
      if case .none = refusal { return }
    case .exchange(let pointer, let loop, let plays):
      refusal = loops.exchange(Int(loop), pointer, plays: plays, origin: origin, at: present)
      publish(loop: Int(loop))
      if case .none = refusal { return }
    case .copyOut(let pointer, let loop):
      refusal = transfer(pointer, loading: false, loop: Int(loop), origin)
      if case .none = refusal { return }
    case .capture(let pointer): taps.capture.follow(pointer)
    case .captureForTuner(let pointer): taps.tuner.follow(pointer)
    case .session(let pointer):
      let clock = time.reading(isNominal: false)
      taps.session.follow(pointer, at: present, microseconds: clock.microseconds(at: present))
    case .sessionRing(let pointer):
      let clock = time.reading(isNominal: false)
      taps.ring.follow(pointer, at: present, microseconds: clock.microseconds(at: present))
    case .markSession(let number): taps.mark(number, at: present)
    case .playSong(let song):
      // It begins in the tempo that earlier commands of this frame have set.
      songs.follow(framesPerBeat: loops.time.pointee.beats.exact(1), block: 0)
      refusal = songs.begin((song, origin))
      answerSongs()
      if case .none = refusal { return }
    case .closeSong: songs.close()
    case .note(let note): play(note)
    case .instrument(let instrument):
      sampler.change((instrument, origin))
      return answerInstruments()
    case .recordPhrase(let pointer):
      endPhrase()
      phrases.record(
        pointer, framesPerBeat: loops.time.pointee.beats.exact(1), at: present)
    case .playPhrase:
      endPhrase()
      let beat = loops.time.pointee.beats.exact(1)
      if !phrases.play(framesPerBeat: beat, at: present) { refusal = .nothingRecorded }
    case .stopPhrase: endPhrase()
    case .keyMap(let map):
      inlet.map = map
      chain.input.tune.use(map)
    case .setPressMap(let map): pedals.setMap(map)
    case .setLightMap(let map, let sendsAgain): lights.setMap(map, sendsAgain: sendsAgain)
    case .programChange(let program, let channel):
      _ = outbox.tell(0xC0 | channel & 15, program & 127)
    case .learn(let kinds): pedals.learn(kinds)
    case .key(let key, let isDown): followKey(key, isDown: isDown)
    case .releaseMIDI: releaseMIDI()
    case .leave:
      lights.end()
      // A source must not leave notes that nothing ends.
      endPhrase()
      play(.allOff)
      if case .client(let number, _) = origin { presence.leave(answering: number) }
      return
    }
    answer(refusal, origin)
  }

  @_noLocks
  func push(_ kind: Event.Kind, to origin: CommandOrigin) {
    switch origin {
    case .client(let number, let wasTimed):
      // The credit of the command guarantees that there is room.
      _ = shared.events.push(Event(kind: kind, command: number, wasTimed: wasTimed))
    case .binding(let binding): tell(.answered(binding: binding, kind))
    }
  }

  /// Starts to load or copy a clip, which answers the command when it is done, or refuses to.
  @_noLocks
  private mutating func transfer(
    _ pointer: ClipPointer, loading: Bool, loop: Int, _ origin: CommandOrigin
  ) -> EngineRefusal? {
    guard loop < loops.count else { return .noSuchLoop }
    loops.wake(loop)
    return loops.slot(loop).pointee.begin(
      pointer, loading: loading, origin: origin)
  }

  @_noLocks
  private mutating func recordNextLoop() -> EngineRefusal? {
    guard let index = loops.next else { return .noEmptyLoop }
    // Another press changes nothing about what waits.
    if loops.slot(index).pointee.queued.holds(.recordOn) { return nil }
    let refusal = loops.perform(.recordOn, of: index, at: present)
    publish(loop: index)
    return refusal
  }

  @_noLocks
  private mutating func seek(to seconds: Float, loop: Int) -> EngineRefusal? {
    guard loop < loops.count else { return .noSuchLoop }
    guard loops.slot(loop).pointee.canSeek else { return .nothingRecorded }
    loops.wake(loop)
    loops.slot(loop).pointee.seek(to: Int(Double(seconds) * sampleRate + 0.5), at: present)
    publish(loop: loop)
    return nil
  }

  /// Answers a command with a refusal, or as done.
  @_noLocks
  mutating func answer(_ refusal: EngineRefusal?, _ origin: CommandOrigin) {
    push(refusal.map { .refused($0) } ?? .done, to: origin)
  }

  /// Publishes the state of the loops that were awake in the block, and continues their peaks.
  @_noLocks
  func publish(_ stirred: LoopBits, frames: Int) {
    var rest = stirred
    while let index = rest.popFirst() {
      loops.slot(index).pointee.picture(to: shared.loops.pointer(index), frames: frames)
      publish(loop: index)
    }
  }

  /// Publishes the state of a loop.
  @_noLocks
  func publish(loop index: Int) {
    guard index < loops.count else { return }
    loops.slot(index).pointee.publish(to: shared.loops.pointer(index), at: present)
  }
}
