internal import CRealtime

/// Computes the pitch shift that moves a voice to the nearest target pitch.
///
/// Pitches are fractional MIDI note numbers.
package struct PitchCorrector: BitwiseCopyable {
  // Hysteresis: another target must be nearer by this many semitones for this many seconds. A leap switches at once, and
  // a smaller difference after a longer time.
  private static var preference: Float { @_noLocks get { 0.2 } }
  private static var patience: Float { @_noLocks get { 0.012 } }
  private static var leap: Float { @_noLocks get { 0.8 } }
  private static var leastPreference: Float { @_noLocks get { 0.02 } }
  private static var longPatience: Float { @_noLocks get { 0.12 } }
  // After an onset or a leap there is no hysteresis for this long, in seconds: the first pitches are inaccurate.
  private static var onsetSeconds: Float { @_noLocks get { 0.1 } }
  // Time constants in seconds: of the mean pitch, the center of a vibrato, and of the pitch that selects the target; and
  // the largest deviation from the latter, in semitones, that counts as vibrato.
  private static var meanSeconds: Float { @_noLocks get { 0.12 } }
  private static var centerSeconds: Float { @_noLocks get { 0.08 } }
  private static var mostSwing: Float { @_noLocks get { 0.5 } }
  // The hold time of the shift without a pitch, and the time constant of its release, in seconds.
  private static var holdSeconds: Float { @_noLocks get { 0.15 } }
  private static var endSeconds: Float { @_noLocks get { 0.05 } }
  // With patience: the averaging time of the center, the time after an onset in which a deviation moves it at once, and
  // the deviations in semitones that are another note after some seconds. A wide vibrato returns sooner.
  private static var patientCenterSeconds: Float { @_noLocks get { 0.2 } }
  private static var firstSeconds: Float { @_noLocks get { 0.03 } }
  private static var steadySeconds: Float { @_noLocks get { 0.08 } }
  private static var wideSwing: Float { @_noLocks get { 0.8 } }
  private static var wideSeconds: Float { @_noLocks get { 0.025 } }
  // Smaller shifts snap to 0, in semitones.
  private static var near: Float { @_noLocks get { 0.001 } }

  /// The share of the error that is corrected, from 0 to 1.
  package var amount: Float = 1
  /// The time constant of the correction, in seconds.
  package var speed: Float = 0.02
  /// The share of the vibrato that is preserved, from 0 to 1.
  package var vibrato: Float = 0

  /// Whether a vibrato that reaches other notes keeps the target; changes take up to 0.08 s longer.
  package var isPatient = false

  /// The shift, in semitones.
  package private(set) var shift: Float = 0
  /// The target, or nil while there is none.
  package private(set) var target: Float?
  private var mean: Float = 0
  private var center: Float = 0
  private var wait: Float = 0
  // The time since the onset or the last leap.
  private var age: Float = 0
  private var silence: Float = 0
  // How long the pitch has deviated more than a vibrato, and more than a wide one, in seconds.
  private var outside: Float = 0
  private var wideOutside: Float = 0
  // The time since the center has jumped, at most the averaging time.
  private var centerAge: Float = 0

  /// Creates a corrector without a shift.
  package init() {}

  /// Resets the state.
  @_noLocks
  package mutating func reset() {
    shift = 0
    target = nil
    silence = 0
    wait = 0
  }

  /// Updates the shift for a pitch, `seconds` after the last call.
  ///
  /// The target is the one nearest to the measured pitch.
  @_noLocks
  package mutating func correct(
    _ pitch: Float, measured: Float, toward targets: PitchTargets, seconds: Float
  ) {
    silence = 0
    if isPatient {
      followPatiently(measured, seconds: seconds)
    } else {
      center += Self.share(seconds, of: Self.centerSeconds) * (measured - center)
      if target == nil || abs(measured - center) > Self.mostSwing { center = measured }
    }
    guard let nearest = targets.nearest(to: center) else {
      end(seconds: seconds)
      return
    }
    choose(nearest, for: center, targets, seconds: seconds)
    guard let target else { return }
    mean += Self.share(seconds, of: Self.meanSeconds) * (pitch - mean)
    let steady = pitch - vibrato * (pitch - mean)
    let wanted = amount * (target - steady)
    shift += Self.share(seconds, of: speed) * (wanted - shift)
  }

  /// Averages the pitch, and jumps to another note.
  @_noLocks
  private mutating func followPatiently(_ measured: Float, seconds: Float) {
    let distance = abs(measured - center)
    outside = distance > Self.mostSwing ? outside + seconds : 0
    wideOutside = distance > Self.wideSwing ? wideOutside + seconds : 0
    // The first pitches are inaccurate, and not of a vibrato.
    let isFirst = target == nil || centerAge < Self.firstSeconds && distance > Self.mostSwing
    if isFirst || outside > Self.steadySeconds || wideOutside > Self.wideSeconds {
      if target == nil || !isFirst { centerAge = 0 }
      center = measured
      outside = 0
      wideOutside = 0
    } else {
      // At first the mean since the jump: after a jump to the peak of a vibrato, it is right half a cycle later.
      centerAge = min(centerAge + seconds, Self.patientCenterSeconds)
      center += seconds / (centerAge + seconds) * (measured - center)
    }
  }

  /// Advances by some seconds without a pitch.
  @_noLocks
  package mutating func rest(seconds: Float) {
    silence += seconds
    if silence > Self.holdSeconds { end(seconds: seconds) }
  }

  @_noLocks
  private mutating func end(seconds: Float) {
    target = nil
    shift -= Self.share(seconds, of: Self.endSeconds) * shift
    if abs(shift) < Self.near { shift = 0 }
  }

  @_noLocks
  private mutating func choose(
    _ nearest: Float, for pitch: Float, _ targets: PitchTargets, seconds: Float
  ) {
    guard let former = target, let current = targets.current(former, near: pitch) else {
      begin(nearest, at: pitch)
      age = 0
      return
    }
    age += seconds
    let nearer = abs(pitch - current) - abs(pitch - nearest)
    target = current
    wait = nearer > Self.leastPreference ? wait + seconds : 0
    let isLeap = nearer > Self.leap
    if isLeap { age = 0 }
    let isYoung = age < Self.onsetSeconds && nearer > Self.leastPreference
    let isLong = wait > (nearer > Self.preference ? Self.patience : Self.longPatience)
    if isLeap || isYoung || isLong { begin(nearest, at: pitch) }
  }

  @_noLocks
  private mutating func begin(_ next: Float, at pitch: Float) {
    target = next
    mean = pitch
    center = pitch
    wait = 0
  }

  /// The share of the distance covered in some seconds.
  @_noLocks
  private static func share(_ seconds: Float, of constant: Float) -> Float {
    constant > 0 ? 1 - rt_exp(-seconds / constant) : 1
  }
}

/// The target pitches of a pitch correction.
package struct PitchTargets: BitwiseCopyable {
  private let pitches: UnsafePointer<Float>
  private let count: Int
  private let repeatsInOctaves: Bool

  /// Creates targets from pitches in cents above MIDI key 0, optionally repeated in all octaves.
  ///
  /// The memory must outlive them.
  @_noLocks
  package init(cents: UnsafePointer<Float>, count: Int, inAllOctaves: Bool) {
    pitches = cents
    self.count = count
    repeatsInOctaves = inAllOctaves
  }

  /// Whether there are none.
  package var isEmpty: Bool { @_noLocks get { count == 0 } }

  /// The target nearest to a pitch in semitones; nil if there are none.
  @_noLocks
  func nearest(to pitch: Float) -> Float? {
    var best: Float?
    var least = Float.infinity
    for index in 0..<count {
      let candidate = moved(pitches[index] * 0.01, near: pitch)
      let distance = abs(candidate - pitch)
      // False for NaN.
      if distance < least {
        least = distance
        best = candidate
      }
    }
    return best
  }

  /// Returns a former target, in the octave nearest to a pitch; nil if it no longer exists.
  @_noLocks
  func current(_ target: Float, near pitch: Float) -> Float? {
    let wanted = moved(target, near: pitch)
    for index in 0..<count {
      let candidate = moved(pitches[index] * 0.01, near: pitch)
      if abs(candidate - wanted) < 0.01 { return candidate }
    }
    return nil
  }

  @_noLocks
  private func moved(_ candidate: Float, near pitch: Float) -> Float {
    let octaves = (pitch - candidate) / 12
    // False for NaN.
    guard repeatsInOctaves && abs(octaves) < 100 else { return candidate }
    return candidate + Float(12 &* (Int(octaves + 100.5) &- 100))
  }
}
