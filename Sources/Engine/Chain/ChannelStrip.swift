internal import DSP

/// The channel strip of the live input: low cut, gate and compressor, without latency.
struct ChannelStrip: BitwiseCopyable {
  private var lowCut: LowCut
  private(set) var gate: NoiseGate
  private(set) var leveler: Leveler

  /// Creates a strip without effect.
  init(sampleRate: Float) {
    lowCut = LowCut(sampleRate: sampleRate)
    gate = NoiseGate(sampleRate: sampleRate)
    leveler = Leveler(sampleRate: sampleRate)
  }

  @_noLocks
  mutating func set(_ parameter: Parameter.Channel, _ value: Float) {
    switch parameter {
    case .lowCut: lowCut.setFrequency(hertz: value)
    case .gateOn: gate.setOn(value != 0)
    case .gateThreshold: gate.setThreshold(Level.gain(decibels: value))
    case .gateHold: gate.setHold(seconds: value)
    case .gateRange: gate.setRange(gain: Level.gain(decibels: value))
    case .levelOn: leveler.setOn(value != 0)
    case .levelAmount: leveler.setAmount(value)
    case .isRecorded: break
    }
  }

  /// Applies all settings at once, before the first block.
  @_noLocks
  mutating func settle() {
    lowCut.settle()
    gate.settle()
    leveler.settle()
  }

  /// Whether it passes the sound unchanged.
  var isOff: Bool { @_noLocks get { lowCut.isOff && gate.isOff && leveler.isOff } }

  /// Whether silent input leaves state and output unchanged.
  var isResting: Bool {
    @_noLocks get { lowCut.isResting && gate.isResting && leveler.isResting }
  }

  /// Processes a block in place.
  ///
  /// Returns false if the result is silent.
  @_noLocks
  mutating func process(_ sound: Stereo, frames: Int) -> Bool {
    lowCut.process(sound, frames: frames)
    if !gate.isOff, !gate.process(sound, frames: frames) {
      leveler.rest(frames: frames)
      return false
    }
    leveler.process(sound, frames: frames)
    return true
  }
}
