/// Arithmetic on frames in 32.32 fixed-point.
enum VoicePlaces {
  /// The fixed-point value of one frame.
  static var unit: Double { @_noLocks get { 4_294_967_296 } }

  /// Converts frames to fixed-point.
  ///
  /// Values beyond any tape saturate; NaN becomes 0.
  @_noLocks
  static func of(_ frames: Double) -> Int64 {
    abs(frames) < 1e9 ? Int64(frames * unit) : frames > 0 ? Int64.max / 4 : 0
  }

  /// Rounds a distance up to whole frames.
  @_noLocks
  static func ceiling(_ way: Int64) -> Int { Int((way &+ 0xFFFF_FFFF) >> 32) }

  /// Divides a distance by a positive speed.
  @_noLocks
  static func quotient(_ way: Int64, _ speed: Int64) -> Int64 {
    speed == WarpStep.unity ? way : of(Double(way) / Double(speed))
  }

  /// Multiplies a number of frames by a speed.
  @_noLocks
  static func product(_ frames: Int64, _ speed: Int64) -> Int64 {
    speed == WarpStep.unity ? frames : (frames >> 16) &* (speed >> 16)
  }
}
