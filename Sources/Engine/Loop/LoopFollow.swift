internal import DSP

/// How a loop follows the tempo.
enum FollowMode: UInt8, BitwiseCopyable {
  /// At its own speed.
  case off
  /// At the ratio of the tempo to that of its recording.
  case tempo
  /// On the beat, too.
  case lock

  @_noLocks
  init(number: Float) { self = number == 0 ? .off : number == 1 ? .tempo : .lock }

  var isOff: Bool { @_noLocks get { if case .off = self { true } else { false } } }
  var isLock: Bool { @_noLocks get { if case .lock = self { true } else { false } } }
}

/// The position at which a loop that follows the tempo should be heard, and the speed that leads there.
struct LoopFollow: BitwiseCopyable {
  /// Within this deviation, a fifth of a millisecond in a second, a loop plays at its own speed.
  private static var deadBand: Double { @_noLocks get { 0.0002 } }
  // An engine that plays at exactly its own speed would pass the tape.
  private static var leastStretch: Double { @_noLocks get { 0.000_001 } }
  // A loop in the dead band is corrected from the first error to the second one, in seconds.
  private static var leastError: Double { @_noLocks get { 0.0005 } }
  private static var noError: Double { @_noLocks get { 0.000_02 } }
  // A greater error is corrected by a jump.
  private static var greatestError: Double { @_noLocks get { 0.01 } }
  // The time constant of a correction in seconds, and its greatest speed beside an engine's stretch.
  private static var correctionSeconds: Double { @_noLocks get { 0.25 } }
  private static var fastestCorrection: Double { @_noLocks get { 0.02 } }

  var mode = FollowMode.off
  // The beats and the position, in frames of the clip, from which the wanted position is counted.
  private var beats = 0.0
  private var place = 0.0
  private var isAnchored = false
  // The clip and its length at that time.
  private var clip = 0
  private var length = 0
  /// The length of a cycle at that time.
  private(set) var round = 0.0
  private var isCorrecting = false
  private var stretch = StretchChoice()
  // Whether the clip has grown since.
  private var hasGrown = false

  /// Forgets the position, which something else has moved.
  @_noLocks
  mutating func forget() { isAnchored = false }

  /// Whether the loop is stretched by its engine.
  var isStretched: Bool { @_noLocks get { stretch.isStretched } }

  /// Whether the loop needs no position: it plays at its own speed, or may from now on.
  var isAtRest: Bool { @_noLocks get { !isAnchored || !isStretched && !isCorrecting } }

  /// Returns the speed at which a loop starts for a ratio of the tempo to the clip's.
  @_noLocks
  mutating func begin(_ ratio: Double) -> Double {
    stretch.begin(ratio)
    let speed = Self.banded(ratio)
    return isStretched ? Self.stretched(speed) : speed
  }

  /// Notes that the clip is growing: its position continues, whatever its length.
  @_noLocks
  mutating func noteGrowth() { hasGrown = true }

  /// Whether the position is counted in this clip before it has grown.
  @_noLocks
  func isAnchored(beforeGrowthOf clip: Int) -> Bool { isAnchored && hasGrown && clip == self.clip }

  /// Leads the loop to its position, however far that is.
  @_noLocks
  mutating func leadThere() { isCorrecting = true }

  /// Returns a speed that is not exactly 1.
  @_noLocks
  static func stretched(_ speed: Double) -> Double {
    abs(speed - 1) < leastStretch ? 1 + leastStretch : speed
  }

  /// Counts from a position at a number of beats.
  @_noLocks
  mutating func anchor(at place: Double, beats: Double, in tape: borrowing LoopTape) {
    self.place = place
    self.beats = beats
    clip = tape[tape.currentVersion].clip
    length = tape.length
    round = tape.round
    isAnchored = true
    isCorrecting = false
    hasGrown = false
  }

  /// Counts from the same position as that of another sample rate, which is `ratio` times as high, in a clip of a
  /// length in frames.
  mutating func adopt(_ former: LoopFollow, ratio: Double, length: Int) {
    isAnchored = former.isAnchored
    clip = former.clip
    beats = former.beats
    place = former.place * ratio
    self.length = length
    round = former.round * ratio
    stretch = former.stretch
  }

  /// Whether the position is counted in this clip.
  @_noLocks
  func isAnchored(in clip: Int, length: Int) -> Bool {
    isAnchored && clip == self.clip && length == self.length
  }

  /// The wanted position after a number of beats of a length in frames; the direction is 1 or -1.
  @_noLocks
  func place(after beats: Double, ofFrames beat: Double, direction: Double) -> Double {
    place + direction * (beats - self.beats) * beat
  }

  /// Whether an error in frames of the clip needs a jump.
  @_noLocks
  static func needsJump(_ error: Double, sampleRate: Double) -> Bool {
    abs(error) > greatestError * sampleRate
  }

  /// Returns the ratio, or 1 where it is too close to that to be followed.
  @_noLocks
  static func banded(_ ratio: Double) -> Double { abs(ratio - 1) < deadBand ? 1 : ratio }

  /// Returns the speed for a ratio of the tempo to the clip's and an error in frames, some seconds after the last
  /// one; positive errors are late.
  @_noLocks
  mutating func speed(
    ratio: Double, error: Double, after seconds: Double, sampleRate: Double
  ) -> Double {
    stretch.update(ratio, after: seconds)
    let aim = Self.banded(ratio)
    let wanted = error / (Self.correctionSeconds * sampleRate)
    if isStretched {
      isCorrecting = true
      return Self.stretched(
        aim + max(0 - Self.fastestCorrection, min(wanted, Self.fastestCorrection)))
    }
    if aim == 1 {
      let off = abs(error) / sampleRate
      if off > Self.leastError { isCorrecting = true }
      if off < Self.noError { isCorrecting = false }
      if !isCorrecting { return 1 }
    }
    // Not beyond what is heard as a change of pitch.
    let most = DriftWarp.most - 1e-6
    return max(1 - most, min(aim + wanted, 1 + most))
  }
}
