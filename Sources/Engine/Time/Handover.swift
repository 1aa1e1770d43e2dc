/// The change to another driver: how frames of the former one are counted by it.
struct Handover: BitwiseCopyable {
  /// The end of the last block of the former driver.
  let end: Int64
  /// The same time in frames of the new one.
  let start: Int64
  /// The number of frames from there to the first block of the new driver.
  let passed: Int64
  /// The ratio of the sample rates.
  let ratio: Double

  @_noLocks
  init(end: Int64, start: Int64, passed: Int64, ratio: Double) {
    (self.end, self.start, self.passed, self.ratio) = (end, start, passed, ratio)
  }

  /// The jump of the timeline, apart from the sample rate.
  var shift: Int64 { @_noLocks get { start &- end } }

  /// Returns a frame of the former driver as one of the new.
  @_noLocks
  func frame(_ former: Int64) -> Int64 { start &+ Self.scaled(former &- end, by: ratio) }

  /// Returns a number of frames at another sample rate.
  @_noLocks
  static func scaled(_ frames: Int64, by ratio: Double) -> Int64 {
    if ratio == 1 { return frames }
    let exact = Double(frames) * ratio
    return Int64(max(-9e15, min(exact + (exact < 0 ? -0.5 : 0.5), 9e15)))
  }
}
