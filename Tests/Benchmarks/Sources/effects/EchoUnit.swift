import DSP
import Harness

/// The echo's wet signal.
struct EchoUnit: ~Copyable {
  private var echo: Echo
  private var hasBegun = false

  init(rate: Double) {
    echo = Echo(sampleRate: Float(rate))
    echo.setMix(1)
    echo.setOn(true)
  }

  mutating func set(_ key: effect_key, _ value: Float) {
    switch key {
    case EFFECT_SECONDS: echo.setSeconds(value)
    case EFFECT_FEEDBACK: echo.setFeedback(value)
    case EFFECT_GLIDES: echo.setGlides(value != 0)
    default: break
    }
  }

  mutating func process(_ sound: Stereo, frames: Int) {
    if !hasBegun {
      echo.settle()
      hasBegun = true
    }
    _ = echo.process(sound, frames: frames, isSilent: false)
  }
}
