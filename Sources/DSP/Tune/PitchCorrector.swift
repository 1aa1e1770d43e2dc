internal import CRealtime

/// Decides by how much a voice is to be shifted, so that it sounds at the nearest of some target pitches.
///
/// Pitches are in semitones, as MIDI note numbers with fractions.
package struct PitchCorrector: BitwiseCopyable {
  // How much nearer another target must be, in semitones, and for how long, in seconds: a leap is followed at once, and
  // the end of a slide near the middle after a while.
  private static var preference: Float { @_noLocks get { 0.2 } }
  private static var patience: Float { @_noLocks get { 0.012 } }
  private static var leap: Float { @_noLocks get { 0.8 } }
  private static var leastPreference: Float { @_noLocks get { 0.02 } }
  private static var longPatience: Float { @_noLocks get { 0.12 } }
  // The time constants of the mean pitch, around which vibrato swings, and of the one that chooses the target, in
  // seconds; and the distance from it, in semitones, that is no vibrato.
  private static var meanSeconds: Float { @_noLocks get { 0.12 } }
  private static var centerSeconds: Float { @_noLocks get { 0.08 } }
  private static var mostSwing: Float { @_noLocks get { 0.5 } }
  // How long the shift is held without a pitch, and the time constant of its end, in seconds.
  private static var holdSeconds: Float { @_noLocks get { 0.15 } }
  private static var endSeconds: Float { @_noLocks get { 0.05 } }
  // The shift that counts as none, in semitones.
  private static var near: Float { @_noLocks get { 0.001 } }

  /// How much of the distance is corrected, from 0 to 1.
  package var amount: Float = 1
  /// The time constant of the correction, in seconds.
  package var speed: Float = 0.02
  /// How much of the vibrato is kept, from 0 to 1.
  package var vibrato: Float = 0

  /// The shift, in semitones.
  package private(set) var shift: Float = 0
  /// The target, or nil while there is none.
  package private(set) var target: Float?
  private var mean: Float = 0
  private var center: Float = 0
  private var wait: Float = 0
  private var silence: Float = 0

  /// Creates a corrector without a shift.
  package init() {}

  /// Forgets the voice.
  @_noLocks
  package mutating func reset() {
    shift = 0
    target = nil
    silence = 0
    wait = 0
  }

  /// Corrects a pitch, toward the target nearest to the one that was measured, `seconds` after the last call.
  @_noLocks
  package mutating func correct(
    _ pitch: Float, measured: Float, toward targets: PitchTargets, seconds: Float
  ) {
    silence = 0
    center += Self.share(seconds, of: Self.centerSeconds) * (measured - center)
    if target == nil || abs(measured - center) > Self.mostSwing { center = measured }
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

  /// Continues without a pitch for some seconds.
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
      return
    }
    let nearer = abs(pitch - current) - abs(pitch - nearest)
    target = current
    wait = nearer > Self.leastPreference ? wait + seconds : 0
    let isLong = wait > (nearer > Self.preference ? Self.patience : Self.longPatience)
    if nearer > Self.leap || isLong { begin(nearest, at: pitch) }
  }

  @_noLocks
  private mutating func begin(_ next: Float, at pitch: Float) {
    target = next
    mean = pitch
    center = pitch
    wait = 0
  }

  /// The share of the way that is covered in some seconds.
  @_noLocks
  private static func share(_ seconds: Float, of constant: Float) -> Float {
    constant > 0 ? 1 - rt_exp(-seconds / constant) : 1
  }
}

/// The pitches that a voice may be corrected to.
package struct PitchTargets: BitwiseCopyable {
  private let pitches: UnsafePointer<Float>
  private let count: Int
  private let repeatsInOctaves: Bool

  /// Creates targets from pitches in cents above MIDI key 0, in all octaves if asked.
  ///
  /// The memory must outlive them.
  @_noLocks
  package init(cents: UnsafePointer<Float>, count: Int, inAllOctaves: Bool) {
    pitches = cents
    self.count = count
    repeatsInOctaves = inAllOctaves
  }

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

  /// The target that is still the same, perhaps in another octave; nil if it is gone.
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
