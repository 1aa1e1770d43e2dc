internal import Synchronization

/// All that the audio thread and the control threads both touch, and nothing else.
///
/// What only the audio thread touches lives in `Core`, in memory of its own.
package final class Shared: Sendable {
  /// The most commands that can be under way at once.
  package static let commandCapacity = 16_384

  /// Control side to audio thread.
  package let commands = CommandQueue(capacity: Shared.commandCapacity)
  /// Audio thread to control side; a place for the event of each command.
  let events = EventQueue(capacity: Shared.commandCapacity)
  /// The levels.
  package let meters = Meters()
  /// The notes that sound.
  package let notes = PublishedNotes()
  /// The controllers of keyboards.
  package let controllers = PublishedControllers()
  /// What pedals tell.
  package let presses = PressQueue()
  /// What the guard against howling takes out.
  package let notches = PublishedNotches()
  let clock = PublishedClock()
  /// The latest beat of the clock of beats and bars.
  package let beat = PublishedBeat()
  /// What the loops do, each with a picture of its clip.
  package let loops: PublishedLoops

  // Counters publish nothing but themselves: relaxed.
  let late = Atomic<UInt64>(0)
  let nonFinite = Atomic<UInt64>(0)
  let frames = Atomic<UInt64>(0)
  let voicesSounding = Atomic<Int>(0)

  // What the chain delays its input by, in frames: relaxed, whoever reads it looks again.
  let chainDelay = Atomic<Int>(0)

  // By how many frames inputs and outputs are late, as the server says: relaxed, as above.
  private let inputDelay = Atomic<Int>(0)
  private let outputDelay = Atomic<Int>(0)

  // In Hz; relaxed, for what depends on it says at which rate it is.
  let rate: Atomic<Int>

  let freewheeling = Atomic<Bool>(false)

  // Whether the server's transport is followed, and its tempo in beats a minute, 0 where it has
  // none: relaxed, each is whole in itself.
  let transportFollowed = Atomic<Bool>(false)
  let tempoOfTransport = Atomic<UInt32>(0)
  // Whether the server's transport has bars and beats from here: relaxed likewise.
  private let transportLed = Atomic<Bool>(false)

  // The memory of the loops, which another sample rate replaces.
  let loopMemory = Mutex<LoopMemory?>(nil)

  // Who may render: twice the number of the ticket, plus one while it renders.
  let turn = Atomic<UInt64>(0)

  init(loops setup: LoopSetup, sampleRate: Double) {
    loops = PublishedLoops(setup)
    rate = Atomic(Int(sampleRate))
  }

  /// Commands that came after their time and were applied at once.
  package var lateCount: UInt64 { late.load(ordering: .relaxed) }
  /// Samples that were no number and were replaced by silence.
  package var nonFiniteCount: UInt64 { nonFinite.load(ordering: .relaxed) }
  /// Voices of the grid that sound.
  package var voiceCount: Int { voicesSounding.load(ordering: .relaxed) }
  /// Frames rendered so far.
  package var frameCount: UInt64 { frames.load(ordering: .relaxed) }
  /// The sample rate of whoever renders, or will, in Hz.
  package var sampleRate: Int { rate.load(ordering: .relaxed) }
  /// Whether frames at the moment don't follow the clock.
  package var isFreewheeling: Bool { freewheeling.load(ordering: .relaxed) }
  /// Whether the server's transport is followed.
  package var isTransportFollowed: Bool {
    @_noLocks get { transportFollowed.load(ordering: .relaxed) }
  }
  /// Whether the server's transport has its bars and beats from here.
  package var isTransportLed: Bool {
    @_noLocks get { transportLed.load(ordering: .relaxed) }
  }

  /// Says whether the server's transport has its bars and beats from here.
  package func setTransportLed(_ leads: Bool) { transportLed.store(leads, ordering: .relaxed) }

  /// The tempo of the transport that is followed, in beats a minute; nil where it tells none.
  package var transportTempo: Float? {
    let bits = tempoOfTransport.load(ordering: .relaxed)
    return isTransportFollowed && bits != 0 ? Float(bitPattern: bits) : nil
  }
  /// By how many frames the chain delays what goes through it.
  package var chainDelayFrames: Int { chainDelay.load(ordering: .relaxed) }
  /// By how many frames what comes in is late.
  package var inputDelayFrames: Int {
    @_noLocks get { inputDelay.load(ordering: .relaxed) }
  }
  /// By how many frames what goes out will be late.
  package var outputDelayFrames: Int {
    @_noLocks get { outputDelay.load(ordering: .relaxed) }
  }

  /// Says by how many frames what comes in is late.
  package func setInputDelay(_ frames: Int) { inputDelay.store(frames, ordering: .relaxed) }

  /// Says by how many frames what goes out will be late.
  package func setOutputDelay(_ frames: Int) { outputDelay.store(frames, ordering: .relaxed) }

  /// The relation of frames and time as the audio thread last saw it.
  package var clockReading: ClockReading { clock.read() }

  /// Removes and returns the oldest event.
  ///
  /// The control thread that owns the events calls this, and gives the credit back with
  /// `commands.returnCredits`.
  package func nextEvent() -> Event? { events.pop() }

  /// Removes and returns the oldest news of the pedals that is not behind an event still to be read.
  package func nextPress() -> PressNews? { presses.pop(behind: events.readCount) }
}
