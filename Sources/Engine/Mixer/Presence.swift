internal import DSP

/// The fade of the whole engine: in with a new driver, and out when the node leaves.
struct Presence: BitwiseCopyable {
  /// The fade, to be copied for each block that it is applied to.
  var fader: Fader
  // The number of the command that is answered when all is silent; `.max` when it was.
  private var leaving: UInt64?

  /// Starts to fade in.
  @_noLocks
  init(sampleRate: Float) {
    fader = Fader(at: 0, sampleRate: sampleRate)
    fader.move(to: 1)
  }

  /// Starts again with a new driver, from silence or at full level.
  @_noLocks
  mutating func open(fadesIn: Bool, sampleRate: Float) {
    fader.setSampleRate(sampleRate)
    fader.jump(to: fadesIn ? 0 : 1)
    fader.move(to: 1)
    leaving = nil
  }

  /// Fades out for good, to answer a command.
  @_noLocks
  mutating func leave(answering command: UInt64) {
    leaving = command
    fader.move(to: 0)
  }

  /// Whether the node leaves.
  var isLeaving: Bool { @_noLocks get { leaving != nil } }

  /// The number of the command to be answered when the fade out is over; once.
  @_noLocks
  mutating func nextAnswer() -> UInt64? {
    guard let command = leaving, command != .max, fader.isClosed else { return nil }
    leaving = .max
    return command
  }
}
