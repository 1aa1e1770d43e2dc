/// The sound server's transport at the first frame of a block.
public struct Transport: BitwiseCopyable {
  /// Whether it rolls.
  public var isRolling: Bool
  /// Frames from its own beginning.
  public var frame: Int64
  /// Its tempo in beats a minute; 0 where nobody tells of bars and beats.
  public var beatsPerMinute: Double
  /// How many beats a bar has.
  public var beatsPerBar: Double
  /// How many beats of the present bar are over, at the least.
  public var beat: Double
  /// How many more that can be.
  public var slack: Double

  /// A transport that rolls, or one that stands still.
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
