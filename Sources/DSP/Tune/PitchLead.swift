/// Extrapolates a pitch track by the latency of its measurement.
///
/// Pitches are in semitones, and arrive at equal intervals. A steady pitch passes unchanged.
package struct PitchLead: BitwiseCopyable {
  // Slopes below this are noise, and above this are leaps, in semitones per second.
  private static var least: Float { @_noLocks get { 2 } }
  private static var most: Float { @_noLocks get { 30 } }

  private let perSecond: Float
  private let seconds: Float
  // The last four pitches, the latest first.
  private var former = SIMD4<Float>()
  private var count = 0

  /// Creates an extrapolation by some seconds, for pitches at an interval in seconds.
  package init(seconds: Float, interval: Float) {
    // The slope is that of the middle of its interval.
    self.seconds = seconds + 2 * interval
    perSecond = 1 / (4 * interval)
  }

  /// Resets the history.
  @_noLocks
  package mutating func reset() { count = 0 }

  /// Returns the present pitch for the next measured one.
  @_noLocks
  package mutating func follow(_ pitch: Float) -> Float {
    let oldest = former[3]
    former = SIMD4(pitch, former[0], former[1], former[2])
    count = min(count &+ 1, 5)
    if count < 5 { return pitch }
    let slope = (pitch - oldest) * perSecond
    let magnitude = abs(slope)
    if magnitude < Self.least || magnitude > Self.most { return pitch }
    return pitch + seconds * (slope > 0 ? magnitude - Self.least : Self.least - magnitude)
  }
}
