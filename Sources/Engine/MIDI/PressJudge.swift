/// The times that distinguish presses, in frames.
struct PressTimes: BitwiseCopyable {
  /// Contacts bounce: a press that follows another one, or a release, sooner than this doesn't count.
  private static var bounceSeconds: Double { @_noLocks get { 0.025 } }

  private let sampleRate: Double
  /// The time after a press or release in which the contact may bounce.
  let bounce: Int64
  /// The time for which a long press is held, and the time in which the second of a double press comes.
  private(set) var long: Int64, double: Int64

  /// Creates the initial times for a sample rate in Hz.
  init(sampleRate: Double) {
    self.sampleRate = sampleRate
    bounce = Int64(Self.bounceSeconds * sampleRate)
    long = Int64(Double(Parameter.press(.long).initial) * sampleRate)
    double = Int64(Double(Parameter.press(.double).initial) * sampleRate)
  }

  /// Sets one of the times, in seconds.
  @_noLocks
  mutating func set(_ parameter: Parameter.Press, _ seconds: Float) {
    let frames = Int64(Double(seconds) * sampleRate + 0.5)
    switch parameter {
    case .long: long = frames
    case .double: double = frames
    }
  }
}

/// A detector of short, long and double presses of one switch, which ignores contact bounce.
///
/// It serves all switches of the node: MIDI triggers, keys, and the pedal of each loop. The presses
/// that its owner uses, as bits of `PressBits`, determine when a short one is recognized. If
/// neither long nor double presses are used, that is when the switch closes; with long presses,
/// when it opens; with double presses, when no second press has followed.
struct PressJudge: BitwiseCopyable {
  private enum Phase: UInt8, BitwiseCopyable {
    /// No press is pending.
    case idle
    /// Down, for a duration not yet known.
    case held
    /// Up again, and a second press may follow.
    case lifted
  }

  /// Whether the switch counts as down.
  private(set) var isDown = false
  /// Whether its contact is closed.
  ///
  /// While it may bounce, that can differ from `isDown`.
  private(set) var isClosed = false
  private var phase = Phase.idle
  // The frame of the last press, which is also the first of a double one.
  private var pressed = Int64.min / 2
  // The frame on which the contact opened last.
  private var opened = Int64.min / 2

  @_noLocks
  init() {}

  /// Whether a result depends on time alone.
  var isWaiting: Bool {
    @_noLocks get {
      if case .idle = phase { return isDown && !isClosed }
      return true
    }
  }

  /// Whether the last press can still become a long or a double one.
  var isUndecided: Bool {
    @_noLocks get { if case .idle = phase { false } else { true } }
  }

  /// Presses the switch.
  ///
  /// Returns the presses decided so far, or 0 for a bounce.
  @_noLocks
  mutating func press(at frame: Int64, wanted: UInt8, _ times: PressTimes) -> UInt8 {
    isClosed = true
    if frame &- pressed < times.bounce || frame &- opened < times.bounce { return 0 }
    let isSecond = isLifted && wanted & PressBits.double != 0 && frame &- pressed < times.double
    isDown = true
    pressed = frame
    phase = .idle
    if isSecond { return PressBits.down | PressBits.double }
    if wanted & (PressBits.long | PressBits.double) == 0 { return PressBits.down | PressBits.short }
    phase = .held
    return PressBits.down
  }

  /// Releases the switch.
  ///
  /// Returns the presses decided so far.
  ///
  /// While the contact may bounce, it counts as down, unless the owner has no room to wait. `isAssumed`
  /// means that the switch reports no releases.
  @_noLocks
  mutating func lift(
    at frame: Int64, wanted: UInt8, _ times: PressTimes, waits: Bool = true, isAssumed: Bool = false
  ) -> UInt8 {
    isClosed = false
    if !isAssumed { opened = frame }
    if !isDown || waits && frame &- pressed < times.bounce { return 0 }
    return release(at: frame, wanted: wanted, times)
  }

  @_noLocks
  private mutating func release(at frame: Int64, wanted: UInt8, _ times: PressTimes) -> UInt8 {
    isDown = false
    guard case .held = phase else { return PressBits.up }
    if wanted & PressBits.double != 0, frame &- pressed < times.double {
      phase = .lifted
      return PressBits.up
    }
    phase = .idle
    return PressBits.up | PressBits.short
  }

  /// Returns the frame at which a press is decided by time alone, or `.max`.
  @_noLocks
  func deadline(wanted: UInt8, _ times: PressTimes) -> Int64 {
    let open = isDown && !isClosed ? pressed &+ times.bounce : .max
    return switch phase {
    case .idle: open
    case .held: min(open, pressed &+ (wanted & PressBits.long != 0 ? times.long : times.double))
    case .lifted: pressed &+ times.double
    }
  }

  /// Returns the presses decided by a frame, or 0.
  ///
  /// Call it until it returns 0.
  @_noLocks
  mutating func judge(at frame: Int64, wanted: UInt8, _ times: PressTimes) -> UInt8 {
    if deadline(wanted: wanted, times) > frame { return 0 }
    if isDown && !isClosed && frame &- pressed >= times.bounce {
      return release(at: pressed &+ times.bounce, wanted: wanted, times)
    }
    let isHeld = !isLifted
    phase = .idle
    return isHeld && wanted & PressBits.long != 0 ? PressBits.long : PressBits.short
  }

  private var isLifted: Bool {
    @_noLocks get { if case .lifted = phase { true } else { false } }
  }

  /// Marks the switch as held, without a press.
  @_noLocks
  mutating func hold() {
    phase = .idle
    isDown = true
    isClosed = true
  }

  /// Discards everything pending except a release.
  @_noLocks
  mutating func forget() { phase = .idle }
}
