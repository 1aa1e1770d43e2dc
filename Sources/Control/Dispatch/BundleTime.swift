internal import OSC
internal import Posix

/// The wall clock's zero on the steady clock, free of the noise of its measurement: the same tag
/// must stay the same time, or bundles of one time would change their order.
struct SteadyEpoch {
  // Less than half a frame at any rate up to 48 kHz.
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

/// Turns time tags into times of the steady clock, once for each in a packet.
struct TimeCache {
  /// The seconds that a time can be ahead: a tag that is wrong by years would hold its place for ever.
  static let secondsAhead = 3600

  let present: Double
  let epoch: Double
  private var last: (time: TimeTag, due: Double)?

  init(present: Double, epoch: Double) {
    self.present = present
    self.epoch = epoch
  }

  /// The time, where nil stands for at once; nil where it is too far ahead.
  mutating func due(at time: TimeTag) -> Double?? {
    // Before the first block there is no time.
    if time == .immediately || present == 0 { return .some(nil) }
    let due =
      last.flatMap { $0.time == time ? $0.due : nil }
      ?? time.unixMicroseconds + epoch
    last = (time, due)
    return due - present > Double(Self.secondsAhead) * 1e6 ? nil : .some(due)
  }
}
