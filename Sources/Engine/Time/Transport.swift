/// The sound server's transport at the first frame of a block.
public struct Transport: BitwiseCopyable {
  /// Whether it rolls.
  public var isRolling: Bool
  /// Its position, in frames.
  public var frame: Int64
  /// Its tempo in beats per minute; 0 if it has no bars and beats.
  public var beatsPerMinute: Double
  /// The number of beats in a bar.
  public var beatsPerBar: Double
  /// The elapsed beats of the present bar, at least.
  public var beat: Double
  /// The uncertainty of `beat`.
  public var slack: Double

  /// Creates a transport that rolls or is stopped.
  @_noLocks @inlinable
  public init(
    isRolling: Bool = false, frame: Int64 = 0, beatsPerMinute: Double = 0,
    beatsPerBar: Double = 4, beat: Double = 0, slack: Double = 0
  ) {
    self.isRolling = isRolling
    self.frame = frame
    self.beatsPerMinute = beatsPerMinute
    self.beatsPerBar = beatsPerBar
    self.beat = beat
    self.slack = slack
  }
}
