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
    apply(command.action, number: number, wasTimed: isTimed)
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
      apply(entry.command.action, number: entry.number, wasTimed: true)
    }
  }

  @_noLocks
  private func countLate() { shared.late.add(1, ordering: .relaxed) }

  @_noLocks
  mutating func apply(_ action: Command.Action, number: UInt64, wasTimed: Bool) {
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
    case .load(let pointer): transfer(pointer, loading: true, number, wasTimed)
    case .copyOut(let pointer): transfer(pointer, loading: false, number, wasTimed)
    case .capture(let pointer):
      if let pointer { capture.begin(pointer) } else { capture.end() }
      push(.done, command: number, wasTimed: wasTimed)
    case .tune(let pointer):
      if let pointer { tuner.begin(pointer) } else { tuner.end() }
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
    case .recordPhrase(let pointer):
      endPhrase()
      phrases.record(pointer, at: present)
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
      endPhrase()
      play(.allOff)
      leaving = number
      presence.move(to: 0)
    }
  }

  @_noLocks
  func push(_ kind: Event.Kind, command: UInt64, wasTimed: Bool) {
    // The command's credit stands for this place: there is room.
    _ = shared.events.push(Event(kind: kind, command: command, wasTimed: wasTimed))
  }

  @_noLocks
  mutating func transfer(
    _ pointer: ClipPointer, loading: Bool, _ number: UInt64, _ wasTimed: Bool
  ) {
    if let refusal = player.begin(
      pointer, loading: loading, command: number, wasTimed: wasTimed)
    {
      answer(refusal, number, wasTimed)
    }
  }

  /// Answers a command to the player, and publishes what that does now.
  @_noLocks
  mutating func answer(_ refusal: PlayerRefusal?, _ number: UInt64, _ wasTimed: Bool) {
    publishPlayer()
    if let refusal {
      push(.refused(refusal), command: number, wasTimed: wasTimed)
    } else {
      push(.done, command: number, wasTimed: wasTimed)
    }
  }

  @_noLocks
  func publishPlayer() {
    shared.player.publish(
      state: player.state, pending: player.pending, isOverdubbing: player.wantsOverdub,
      isReplacing: player.wantsOverdub && player.isReplacing, overdubs: player.tape.layers,
      stepsBack: player.tape.stepsBack, stepsForth: player.tape.stepsForth,
      position: player.position, length: player.length,
      waiting: player.framesWaiting(at: present), tempo: player.tempoFound,
      latestClip: player.tape.latestClip)
    shared.peaks.setBehind(player.arePeaksBehind)
  }
}
