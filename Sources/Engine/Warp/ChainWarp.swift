internal import DSP

/// The pitch and stretch that the chain asks of the warp of every source that goes through it.
struct ChainWarp: BitwiseCopyable {
  /// The engine that is chosen.
  private(set) var engine = WarpEngine.live
  /// The share of the live input's wet sound while its pitch is changed.
  private(set) var mix: Float = 1
  /// Whether the chain is left out for a while.
  var isBypassed = false
  private var isPitchOn = true
  private var chosenSemitones: Float = 0
  private var chosenFormant: Float = 0
  private var isStretchOn = true
  private var chosenRate: Float = 1

  @_noLocks
  init() {}

  @_noLocks
  mutating func set(_ parameter: Parameter.Warp, _ value: Float) {
    switch parameter {
    case .pitchOn: isPitchOn = value != 0
    case .semitones: chosenSemitones = value
    case .formant: chosenFormant = value
    case .mix: mix = value
    case .engine: engine = WarpEngine(number: value) ?? engine
    case .stretchOn: isStretchOn = value != 0
    case .rate: chosenRate = value
    }
  }

  /// Whether the sound is let through the pitch changer.
  var isPitching: Bool { @_noLocks get { isPitchOn && !isBypassed } }
  /// The pitch, in semitones from the source's own.
  var semitones: Float { @_noLocks get { isPitching ? chosenSemitones : 0 } }
  /// The formants, in semitones from the source's own.
  var formant: Float { @_noLocks get { isPitching ? chosenFormant : 0 } }
  /// The rate: 1 as fast as the source's own.
  var rate: Float { @_noLocks get { isStretchOn && !isBypassed ? chosenRate : 1 } }
  /// Whether an engine is needed at all.
  var isOn: Bool { @_noLocks get { isPitching || rate != 1 } }
}
