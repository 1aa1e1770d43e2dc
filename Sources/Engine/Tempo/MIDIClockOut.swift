internal import DSP

/// The MIDI clock that is sent: 24 ticks a beat, each on its frame.
///
/// It runs all the time, so that receivers know the tempo. A Start is sent with the first beat of a bar, else a
/// Song Position and Continue with the next sixteenth.
struct MIDIClockOut: BitwiseCopyable {
  private static var ticksPerSixteenth: Int { @_noLocks get { 6 } }

  private(set) var isOn = false
  // The next tick, its number in its bar, and the state of the beats that it was planned by.
  private var nextFrame = Int64.max
  private var nextNumber = 0
  private var changesSeen = -1
  private var latestFrame = Int64.min / 2
  private var latestNumber = -1
  // The number of the tick that continues the bar; -1 before the first.
  private var expected = -1
  private var isRunning = false
  private var isStarted = false

  @_noLocks
  init() {}

  /// Turns the clock on or off.
  ///
  /// Returns whether a Stop is due.
  @_noLocks
  mutating func setOn(_ value: Bool) -> Bool {
    let stops = isStarted && !value
    if value != isOn { self = MIDIClockOut() }
    isOn = value
    return stops
  }

  /// Counts the frames until the next tick.
  @_noLocks
  func framesToGo(at frame: Int64) -> Int { Int(max(1, min(nextFrame &- frame, 1 << 20))) }

  /// Sends what is due at a frame, with ticks `delay` frames after the beats.
  @_noLocks
  mutating func advance(
    to frame: Int64, beats: BeatClock, isRunning: Bool, delay: Int64, outbox: borrowing MIDIOutbox
  ) {
    if !isOn { return }
    if self.isRunning != isRunning {
      self.isRunning = isRunning
      if isStarted { stop(outbox) }
    }
    if nextFrame < frame || nextFrame == .max || changesSeen != beats.changes {
      plan(from: frame, beats, delay)
    }
    guard nextFrame == frame else { return }
    // A jump of the beats.
    if isStarted && nextNumber != expected { stop(outbox) }
    let ticks = 24 &* beats.beatsPerBar
    if isRunning && !isStarted {
      if nextNumber == 0 {
        _ = outbox.tell(0xFA)
        isStarted = true
      } else if nextNumber % Self.ticksPerSixteenth == 0 {
        let place = nextNumber / Self.ticksPerSixteenth
        _ = outbox.tell(0xF2, UInt8(place & 127), UInt8(place &>> 7 & 127))
        _ = outbox.tell(0xFB)
        isStarted = true
      }
    }
    _ = outbox.tell(0xF8)
    expected = nextNumber &+ 1 == ticks ? 0 : nextNumber &+ 1
    (latestFrame, latestNumber) = (frame, nextNumber)
    plan(from: frame &+ 1, beats, delay)
  }

  @_noLocks
  private mutating func stop(_ outbox: borrowing MIDIOutbox) {
    _ = outbox.tell(0xFC)
    isStarted = false
  }

  @_noLocks
  private mutating func plan(from frame: Int64, _ beats: BeatClock, _ delay: Int64) {
    var next = beats.nextTick(from: frame &- delay)
    // A correction of the beats repeats no tick.
    if next.number == latestNumber, next.frame &+ delay &- latestFrame < Int64(beats.exact(1) / 48)
    {
      next = beats.nextTick(from: next.frame &+ 1)
    }
    nextFrame = next.frame &+ delay
    nextNumber = next.number
    changesSeen = beats.changes
  }
}
