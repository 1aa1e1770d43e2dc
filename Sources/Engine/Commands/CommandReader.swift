/// The audio thread's end of the command queue: yields commands in the order in which they take effect, as
/// many as a block has time for.
struct CommandReader: ~Copyable {
  /// A command that takes effect now.
  struct Due: BitwiseCopyable {
    let action: Command.Action
    let number: UInt64
    let wasTimed: Bool
    /// Whether its frame has passed, or it is the rest of a batch that an earlier block began.
    let isLate: Bool

    @_noLocks
    fileprivate init(_ command: Command, number: UInt64, wasTimed: Bool, isLate: Bool) {
      action = command.action
      self.number = number
      self.wasTimed = wasTimed
      self.isLate = isLate
    }
  }

  private var schedule = Schedule(capacity: Shared.commandCapacity)
  /// The work that the block has time for.
  var budget = CommandBudget()
  // The number of the next command to be received, and whether it continues a batch of this block.
  private var next: UInt64 = 0
  private var isWithinBatch = false
  // The number after the last command of a batch that was too large for one block.
  private var endOfSplitBatch: UInt64 = 0
  // The number of the command that was due last, and whether its batch continues after it.
  private var latestDue: UInt64 = 0
  private var isBatchDue = false
  // The last change of the driver, and the number after the last command that was written before it.
  private var handover = Handover(end: 0, start: 0, passed: 0, ratio: 1)
  private var endOfFormer: UInt64 = 0

  // The delay of beats by the last xrun in frames, and the end of the queue at that time.
  private var delay: Int64 = 0
  private var endOfEarlier: UInt64 = 0

  /// The frame of the earliest scheduled command; `Int64.max` without one.
  var nextFrame: Int64 { @_noLocks get { schedule.nextFrame } }

  /// Whether no block has exceeded its budget.
  var isInBudget: Bool { @_noLocks get { budget.isLeft } }

  /// Starts a block.
  @_noLocks
  mutating func startBlock(frames: Int) {
    budget.begin(frames: frames)
    isWithinBatch = false
  }

  /// Removes the earliest scheduled command that is due by a frame, if the budget allows it.
  ///
  /// A command is late if its frame is before `present`: an xrun can skip it, or an earlier block exceeded
  /// its budget.
  @_noLocks
  mutating func nextDue(by frame: Int64, at present: Int64) -> Due? {
    guard schedule.nextFrame <= frame,
      budget.allows(isWithinBatch: isBatchDue && schedule.nextNumber == latestDue &+ 1)
    else { return nil }
    let entry = schedule.removeEarliest()
    isBatchDue = entry.command.following > 0
    latestDue = entry.number
    budget.spendForScheduling()
    budget.spend(entry.command.action)
    return Due(
      entry.command, number: entry.number, wasTimed: true, isLate: entry.command.frame < present)
  }

  /// Whether there is a command to be received.
  @_noLocks
  func hasNext(in queue: borrowing CommandQueue) -> Bool { queue.holds(number: next) }

  /// Receives the next command that takes effect in the block that starts at a frame, if the budget
  /// allows it, and schedules those for later frames.
  @_noLocks
  mutating func nextReceived(from queue: borrowing CommandQueue, at frame: Int64) -> Due? {
    while var command = queue.command(number: next) {
      if next < endOfFormer && command.frame != Command.now {
        command.frame = handover.frame(command.frame)
      }
      if next < endOfEarlier && command.isOnBeat { command.frame &+= delay }
      guard budget.allows(isWithinBatch: isWithinBatch) else {
        if isWithinBatch { endOfSplitBatch = next &+ UInt64(command.following) &+ 1 }
        return nil
      }
      let number = next
      next &+= 1
      isWithinBatch = command.following > 0
      if command.frame > frame {
        schedule.insert(command, number: number)
        budget.spendForScheduling()
        continue
      }
      let isTimed = command.frame != Command.now
      budget.spend(command.action)
      return Due(
        command, number: number, wasTimed: isTimed,
        isLate: isTimed ? command.frame < frame : number < endOfSplitBatch)
    }
    return nil
  }

  /// Reserves half of the remaining budget for commands that are due before a frame, if there are any.
  @_noLocks
  mutating func reserve(before frame: Int64) {
    if schedule.nextFrame < frame { budget.setReserve() }
  }

  /// Converts all scheduled commands to another sample rate, around a frame that stays.
  mutating func convert(by ratio: Double, around frame: Int64) {
    schedule.convert(by: ratio, around: frame)
  }

  /// Delays commands on beats by the frames lost in an xrun, together with the beats.
  @_noLocks
  mutating func delayBeats(by frames: Int64, _ queue: borrowing CommandQueue) {
    schedule.delayBeats(by: frames)
    (delay, endOfEarlier) = (frames, queue.end)
  }

  /// Continues under another driver: moves all scheduled commands, and those in the queue, whose frames are those of
  /// the former driver.
  @_noLocks
  mutating func follow(_ handover: Handover, _ queue: borrowing CommandQueue) {
    schedule.shift(by: handover.shift)
    endOfFormer = queue.end
    self.handover = handover
  }
}
