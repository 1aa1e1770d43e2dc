internal import DSP

/// The sound that a source sends to the chain.
enum ChainSend: BitwiseCopyable {
  /// The sound that is sent to the output.
  case itself
  /// Another block, such as the warped input.
  case another(Stereo)
  /// Silence.
  case nothing
}

/// The mixer strip of a source: its gain and pan, and its share on each bus.
struct Strip: BitwiseCopyable {
  private var gain: Fader
  private var toChain: Fader
  private var toDirect: Fader
  // In the center both sides keep their level. Panning to one side attenuates the other.
  private var leftShare: Fader
  private var rightShare: Fader

  @_noLocks
  init(sampleRate: Float) {
    gain = Fader(at: 1, sampleRate: sampleRate)
    toChain = Fader(at: 1, sampleRate: sampleRate)
    toDirect = Fader(at: 0, sampleRate: sampleRate)
    leftShare = Fader(at: 1, sampleRate: sampleRate)
    rightShare = Fader(at: 1, sampleRate: sampleRate)
  }

  @_noLocks
  mutating func setSampleRate(_ rate: Float) { each { $0.setSampleRate(rate) } }

  @_noLocks
  private mutating func each(_ change: (inout Fader) -> Void) {
    change(&gain)
    change(&toChain)
    change(&toDirect)
    change(&leftShare)
    change(&rightShare)
  }

  /// Whether the route leads through the chain.
  var isThroughChain: Bool {
    @_noLocks get { toChain.target != 0 }
  }

  /// Whether no part of the signal is routed through the chain any more.
  var isPastChain: Bool {
    @_noLocks get { toChain.isClosed }
  }

  /// The gain, and the gains of both sides after it, while the faders rest.
  var restingGains: (both: Float, left: Float, right: Float) {
    @_noLocks get { (gain.target, leftShare.target, rightShare.target) }
  }

  /// The route, while the faders rest.
  var restingRoute: Route {
    @_noLocks get { toChain.target != 0 ? .chain : toDirect.target != 0 ? .direct : .off }
  }

  /// Whether all faders have reached their targets.
  var isResting: Bool {
    @_noLocks get {
      gain.isResting && toChain.isResting && toDirect.isResting && leftShare.isResting
        && rightShare.isResting
    }
  }

  @_noLocks
  mutating func setGain(_ linear: Float) { gain.move(to: linear) }

  /// Sets the pan: -1 is left, 1 is right.
  @_noLocks
  mutating func setPan(_ place: Float) {
    leftShare.move(to: min(1, 1 - place))
    rightShare.move(to: min(1, 1 + place))
  }

  @_noLocks
  mutating func setRoute(_ route: Route) {
    switch route {
    case .chain: move(toChain: 1, toDirect: 0)
    case .direct: move(toChain: 0, toDirect: 1)
    case .off: move(toChain: 0, toDirect: 0)
    }
  }

  @_noLocks
  private mutating func move(toChain chainShare: Float, toDirect directShare: Float) {
    toChain.move(to: chainShare)
    toDirect.move(to: directShare)
  }

  /// Applies the gain to a block in place, making it the source's stem, and adds it to the output
  /// and the chain as routed.
  @_noLocks
  mutating func process(
    _ sound: Stereo, toChain send: ChainSend, chain: Stereo, direct: Stereo, frames: Int,
    scratch: UnsafeMutablePointer<Float>
  ) {
    var sameGain = gain
    gain.apply(to: sound, frames: frames, scratch: scratch)
    leftShare.apply(to: sound.left, frames: frames, scratch: scratch)
    rightShare.apply(to: sound.right, frames: frames, scratch: scratch)
    toDirect.add(sound, to: direct, frames: frames, scratch: scratch)
    switch send {
    case .itself: toChain.add(sound, to: chain, frames: frames, scratch: scratch)
    case .another(let other):
      sameGain.apply(to: other, frames: frames, scratch: scratch)
      toChain.add(other, to: chain, frames: frames, scratch: scratch)
    case .nothing: toChain.skip(frames: frames)
    }
  }

  /// Sets gain and route at once, before the first block.
  @_noLocks
  mutating func settle() { each { $0.settle() } }

  /// Advances while the source is silent.
  @_noLocks
  mutating func skip(frames: Int) { each { $0.skip(frames: frames) } }
}
