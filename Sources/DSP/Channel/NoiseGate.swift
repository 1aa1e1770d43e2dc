internal import CRealtime

/// A stereo-linked noise gate without latency.
///
/// It opens within 0.7 ms of the first sample at the threshold. It starts to close when all samples of the hold time are
/// more than 6 dB below the threshold: with the sound's own decay, three times as steep, and within 0.3 s in steady
/// noise. While it closes, the gain only falls, so low notes are not modulated.
package struct NoiseGate: BitwiseCopyable {
  // The closing threshold relative to the opening one: -6 dB.
  private static var hysteresis: Float { @_noLocks get { 0.501_187_2 } }
  // The shortest hold time, half a period of 25 Hz.
  private static var leastHoldSeconds: Float { @_noLocks get { 0.02 } }
  private static var openingSeconds: Float { @_noLocks get { 0.0007 } }
  private static var closingSeconds: Float { @_noLocks get { 0.3 } }
  // Time constants of the level detector and of the gain while closing.
  private static var levelSeconds: Float { @_noLocks get { 0.01 } }
  private static var gainSeconds: Float { @_noLocks get { 0.004 } }
  // The gain at which a closing gate without a range is closed: -90 dB.
  private static var least: Float { @_noLocks get { 3.162_278e-5 } }

  private enum State: BitwiseCopyable { case closed, opening, open, closing }

  private let sampleRate: Float
  private let levelStep: Float
  private let gainStep: Float
  private let openingStep: Float
  private var isOn = false
  private var threshold: Float = 0.005_623_4
  private var closingThreshold: Float = 0.002_818_4
  private var holdFrames = 4800
  private var range: Float = 0.001
  // The factor of the gain per frame while it closes.
  private var fall: Float = 1
  private var state = State.open
  /// The present gain, linear.
  package private(set) var gain: Float = 1
  // The opening runs from this gain over a phase from 0 to 1.
  private var openingFrom: Float = 0
  private var phase: Float = 1
  // The number of frames until an open gate starts to close.
  private var framesLeft = 0
  private var level: Float = 0

  /// Creates a gate that is off.
  package init(sampleRate: Float) {
    self.sampleRate = sampleRate
    levelStep = rt_exp(-1 / (Self.levelSeconds * sampleRate))
    gainStep = 1 - rt_exp(-1 / (Self.gainSeconds * sampleRate))
    openingStep = 1 / (Self.openingSeconds * sampleRate)
    setRange(gain: range)
  }

  // MARK: - Parameters

  /// Turns the gate on or off; it opens when it is turned off.
  @_noLocks
  package mutating func setOn(_ value: Bool) {
    if isOn == value { return }
    isOn = value
    if value { hold() } else { open() }
  }

  /// Sets the level at which it opens, linear.
  @_noLocks
  package mutating func setThreshold(_ value: Float) {
    threshold = value
    closingThreshold = value * Self.hysteresis
  }

  /// Sets the hold time, in seconds; at least 20 ms are used, so that a low note holds the gate open.
  @_noLocks
  package mutating func setHold(seconds: Float) {
    holdFrames = Int(max(seconds, Self.leastHoldSeconds) * sampleRate)
    framesLeft = min(framesLeft, holdFrames)
  }

  /// Sets the gain while it is closed, linear.
  @_noLocks
  package mutating func setRange(gain value: Float) {
    range = value
    fall = rt_exp(rt_log(max(value, Self.least)) / (Self.closingSeconds * sampleRate))
    if case .closed = state, gain != value { state = .closing }
  }

  /// Applies the settings at once: an open gate that is on.
  @_noLocks
  package mutating func settle() {
    state = .open
    gain = 1
    hold()
  }

  /// Whether the gate is bypassed.
  package var isOff: Bool {
    @_noLocks get { if case .open = state { !isOn } else { false } }
  }

  /// Whether silent input leaves the state unchanged.
  package var isResting: Bool {
    @_noLocks get {
      switch state {
      case .open: !isOn
      case .closed: true
      case .opening, .closing: false
      }
    }
  }

  /// Whether the gate is open or opening.
  package var isOpen: Bool {
    @_noLocks get {
      switch state {
      case .open, .opening: true
      case .closed, .closing: false
      }
    }
  }

  // MARK: - Sound

  /// Applies the gate to a block, in place.
  ///
  /// Returns false if the result is silent.
  @_noLocks
  package mutating func process(_ sound: Stereo, frames: Int) -> Bool {
    var done = 0
    var isSounding = false
    while done < frames {
      let part = sound.advanced(by: done)
      let left = frames &- done
      switch state {
      case .open:
        if !isOn { return true }
        done &+= stayOpen(part, frames: left)
        isSounding = true
      case .closed:
        let silent = framesBelow(threshold, part, frames: left)
        if range == 0 {
          part.clear(frames: silent)
        } else {
          isSounding = true
          Blocks.scale(part.left, by: range, to: part.left, frames: silent)
          Blocks.scale(part.right, by: range, to: part.right, frames: silent)
        }
        if silent < left { open() }
        done &+= silent
      case .opening, .closing:
        done &+= move(part, frames: left)
        isSounding = true
      }
    }
    return isSounding
  }

  /// Passes sound while the gate is open, and returns the number of frames.
  @_noLocks
  private mutating func stayOpen(_ sound: Stereo, frames: Int) -> Int {
    let count = min(frames, max(1, framesLeft))
    // The last frame at the closing threshold, usually near the end.
    var last = count
    let isLoud =
      Magnitude(sound.left, frames: count).peak >= closingThreshold
      || Magnitude(sound.right, frames: count).peak >= closingThreshold
    if isLoud {
      repeat { last &-= 1 } while last > 0 && peak(sound, last) < closingThreshold
      framesLeft = holdFrames &- (count &- 1 &- last)
    } else {
      framesLeft &-= count
    }
    if framesLeft <= 0 { beginClosing(level: peak(sound, count &- 1)) }
    return count
  }

  @_noLocks
  private func peak(_ sound: Stereo, _ frame: Int) -> Float {
    max(abs(sound.left[frame]), abs(sound.right[frame]))
  }

  /// The number of frames before the first one at a level.
  @_noLocks
  private func framesBelow(_ level: Float, _ sound: Stereo, frames: Int) -> Int {
    let isQuiet =
      Magnitude(sound.left, frames: frames).peak < level
      && Magnitude(sound.right, frames: frames).peak < level
    if isQuiet { return frames }
    var frame = 0
    while frame < frames, peak(sound, frame) < level { frame &+= 1 }
    return frame
  }

  @_noLocks
  private mutating func open() {
    if case .open = state { return }
    state = .opening
    openingFrom = gain
    phase = 0
    hold()
  }

  @_noLocks
  private mutating func hold() { framesLeft = holdFrames }

  @_noLocks
  private mutating func beginClosing(level: Float) {
    state = .closing
    // From the threshold, where it closes at the latest.
    self.level = max(level, closingThreshold)
  }

  /// Applies the moving gain, and returns the number of frames.
  @_noLocks
  private mutating func move(_ sound: Stereo, frames: Int) -> Int {
    var frame = 0
    while frame < frames {
      let peak = peak(sound, frame)
      switch state {
      case .opening:
        if peak >= closingThreshold { hold() } else { framesLeft &-= 1 }
        phase += openingStep
        if phase >= 1 {
          gain = 1
          state = .open
        } else {
          // Without a corner at either end.
          gain = openingFrom + (1 - openingFrom) * phase * phase * (3 - 2 * phase)
        }
      case .closing:
        if peak >= threshold {
          open()
          continue
        }
        level = max(peak, level * levelStep)
        if gain < range {
          // The range was raised.
          gain += gainStep * (range - gain)
          if gain < 0.999 * range { break }
        } else {
          let ratio = min(1, level / closingThreshold)
          let target = max(range, ratio * ratio * ratio)
          gain = min(gain * fall, gain + gainStep * (target - gain))
          if gain > max(1.001 * range, Self.least) { break }
        }
        gain = range
        state = .closed
      case .open, .closed: return frame
      }
      sound.left[frame] *= gain
      sound.right[frame] *= gain
      frame &+= 1
    }
    return frame
  }
}
