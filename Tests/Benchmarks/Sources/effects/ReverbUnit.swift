import DSP
import Harness

/// The reverb's wet signal.
struct ReverbUnit: ~Copyable {
  private var reverb: Reverb
  private var hasBegun = false

  init(rate: Double) {
    reverb = Reverb(sampleRate: Float(rate))
    reverb.setPredelay(seconds: 0)
    reverb.setMix(1)
    reverb.setOn(true)
  }

  mutating func set(_ key: effect_key, _ value: Float) {
    switch key {
    case EFFECT_SECONDS: reverb.setDecay(seconds: value)
    case EFFECT_DAMPING: reverb.setDamping(hertz: value)
    default: break
    }
  }

  mutating func process(_ sound: Stereo, frames: Int) {
    if !hasBegun {
      reverb.settle()
      hasBegun = true
    }
    _ = reverb.process(sound, frames: frames, isSilent: false)
  }
}
