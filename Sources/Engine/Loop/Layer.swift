/// The layer that is being added to the clip: an overdub, or another way of adding to it.
struct Layer: BitwiseCopyable {
  /// The ways in which sound is added to the clip.
  enum Kind: UInt8, BitwiseCopyable {
    case overdub, replace, substitute, multiply, insert

    @_noLocks
    static func == (one: Kind, other: Kind) -> Bool {
      unsafeBitCast(one, to: UInt8.self) == unsafeBitCast(other, to: UInt8.self)
    }

    @_noLocks
    static func != (one: Kind, other: Kind) -> Bool { !(one == other) }

    /// Whether the layer grows the clip.
    var grows: Bool {
      @_noLocks get {
        switch self {
        case .multiply, .insert: true
        default: false
        }
      }
    }

    /// Whether the layer replaces the clip's content.
    var replaces: Bool {
      @_noLocks get {
        switch self {
        case .replace, .substitute, .insert: true
        case .overdub, .multiply: false
        }
      }
    }
  }

  /// The way in which the performer adds to the clip.
  var kind = Kind.overdub
  /// The way in which the sound is added that is written at present, and was played some time ago.
  var written = Kind.overdub
  /// Whether the performer adds sound.
  ///
  /// Because of latency, that sound is written some time later.
  private(set) var isOn = false
  /// The frame on which it started.
  private(set) var start: Int64 = 0
  // The time that `start` was rounded from, in frames; negative if no grid set it.
  private var exactStart = -1.0
  /// The time from its sound to its writing in frames, as of its start: the latency, and its lag.
  private(set) var delay = 0
  /// The part of it that is the latency of the loop's own warp, in frames.
  private(set) var warpDelay = 0
  /// How much later than its latency it is written, so that its end can still be moved back.
  private(set) var lag = 0
  /// The position in the clip at which it started to grow.
  var growthStart = 0
  /// The position in the clip at which the layer continues.
  var position = 0
  /// Whether its sound is written in the time of the clip, which isn't that of the input.
  private(set) var isInClipTime = false
  /// The exact position at which it continues then, and the frames of the clip per frame of input; negative in
  /// reverse.
  var place = 0.0
  var speed = 1.0
  /// Its number as the user of the warp that stretches it; 0 if it is resampled.
  var stretched = 0
  /// The change of the way in which it is written, while that is under way.
  var change = LayerChange()

  /// Starts adding sound with a latency in frames.
  @_noLocks
  mutating func begin(
    _ kind: Kind, at frame: Int64, exact: Double, delay: Int, ofWarp warpDelay: Int, lag: Int,
    inClipTime: Bool
  ) {
    self.kind = kind
    isInClipTime = inClipTime
    stretched = inClipTime ? stretched : 0
    isOn = true
    start = frame
    exactStart = exact
    self.delay = delay &+ lag
    self.warpDelay = warpDelay
    self.lag = lag
  }

  /// Goes on in the time of the clip, with another latency of the warp and another lag, in frames.
  @_noLocks
  mutating func goOnInClipTime(ofWarp: Int, lag: Int) {
    isInClipTime = true
    delay &+= ofWarp &- warpDelay &+ lag &- self.lag
    self.lag = lag
    warpDelay = ofWarp
  }

  /// Ends it.
  @_noLocks
  mutating func end() { isOn = false }

  /// Whether this kind of layer is being added.
  @_noLocks
  func adds(_ other: Kind) -> Bool {
    isOn && kind == other
  }

  /// Returns its length at a frame, exactly if it starts and ends on a grid.
  @_noLocks
  func length(at frame: Int64, exact: Double) -> Double {
    let frames = Double(frame &- start)
    if exact < 0 || exactStart < 0 { return frames }
    let wanted = exact - exactStart
    return abs(wanted - frames) < 1 ? wanted : frames
  }

  /// Moves its start in time, when the timeline jumps.
  @_noLocks
  mutating func shift(by frames: Int64) { start &+= frames }
}
