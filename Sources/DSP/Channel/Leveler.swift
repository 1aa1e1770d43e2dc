internal import CRealtime

/// A compressor with one control, for voices.
///
/// The amount sets threshold, ratio and make-up gain. Peaks at -12 dBFS keep their level at every amount. The knee is
/// 12 dB wide, and the channels are linked. There is no latency.
///
/// The detector holds the peak of the last 20 to 40 ms, so the gain is constant for a steady tone of 25 Hz or more,
/// without distortion.
package struct Leveler: BitwiseCopyable {
  /// The level in dBFS that keeps its level.
  package static var pivot: Float { @_noLocks get { -12 } }

  // The frames between two gains, at 48 kHz.
  private static var cellSeconds: Float { @_noLocks get { 16.0 / 48_000 } }
  private static var kneeDecibels: Float { @_noLocks get { 12 } }
  // Time constants of the gain.
  private static var attackSeconds: Float { @_noLocks get { 0.0005 } }
  private static var releaseSeconds: Float { @_noLocks get { 0.12 } }
  private static var windowSeconds: Float { @_noLocks get { 0.02 } }
  // The gain counts as settled below this distance in dB.
  private static var near: Float { @_noLocks get { 0.0001 } }

  private let cellFrames: Int
  private let windowCells: Int
  private let attack: Float
  private let release: Float
  private var isOn = false
  private var amountSet: Float = 0.5
  // The amount in effect, which glides by cells.
  private var amount: Glide
  // The peak of the present cell, of the present window, and of the one before.
  private var cellPeak: Float = 0
  private var windowPeak: Float = 0
  private var formerPeak: Float = 0
  private var place = 0
  private var cells = 0
  /// The gain in dB.
  package private(set) var decibels: Float = 0
  // The gains at the start and at the end of the present cell, and the step between them per frame.
  private var gain: Float = 1
  private var next: Float = 1
  private var step: Float = 0

  /// Creates a compressor that is off.
  package init(sampleRate: Float) {
    cellFrames = max(8, Int((Self.cellSeconds * sampleRate).rounded()))
    let cellSeconds = Float(cellFrames) / sampleRate
    windowCells = Int((Self.windowSeconds / cellSeconds).rounded())
    attack = 1 - rt_exp(-cellSeconds / Self.attackSeconds)
    release = 1 - rt_exp(-cellSeconds / Self.releaseSeconds)
    amount = Glide(at: 0, sampleRate: 1 / cellSeconds, seconds: 0.02)
  }

  // MARK: - Parameters

  /// Turns it on or off.
  @_noLocks
  package mutating func setOn(_ value: Bool) {
    isOn = value
    amount.move(to: value ? amountSet : 0)
  }

  /// Sets the amount of compression, from 0 (none) to 1.
  @_noLocks
  package mutating func setAmount(_ value: Float) {
    amountSet = value
    if isOn { amount.move(to: value) }
  }

  /// Applies the settings at once.
  @_noLocks
  package mutating func settle() {
    amount.jump(to: amount.target)
    if isOff { reset() }
  }

  /// Resets the detector and the gain.
  @_noLocks
  package mutating func reset() {
    (cellPeak, windowPeak, formerPeak) = (0, 0, 0)
    (decibels, gain, next, step) = (0, 1, 1, 0)
  }

  /// Whether silent input leaves the state unchanged.
  package var isResting: Bool {
    @_noLocks get { isOff || !amount.isMoving && step == 0 && windowPeak == 0 && formerPeak == 0 }
  }

  /// Whether it passes the sound unchanged.
  package var isOff: Bool {
    @_noLocks get { amount.target == 0 && !amount.isMoving && gain == 1 && step == 0 }
  }

  /// The gain in dB, once it is settled, for a level in dBFS.
  @_noLocks
  package static func gain(at level: Float, amount: Float) -> Float {
    let slope = 1 / (1 + 4 * amount) - 1
    let threshold = -15 - 21 * amount
    return slope * (excess(level - threshold) - excess(pivot - threshold))
  }

  /// The level above the threshold, in dB, within a soft knee.
  @_noLocks
  private static func excess(_ over: Float) -> Float {
    let entered = over + 0.5 * kneeDecibels
    if entered <= 0 { return 0 }
    return entered < kneeDecibels ? entered * entered / (2 * kneeDecibels) : over
  }

  // MARK: - Sound

  /// Advances through silence, in which the gain recovers.
  @_noLocks
  package mutating func rest(frames: Int) {
    if isResting { return }
    var left = frames
    while left > 0 {
      let count = min(left, cellFrames &- place)
      place &+= count
      left &-= count
      if place == cellFrames { finishCell() }
    }
  }

  /// Compresses a block, in place.
  @_noLocks
  package mutating func process(_ sound: Stereo, frames: Int) {
    if isOff { return }
    var done = 0
    while done < frames {
      let count = min(frames &- done, cellFrames &- place)
      let part = sound.advanced(by: done)
      let peak = max(
        Magnitude(part.left, frames: count).peak, Magnitude(part.right, frames: count).peak)
      cellPeak = max(cellPeak, peak)
      apply(to: part, frames: count)
      place &+= count
      done &+= count
      if place == cellFrames { finishCell() }
    }
  }

  @_noLocks
  private mutating func apply(to sound: Stereo, frames: Int) {
    if step == 0 {
      Blocks.scale(sound.left, by: gain, to: sound.left, frames: frames)
      Blocks.scale(sound.right, by: gain, to: sound.right, frames: frames)
      return
    }
    for frame in 0..<frames {
      let present = gain + step * Float(place &+ frame)
      sound.left[frame] *= present
      sound.right[frame] *= present
    }
  }

  /// Sets the gain for the next cell.
  @_noLocks
  private mutating func finishCell() {
    gain = next
    place = 0
    windowPeak = max(windowPeak, cellPeak)
    cellPeak = 0
    cells &+= 1
    if cells >= windowCells {
      cells = 0
      formerPeak = windowPeak
      windowPeak = 0
    }
    amount.skip(frames: 1)
    let peak = max(windowPeak, formerPeak)
    let level = 8.685_889_638 * rt_log(max(peak, 1e-5))  // 20 / ln(10)
    let target = Self.gain(at: level, amount: amount.current)
    let distance = target - decibels
    if abs(distance) < Self.near {
      decibels = target
    } else {
      decibels += (distance < 0 || amount.isMoving ? attack : release) * distance
    }
    next = decibels == 0 ? 1 : rt_exp(decibels * 0.115_129_254_6)  // ln(10) / 20
    step = (next - gain) / Float(cellFrames)
  }
}
