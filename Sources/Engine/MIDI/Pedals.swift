internal import DSP

/// The state of the triggers: which are down, and the presses they make.
struct Pedals: ~Copyable {
  // More than feet can hold. A press beyond that is a short one at once.
  private static var mostWaiting: Int { @_noLocks get { 32 } }
  /// The channel of a trigger that was never pressed.
  static var noChannel: UInt8 { @_noLocks get { 255 } }

  private struct State: BitwiseCopyable {
    var judge = PressJudge()
    var value: UInt8 = 0
    var channel: UInt8 = 255
    var isListed = false
  }

  private let buffers = Buffers()
  private let states: UnsafeMutablePointer<State>
  // The indices of the triggers whose press depends on time.
  private let waiting: UnsafeMutablePointer<UInt16>
  private var waitingCount = 0

  /// The presses that are bound, or nil before any were.
  private(set) var map: PressMapPointer?
  // The kinds of trigger that MIDI learn accepts, one bit each.
  private var wanted: UInt8 = 0
  private(set) var isFound = false

  init() {
    states = buffers.filled(with: State(), count: Trigger.count)
    waiting = buffers.filled(with: 0, count: Self.mostWaiting)
  }

  /// Sets what presses mean.
  ///
  /// Discards pending presses.
  @_noLocks
  mutating func setMap(_ map: PressMapPointer) {
    self.map = map
    var index = 0
    while index < waitingCount {
      let place = Int(waiting[index])
      states[place].judge.forget()
      // It has not been released yet.
      if states[place].judge.isWaiting { index &+= 1 } else { unlist(index) }
    }
  }

  /// Releases all triggers, when a release may have been missed.
  @_noLocks
  mutating func liftAll() {
    while waitingCount > 0 { unlist(waitingCount &- 1) }
    for place in 0..<Trigger.count { states[place].judge = PressJudge() }
  }

  // MARK: - Learning

  /// Sets the kinds of trigger that MIDI learn accepts, one bit each.
  ///
  /// 0 ends learning.
  @_noLocks
  mutating func learn(_ kinds: UInt8) {
    wanted = kinds
    isFound = false
  }

  /// Whether MIDI learn accepts a trigger.
  ///
  /// Then it has no other effect.
  @_noLocks
  func isWanted(_ trigger: Trigger) -> Bool {
    wanted &>> UInt8(trigger.place < 384 ? trigger.place &>> 7 : 3) & 1 == 1
  }

  /// Records that a trigger was learned.
  @_noLocks
  mutating func find() { isFound = true }

  // MARK: - Presses

  /// Whether any press of a trigger is bound.
  @_noLocks
  func isBound(_ trigger: Trigger) -> Bool { presses(of: trigger) != 0 }

  @_noLocks
  private func presses(of trigger: Trigger) -> UInt8 { map?.presses(trigger) ?? 0 }

  /// Whether a trigger is down, so that its release has no other effect.
  @_noLocks
  func isDown(_ trigger: Trigger) -> Bool { states[Int(trigger.place)].judge.isDown }

  /// Whether the contact of a trigger is closed.
  @_noLocks
  func isClosed(_ trigger: Trigger) -> Bool { states[Int(trigger.place)].judge.isClosed }

  /// The channel of a trigger's last message, from 0, or 255.
  @_noLocks
  func channel(of trigger: Trigger) -> UInt8 { states[Int(trigger.place)].channel }

  /// The value of a trigger's last message, from 0 to 127.
  @_noLocks
  func value(of trigger: Trigger) -> UInt8 { states[Int(trigger.place)].value }

  /// Stores the value and the channel of a trigger's message.
  @_noLocks
  mutating func note(_ trigger: Trigger, value: UInt8, channel: UInt8) {
    states[Int(trigger.place)].value = value
    states[Int(trigger.place)].channel = channel
  }

  /// Marks a trigger as held, without a press.
  @_noLocks
  mutating func hold(_ trigger: Trigger) {
    states[Int(trigger.place)].judge.hold()
    list(Int(trigger.place))
  }

  /// Presses a trigger.
  ///
  /// Returns the presses decided so far, as bits of `PressBits`.
  @_noLocks
  mutating func press(_ trigger: Trigger, at frame: Int64, _ times: PressTimes) -> UInt8 {
    let place = Int(trigger.place)
    // Without room to wait for more, it is a short one.
    let wanted = hasRoom(place) ? presses(of: trigger) : 0
    let bits = states[place].judge.press(at: frame, wanted: wanted, times)
    list(place)
    return bits
  }

  /// Releases a trigger.
  ///
  /// Returns the presses decided so far. `isAssumed` means that the trigger reports no releases.
  @_noLocks
  mutating func lift(
    _ trigger: Trigger, at frame: Int64, _ times: PressTimes, isAssumed: Bool
  ) -> UInt8 {
    let place = Int(trigger.place)
    let bits = states[place].judge.lift(
      at: frame, wanted: presses(of: trigger), times, waits: hasRoom(place), isAssumed: isAssumed)
    list(place)
    return bits
  }

  /// Discards what the press of a trigger may still become.
  @_noLocks
  mutating func forget(_ trigger: Trigger) {
    let place = Int(trigger.place)
    states[place].judge.forget()
    list(place)
  }

  /// Whether a press depends on time.
  var isWaiting: Bool { @_noLocks get { waitingCount > 0 } }

  /// Returns a trigger whose press is decided by a frame, and that press, or nil.
  @_noLocks
  mutating func nextDue(at frame: Int64, _ times: PressTimes) -> (trigger: Trigger, press: UInt8)? {
    for index in 0..<waitingCount {
      let trigger = Trigger(place: waiting[index])
      let place = Int(trigger.place)
      let bits = states[place].judge.judge(at: frame, wanted: presses(of: trigger), times)
      if bits == 0 { continue }
      list(place)
      return (trigger, bits)
    }
    return nil
  }

  /// Returns the frames until a press is decided by time alone.
  @_noLocks
  func framesToGo(at frame: Int64, _ times: PressTimes) -> Int {
    var next = Int64.max
    for index in 0..<waitingCount {
      let trigger = Trigger(place: waiting[index])
      let judge = states[Int(trigger.place)].judge
      next = min(next, judge.deadline(wanted: presses(of: trigger), times))
    }
    return next == .max ? 1 << 20 : Int(max(1, min(next &- frame, 1 << 20)))
  }

  // MARK: - The list

  @_noLocks
  private func hasRoom(_ place: Int) -> Bool {
    waitingCount < Self.mostWaiting || states[place].isListed
  }

  /// Lists a trigger while its press depends on time.
  @_noLocks
  private mutating func list(_ place: Int) {
    let isWaiting = states[place].judge.isWaiting
    if isWaiting == states[place].isListed { return }
    if isWaiting {
      waiting[waitingCount] = UInt16(truncatingIfNeeded: place)
      waitingCount &+= 1
      states[place].isListed = true
      return
    }
    for index in 0..<waitingCount where Int(waiting[index]) == place {
      unlist(index)
      return
    }
  }

  @_noLocks
  private mutating func unlist(_ index: Int) {
    states[Int(waiting[index])].isListed = false
    waitingCount &-= 1
    waiting[index] = waiting[waitingCount]
  }
}
