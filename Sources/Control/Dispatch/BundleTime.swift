internal import OSC
internal import Posix

/// The Unix epoch on the steady clock, without measurement noise: equal time tags must map to equal times,
/// or simultaneous bundles would be reordered.
struct SteadyEpoch {
  // Less than half a frame at up to 48 kHz.
  private static let noise = 10.0

  private var value = HostTime.steadyOfUnixEpoch

  var current: Double {
    mutating get {
      let measured = HostTime.steadyOfUnixEpoch
      if abs(measured - value) > Self.noise { value = measured }
      return value
    }
  }
}

/// Converts time tags to steady time, once per tag and packet.
struct TimeCache {
  /// The maximum lead of a time tag, in seconds.
  ///
  /// A tag that is years off would occupy its slot forever.
  static let secondsAhead = 3600

  let present: Double
  let epoch: Double
  private(set) var last: (time: TimeTag, due: Double)?

  /// The steady time of a tag: nil in the inner optional for immediately, nil in the outer one if it is too
  /// far ahead.
  mutating func due(at time: TimeTag) -> Double?? {
    // There is no clock before the first buffer.
    if time == .immediately || present == 0 { return .some(nil) }
    let due =
      last.flatMap { $0.time == time ? $0.due : nil }
      ?? time.unixMicroseconds + epoch
    last = (time, due)
    return due - present > Double(Self.secondsAhead) * 1e6 ? nil : .some(due)
  }
}
