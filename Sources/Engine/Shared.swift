internal import Synchronization

/// Everything that the audio thread and the control threads share.
///
/// The audio thread's own state is in `Core`, in a separate allocation.
package final class Shared: Sendable {
  /// The maximum number of commands in progress.
  package static let commandCapacity = 16_384

  /// Control side to audio thread.
  package let commands = CommandQueue(capacity: Shared.commandCapacity)
  /// Audio thread to control side, with room for the event of each command.
  let events = Ring(
    capacity: Shared.commandCapacity,
    filler: Event(kind: .faded, command: 0, wasTimed: false))
  /// The levels.
  package let meters = Meters()
  /// The notes that sound.
  package let notes = PublishedNotes()
  /// The controllers of keyboards.
  package let controllers = PublishedControllers()
  /// Presses of pedals, and the outcome of their actions.
  package let presses = PressQueue()
  /// The notches of the feedback guard.
  package let notches = PublishedNotches()
  /// The gains of the channel strip.
  package let channel = PublishedChannel()
  /// The pitches of the pitch correction.
  package let tune = PublishedTune()
  /// The notes of the harmonies.
  package let harmonies = PublishedHarmonies()
  let clock = Published(ClockReading(frame: 0, microseconds: 0, microsecondsPerFrame: 0))
  let beat = Published(BeatReading())
  // The start of the leading loop's next cycle, or the last frame of all: relaxed, because readers poll.
  let cycle = Atomic<Int64>(.max)
  /// The state and the peaks of each loop.
  package let loops: PublishedLoops

  // Counters publish nothing but themselves: relaxed.
  let late = Atomic<UInt64>(0)
  let nonFinite = Atomic<UInt64>(0)
  let frames = Atomic<UInt64>(0)
  let voicesSounding = Atomic<Int>(0)

  // Loops that a change of the driver interrupted since the last reading, a bit each: those whose queued action was
  // dropped, and from `Loops.firstEnded` on those whose recording or layer was ended.
  let interrupted = Atomic<UInt32>(0)

  // The delay of the chain, in frames: relaxed, because readers poll.
  let chainDelay = Atomic<Int>(0)

  // The latency of inputs and outputs in frames, as the server reports it: relaxed, as above.
  private let inputDelay = Atomic<Int>(0)
  private let outputDelay = Atomic<Int>(0)
  // The measured latency of both together that the server doesn't report: relaxed, as above.
  private let extraDelay = Atomic<Int>(0)

  // In Hz; relaxed, because data that depends on it carries its own rate.
  let rate: Atomic<Int>

  let freewheeling = Atomic<Bool>(false)
  /// Whether the present driver has made its connections.
  let isConnected = Atomic<Bool>(false)

  // Whether the server's transport is followed, and the tempo of the source in beats per minute, 0 if it has
  // none: relaxed, because each is independent.
  let transportFollowed = Atomic<Bool>(false)
  let followedTempo = Atomic<UInt32>(0)
  let tempo = Published(TempoReading())
  /// The session of Link.
  package let link = LinkInbox()
  // Whether this node is the timebase master of the server: also relaxed.
  private let transportLed = Atomic<Bool>(false)

  /// Speech for a port of its own, which the driver plays.
  package let speech = SpeechRing()

  /// The journal of the loops.
  package let journal = LoopJournal()

  // The memory of the loops, which another sample rate replaces.
  let loopMemory = Mutex<LoopMemory?>(nil)

  // The driver that may render: twice the number of its turn, plus one while it renders.
  let turn = Atomic<UInt64>(0)

  init(loops setup: LoopSetup, sampleRate: Double) {
    loops = PublishedLoops(setup)
    rate = Atomic(Int(sampleRate))
  }

  /// The number of commands that were applied after their time.
  package var lateCount: UInt64 { late.load(ordering: .relaxed) }
  /// The number of NaN and infinite samples that were replaced by silence.
  package var nonFiniteCount: UInt64 { nonFinite.load(ordering: .relaxed) }
  /// The number of voices of the grid that sound.
  package var voiceCount: Int { voicesSounding.load(ordering: .relaxed) }
  /// The number of frames rendered so far.
  package var frameCount: UInt64 { frames.load(ordering: .relaxed) }
  /// The sample rate of the present or next driver, in Hz.
  package var sampleRate: Int { rate.load(ordering: .relaxed) }
  /// Whether frames do not follow the clock at the moment.
  package var isFreewheeling: Bool { freewheeling.load(ordering: .relaxed) }
  /// Whether the server's transport is followed.
  package var isTransportFollowed: Bool {
    @_noLocks get { transportFollowed.load(ordering: .relaxed) }
  }
  /// Whether this node is the timebase master of the server.
  package var isTransportLed: Bool {
    @_noLocks get { transportLed.load(ordering: .relaxed) }
  }

  /// Sets whether this node is the timebase master of the server.
  package func setTransportLed(_ leads: Bool) { transportLed.store(leads, ordering: .relaxed) }

  /// The tempo of the source of the beats, in beats per minute; nil if it has none.
  package var sourceTempo: Float? {
    let bits = followedTempo.load(ordering: .relaxed)
    return bits != 0 ? Float(bitPattern: bits) : nil
  }
  /// The delay of the chain, in frames.
  package var chainDelayFrames: Int { chainDelay.load(ordering: .relaxed) }
  /// The latency of the inputs in frames: as reported, with half of what the server doesn't report.
  ///
  /// A measurement can't tell how that is divided between input and output.
  package var inputDelayFrames: Int {
    @_noLocks get {
      let delay = inputDelay.load(ordering: .relaxed)
      return max(0, delay &+ extraDelay.load(ordering: .relaxed) / 2)
    }
  }
  /// The latency of the outputs in frames: together with that of the inputs, the whole round trip.
  package var outputDelayFrames: Int {
    @_noLocks get {
      let reported = inputDelay.load(ordering: .relaxed) &+ outputDelay.load(ordering: .relaxed)
      return max(0, reported &+ extraDelay.load(ordering: .relaxed) &- inputDelayFrames)
    }
  }
  /// The measured latency of the round trip that the server doesn't report, in frames.
  package var extraDelayFrames: Int { extraDelay.load(ordering: .relaxed) }

  /// Sets the latency of the round trip that the server doesn't report, in frames; negative if it
  /// reports too much.
  package func setExtraDelay(_ frames: Int) { extraDelay.store(frames, ordering: .relaxed) }

  /// Sets the latency of the inputs, in frames.
  package func setInputDelay(_ frames: Int) { inputDelay.store(frames, ordering: .relaxed) }

  /// Sets the latency of the outputs, in frames.
  package func setOutputDelay(_ frames: Int) { outputDelay.store(frames, ordering: .relaxed) }

  /// Returns the loops, from 0, whose queued action a change of the driver dropped since the last call, and
  /// those whose recording or layer it ended.
  package func nextInterrupted() -> (dropped: [Int], ended: [Int]) {
    guard interrupted.load(ordering: .relaxed) != 0 else { return ([], []) }
    let bits = interrupted.exchange(0, ordering: .relaxed)
    func loops(from first: UInt32) -> [Int] {
      (0..<Int(Loops.firstEnded)).filter { bits & 1 << (first + UInt32($0)) != 0 }
    }
    return (loops(from: 0), loops(from: Loops.firstEnded))
  }

  /// The relation of frames and time as the audio thread published it last.
  package var clockReading: ClockReading { clock.read() }

  /// The tempo at the end of the last block.
  package var tempoReading: TempoReading { tempo.read() }

  /// The latest beat of the clock.
  package var latestBeat: BeatReading { beat.read() }

  /// The frame at which the leading loop starts its next cycle, unless its speed changes; nil if no loop
  /// plays.
  package var nextCycle: Int64? {
    let frame = cycle.load(ordering: .relaxed)
    return frame < .max ? frame : nil
  }

  /// Removes and returns the oldest event.
  ///
  /// The control thread that owns the events calls this, and returns the credit with
  /// `commands.returnCredits`.
  package func nextEvent() -> Event? { events.pop() }

  /// Removes and returns the oldest press, unless an unread event comes before it.
  package func nextPress() -> PressNews? { presses.pop(behind: events.readCount) }
}
