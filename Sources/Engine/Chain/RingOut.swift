internal import DSP

/// Keeps sound from entering an effect that rings out, and lets it pass beside it.
struct RingOut: ~Copyable {
  private static let fadeSeconds = 0.01

  private let buffers = Buffers()
  private let beside: Stereo
  private let length: Int
  // The frames of the fade that are done: 0 passes all through the effect, `length` all beside it.
  private var done = 0
  private var isOn = false

  init(sampleRate: Double) {
    beside = buffers.stereo(SegmentMemory.longest)
    length = max(1, Int(Self.fadeSeconds * sampleRate))
  }

  /// Whether no sound passes beside the effect, nor is about to.
  var isAtRest: Bool { @_noLocks get { !isOn && done == 0 } }

  /// Whether the effect is to ring out.
  var isWanted: Bool { @_noLocks get { isOn } }

  /// Whether no sound enters the effect.
  var isClosed: Bool { @_noLocks get { isOn && done == length } }

  /// Leads the sound beside the effect, or into it again.
  @_noLocks
  mutating func set(_ isOn: Bool) { self.isOn = isOn }

  /// Leads the sound into the effect again at once: it passes it unchanged.
  @_noLocks
  mutating func end() {
    isOn = false
    done = 0
  }

  /// Splits a block: leaves in it what enters the effect.
  @_noLocks
  mutating func split(_ sound: Stereo, frames: Int) {
    for frame in 0..<frames {
      let share = Crossfade.eased(Float(done) / Float(length))
      beside.left[frame] = share * sound.left[frame]
      beside.right[frame] = share * sound.right[frame]
      sound.left[frame] -= beside.left[frame]
      sound.right[frame] -= beside.right[frame]
      done = isOn ? min(done &+ 1, length) : max(done &- 1, 0)
    }
  }

  /// Adds what passed beside the effect.
  @_noLocks
  func join(_ sound: Stereo, frames: Int) {
    for frame in 0..<frames {
      sound.left[frame] += beside.left[frame]
      sound.right[frame] += beside.right[frame]
    }
  }
}
