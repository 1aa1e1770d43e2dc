internal import DSP

/// The pitch and stretch of the chain, applied by the warp of each source that is routed through it.
struct ChainWarp: BitwiseCopyable {
  /// The selected engine.
  private(set) var engine = WarpEngine.live
  /// The wet share of the live input while its pitch is shifted.
  private(set) var mix: Float = 1
  /// Whether the chain is bypassed.
  var isBypassed = false
  private var isPitchOn = true
  private var chosenSemitones: Float = 0
  private var chosenFormant: Float = 0
  private var isStretchOn = true
  private var chosenRate: Float = 1

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

  /// Whether the pitch is shifted.
  var isPitching: Bool { @_noLocks get { isPitchOn && !isBypassed } }
  /// The pitch shift, in semitones.
  var semitones: Float { @_noLocks get { isPitching ? chosenSemitones : 0 } }
  /// The formant shift, in semitones.
  var formant: Float { @_noLocks get { isPitching ? chosenFormant : 0 } }
  /// The rate; 1 is the source's own.
  var rate: Float { @_noLocks get { isStretchOn && !isBypassed ? chosenRate : 1 } }
  /// The same at rate 1.
  var withoutStretch: ChainWarp {
    @_noLocks get {
      var result = self
      result.isStretchOn = false
      return result
    }
  }
  /// Whether an engine is needed.
  var isOn: Bool { @_noLocks get { isPitching || rate != 1 } }
}
