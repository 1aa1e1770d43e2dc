internal import DSP
internal import Synchronization

/// What is asked of the engine, and what it answers.
extension Core {
  /// Takes in what has come, whole batches only, and no more than the block has time for.
  @_noLocks
  mutating func takeCommands(frames: Int) {
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
  mutating func take(_ command: Command, number: UInt64) {
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
  mutating func applyDue(by frame: Int64) {
    while schedule.nextFrame <= frame {
      let entry = schedule.removeEarliest()
      // A lost block can take the frame of a command with it.
      if entry.command.frame < frame { shared.late.add(1, ordering: .relaxed) }
      apply(entry.command.action, number: entry.number, wasTimed: true)
    }
  }

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

  /// Tells what became of something that the player was asked for, and what it does now.
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
      overdubs: player.tape.layers, stepsBack: player.tape.stepsBack,
      stepsForth: player.tape.stepsForth,
      position: player.position, length: player.length,
      waiting: player.framesWaiting(at: present), tempo: player.tempoFound,
      latestClip: player.tape.latestClip)
  }
}
