/// Frames with 32 binary places.
enum VoicePlaces {
  /// The number of such places to a frame.
  static var unit: Double { @_noLocks get { 4_294_967_296 } }

  /// A number of frames; what is beyond every tape is cut off, NaN is none.
  @_noLocks
  static func of(_ frames: Double) -> Int64 {
    abs(frames) < 1e9 ? Int64(frames * unit) : frames > 0 ? Int64.max / 4 : 0
  }

  /// How many whole frames a way takes, the last of them begun.
  @_noLocks
  static func ceiling(_ way: Int64) -> Int { Int((way &+ 0xFFFF_FFFF) >> 32) }

  /// Divides a way by a speed above zero, into frames.
  @_noLocks
  static func quotient(_ way: Int64, _ speed: Int64) -> Int64 {
    speed == WarpStep.unity ? way : of(Double(way) / Double(speed))
  }

  /// Multiplies frames by a speed, into a way.
  @_noLocks
  static func product(_ frames: Int64, _ speed: Int64) -> Int64 {
    speed == WarpStep.unity ? frames : (frames >> 16) &* (speed >> 16)
  }
}
