/// The triggers under the feet: which are down, and which press that is, judged by frames.
///
/// A press is long when it is held for half a second, and double when it is the second within three
/// tenths. Where only short presses of a trigger mean anything, they do at once; where a long one
/// does, too, a short one is known when the foot is lifted; and where a double one does, when no
/// second one has come.
struct Pedals: ~Copyable {
  // How long a press is held to be a long one, and how soon the second one of a double one comes.
  private static var longSeconds: Double { @_noLocks get { 0.5 } }
  private static var doubleSeconds: Double { @_noLocks get { 0.3 } }
  // Nobody has more feet; a press beyond that is a short one at once.
  private static var mostWaiting: Int { @_noLocks get { 32 } }
  /// The channel of a trigger that was never pressed.
  static var noChannel: UInt8 { @_noLocks get { 255 } }

  private enum Phase: UInt8, BitwiseCopyable {
    /// Nothing is to be judged.
    case idle
    /// Down, and not known yet for how long.
    case held
    /// Up again, and perhaps pressed a second time.
    case lifted
  }

  private struct State: BitwiseCopyable {
    var isDown = false
    var phase = Phase.idle
    var value: UInt8 = 0
    var channel: UInt8 = 255
    var first: Int64 = 0
    var deadline = Int64.max
  }

  private let states: UnsafeMutablePointer<State>
  // The places of those that wait for their deadline.
  private let waiting: UnsafeMutablePointer<UInt16>
  private var waitingCount = 0
  private var longFrames: Int64
  private var doubleFrames: Int64

  /// The presses that mean something; nil where none does.
  private(set) var map: PressMapPointer?
  // The kinds of which one is to be learnt, a bit each.
  private var wanted: UInt8 = 0
  private(set) var isFound = false

  init(sampleRate: Double) {
    states = .allocate(capacity: Trigger.count)
    states.initialize(repeating: State(), count: Trigger.count)
    waiting = .allocate(capacity: Self.mostWaiting)
    waiting.initialize(repeating: 0, count: Self.mostWaiting)
    longFrames = Int64(Self.longSeconds * sampleRate)
    doubleFrames = Int64(Self.doubleSeconds * sampleRate)
  }

  deinit {
    states.deallocate()
    waiting.deallocate()
  }

  /// Goes over to another sample rate, in Hz.
  @_noLocks
  mutating func setSampleRate(_ rate: Double) {
    longFrames = Int64(Self.longSeconds * rate)
    doubleFrames = Int64(Self.doubleSeconds * rate)
  }

  /// Takes other meanings; what was to be judged by the ones before is forgotten.
  @_noLocks
  mutating func setMap(_ map: PressMapPointer) {
    self.map = map
    judgeNothing()
  }

  /// Takes all for lifted: nobody knows what happened while nobody listened.
  @_noLocks
  mutating func liftAll() {
    judgeNothing()
    for place in 0..<Trigger.count { states[place].isDown = false }
  }

  @_noLocks
  private mutating func judgeNothing() {
    for index in 0..<waitingCount {
      let place = Int(waiting[index])
      states[place].phase = .idle
      states[place].deadline = .max
    }
    waitingCount = 0
  }

  // MARK: - Learning

  /// Waits for one of some kinds to be learnt, a bit each; for none where it is 0.
  @_noLocks
  mutating func learn(_ kinds: UInt8) {
    wanted = kinds
    isFound = false
  }

  /// Whether a trigger is of a kind that waits to be learnt: then it means nothing else.
  @_noLocks
  func isWanted(_ trigger: Trigger) -> Bool {
    wanted &>> UInt8(trigger.place < 384 ? trigger.place &>> 7 : 3) & 1 == 1
  }

  /// Notes that what was to be learnt has come.
  @_noLocks
  mutating func find() { isFound = true }

  // MARK: - Presses

  /// Whether a trigger means something.
  @_noLocks
  func isBound(_ trigger: Trigger) -> Bool {
    guard let map else { return false }
    return map.presses(trigger) != 0
  }

  /// Whether a trigger is down, and was taken from all else.
  @_noLocks
  func isDown(_ trigger: Trigger) -> Bool { states[Int(trigger.place)].isDown }

  /// The channel on which a trigger came last, from 0; 255 where it never did.
  @_noLocks
  func channel(of trigger: Trigger) -> UInt8 { states[Int(trigger.place)].channel }

  /// The value with which it came last, from 0 to 127.
  @_noLocks
  func value(of trigger: Trigger) -> UInt8 { states[Int(trigger.place)].value }

  /// Notes what a trigger came with.
  @_noLocks
  mutating func note(_ trigger: Trigger, value: UInt8, channel: UInt8) {
    states[Int(trigger.place)].value = value
    states[Int(trigger.place)].channel = channel
  }

  /// Takes a trigger for pressed, by which it does nothing.
  @_noLocks
  mutating func hold(_ trigger: Trigger) {
    finish(Int(trigger.place))
    states[Int(trigger.place)].isDown = true
  }

  /// Presses a trigger on a frame; returns what that is, as far as it is known.
  @_noLocks
  mutating func press(_ trigger: Trigger, at frame: Int64) -> UInt8 {
    let place = Int(trigger.place)
    states[place].isDown = true
    guard let map else { return 0 }
    let presses = map.presses(trigger)
    if case .lifted = states[place].phase {
      finish(place)
      return PressBits.down | PressBits.double
    }
    guard presses & (PressBits.long | PressBits.double) != 0, waitingCount < Self.mostWaiting else {
      return PressBits.down | PressBits.short
    }
    if case .idle = states[place].phase {
      waiting[waitingCount] = trigger.place
      waitingCount &+= 1
    }
    states[place].phase = .held
    states[place].first = frame
    states[place].deadline =
      frame &+ (presses & PressBits.long != 0 ? longFrames : doubleFrames)
    return PressBits.down
  }

  /// Lifts the foot from a trigger on a frame; returns what that is, as far as it is known.
  @_noLocks
  mutating func lift(_ trigger: Trigger, at frame: Int64) -> UInt8 {
    let place = Int(trigger.place)
    states[place].isDown = false
    guard case .held = states[place].phase, let map else { return PressBits.up }
    let second = states[place].first &+ doubleFrames
    if map.presses(trigger) & PressBits.double != 0, frame < second {
      states[place].phase = .lifted
      states[place].deadline = second
      return PressBits.up
    }
    finish(place)
    return PressBits.up | PressBits.short
  }

  /// The trigger of which a press is known by a frame, and that press; nil where none is.
  @_noLocks
  mutating func nextDue(at frame: Int64) -> (trigger: Trigger, press: UInt8)? {
    for index in 0..<waitingCount {
      let place = Int(waiting[index])
      guard states[place].deadline <= frame else { continue }
      var isLong = false
      let trigger = Trigger(place: waiting[index])
      if case .held = states[place].phase, let map {
        isLong = map.presses(trigger) & PressBits.long != 0
      }
      finish(place)
      return (trigger, isLong ? PressBits.long : PressBits.short)
    }
    return nil
  }

  /// Counts the frames until something is known.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int {
    var next = Int64.max
    for index in 0..<waitingCount { next = min(next, states[Int(waiting[index])].deadline) }
    return next == .max ? 1 << 20 : Int(max(1, min(next &- frame, 1 << 20)))
  }

  /// Ends what is to be judged of a trigger.
  @_noLocks
  private mutating func finish(_ place: Int) {
    states[place].phase = .idle
    states[place].deadline = .max
    for index in 0..<waitingCount where Int(waiting[index]) == place {
      waitingCount &-= 1
      waiting[index] = waiting[waitingCount]
      return
    }
  }
}
