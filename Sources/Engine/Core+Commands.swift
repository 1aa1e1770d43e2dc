internal import DSP
internal import Synchronization

/// Commands from the control side, and the events that answer them.
extension Core {
  /// Begins a block: does what is due by its first frame, and then receives what has come, as far
  /// as the block's budget goes.
  ///
  /// What is due comes first, because it was sent before, so that a `sync` is answered after it.
  @_noLocks
  mutating func receiveCommands(frames: Int) {
    budget.begin(frames: frames)
    applyDue(by: present)
    if schedule.nextFrame <= present { return }
    // What comes in shall not keep the block from what is due in it.
    if schedule.nextFrame < present &+ Int64(frames) { budget.setReserve() }
    receiveBatches()
    budget.freeReserve()
  }

  @_noLocks
  private mutating func receiveBatches() {
    var isWithinBatch = false
    while let command = shared.commands.command(number: nextCommand) {
      guard budget.allows(isWithinBatch: isWithinBatch) else {
        if isWithinBatch { endOfParted = nextCommand &+ UInt64(command.following) &+ 1 }
        return
      }
      receive(command, number: nextCommand)
      isWithinBatch = command.following > 0
      nextCommand &+= 1
    }
  }

  @_noLocks
  private mutating func receive(_ command: Command, number: UInt64) {
    let isTimed = command.frame != Command.now
    if command.frame > timeline.frame {
      schedule.insert(Schedule.Entry(command: command, number: number))
      budget.spendForScheduling()
      return
    }
    // The rest of a batch that was too much for a block is late, too.
    if isTimed ? command.frame < timeline.frame : number < endOfParted { countLate() }
    budget.spend(command.action)
    apply(command.action, from: .client(number, wasTimed: isTimed))
  }

  /// Applies what is due by a frame, as far as the block's budget goes.
  @_noLocks
  mutating func applyDue(by frame: Int64) {
    while schedule.nextFrame <= frame {
      let isWithinBatch = isBatchDue && schedule.nextNumber == latestDue &+ 1
      guard budget.allows(isWithinBatch: isWithinBatch) else { return }
      let entry = schedule.removeEarliest()
      isBatchDue = entry.command.following > 0
      latestDue = entry.number
      // A lost block can take the frame of a command with it, or a block have no time for it.
      if entry.command.frame < present { countLate() }
      budget.spendForScheduling()
      budget.spend(entry.command.action)
      apply(entry.command.action, from: .client(entry.number, wasTimed: true))
    }
  }

  @_noLocks
  private func countLate() { shared.late.add(1, ordering: .relaxed) }

  @_noLocks
  mutating func apply(_ action: Command.Action, from origin: CommandOrigin) {
    wake()
    switch action {
    case .set(let parameter, let value):
      set(parameter, value)
      push(.applied(parameter, value), to: origin)
    case .sync(let token):
      push(.synced(token), to: origin)
    case .resetChain:
      chain.reset()
      push(.done, to: origin)
    case .clearGuard:
      howlGuard.clear()
      push(.done, to: origin)
    case .loop(let action, let loop):
      answer(loops.perform(action, of: Int(loop), at: present), origin)
      publish(loop: Int(loop))
    case .seek(let seconds, let loop):
      answer(seek(to: seconds, loop: Int(loop)), origin)
    case .keep(let amount, let isBars, let loop):
      answer(
        loops.keep(amount, isBars: isBars, in: Int(loop), at: present), origin)
      publish(loop: Int(loop))
    case .load(let pointer, let loop):
      transfer(pointer, loading: true, loop: Int(loop), origin)
    case .copyOut(let pointer, let loop):
      transfer(pointer, loading: false, loop: Int(loop), origin)
    case .capture(let pointer):
      if let pointer { capture.begin(pointer) } else { capture.end() }
      push(.done, to: origin)
    case .tune(let pointer):
      if let pointer { tuner.begin(pointer) } else { tuner.end() }
      push(.done, to: origin)
    case .playSong(let song):
      let change = SongChange(song: song, origin: origin)
      if let refusal = songs.begin(change) { answer(refusal, origin) }
      answerSongs()
    case .note(let note):
      play(note)
      push(.done, to: origin)
    case .instrument(let instrument):
      sampler.change(
        InstrumentChange(instrument: instrument, origin: origin))
      answerInstruments()
    case .recordPhrase(let pointer):
      endPhrase()
      phrases.record(pointer, at: present)
      push(.done, to: origin)
    case .playPhrase:
      endPhrase()
      answer(phrases.play(at: present) ? nil : .nothingRecorded, origin)
    case .stopPhrase:
      endPhrase()
      push(.done, to: origin)
    case .keyMap(let map):
      inlet.setMap(map)
      push(.done, to: origin)
    case .presses(let map):
      pedals.setMap(map)
      push(.done, to: origin)
    case .lights(let map, let sendsAgain):
      lights.setMap(map, sendsAgain: sendsAgain)
      push(.done, to: origin)
    case .learn(let kinds):
      pedals.learn(kinds)
      push(.done, to: origin)
    case .key(let key, let isDown):
      followKey(key, isDown: isDown)
      push(.done, to: origin)
    case .leave:
      lights.end()
      // Whoever else plays them shall not be left with notes that nobody ends.
      endPhrase()
      play(.allOff)
      if case .client(let number, _) = origin { leaving = number }
      presence.move(to: 0)
    }
  }

  @_noLocks
  func push(_ kind: Event.Kind, to origin: CommandOrigin) {
    switch origin {
    case .client(let number, let wasTimed):
      // The credit of the command reserves the slot: there is room.
      _ = shared.events.push(Event(kind: kind, command: number, wasTimed: wasTimed))
    case .binding(let binding): tell(.answered(binding: binding, kind))
    }
  }

  @_noLocks
  mutating func transfer(
    _ pointer: ClipPointer, loading: Bool, loop: Int, _ origin: CommandOrigin
  ) {
    guard loop < loops.count else { return answer(.noSuchLoop, origin) }
    loops.wake(loop)
    if let refusal = loops.slot(loop).pointee.begin(
      pointer, loading: loading, origin: origin)
    {
      answer(refusal, origin)
    }
  }

  @_noLocks
  mutating func seek(to seconds: Float, loop: Int) -> EngineRefusal? {
    guard loop < loops.count else { return .noSuchLoop }
    guard loops.slot(loop).pointee.canSeek else { return .nothingRecorded }
    loops.wake(loop)
    loops.slot(loop).pointee.seek(to: Int(Double(seconds) * sampleRate + 0.5), at: present)
    publish(loop: loop)
    return nil
  }

  /// Answers a command that can be refused.
  @_noLocks
  mutating func answer(_ refusal: EngineRefusal?, _ origin: CommandOrigin) {
    if let refusal {
      push(.refused(refusal), to: origin)
    } else {
      push(.done, to: origin)
    }
  }

  /// Publishes what the loops do that were awake in the block, and goes on with their pictures.
  @_noLocks
  func publish(_ stirred: LoopBits, frames: Int) {
    var rest = stirred
    while let index = rest.popFirst() {
      loops.slot(index).pointee.picture(to: shared.loops.pointer(index), frames: frames)
      publish(loop: index)
    }
  }

  /// Publishes what a loop does.
  @_noLocks
  func publish(loop index: Int) {
    guard index < loops.count else { return }
    loops.slot(index).pointee.publish(to: shared.loops.pointer(index), at: present)
  }
}
