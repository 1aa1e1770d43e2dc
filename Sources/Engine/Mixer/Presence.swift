internal import DSP

/// The fade of the whole engine: in with a new driver, and out when the node leaves.
struct Presence: BitwiseCopyable {
  /// The fade, to be copied for each block that it is applied to.
  var fader: Fader
  // The number of the command that is answered when everything is silent; `.max` afterward.
  private var leaving: UInt64?
  // Whether the fade-in waits for the connections, and the number of blocks to wait after that: JACK makes
  // a connection with the next block.
  private var isHeld = false
  private var blocksLeft: UInt8 = 0

  /// Starts to fade in.
  @_noLocks
  init(sampleRate: Float) {
    fader = Fader(at: 0, sampleRate: sampleRate)
    fader.move(to: 1)
  }

  /// Whether everything is at full level, and remains so.
  var isSteady: Bool {
    @_noLocks get { !isHeld && leaving == nil && fader.isResting && fader.target == 1 }
  }

  /// Starts again with a new driver.
  @_noLocks
  mutating func open(_ start: DriverStart, sampleRate: Float) {
    fader.setSampleRate(sampleRate)
    fader.jump(to: start == .atFullLevel ? 1 : 0)
    isHeld = start == .silentUntilConnected
    blocksLeft = 2
    if !isHeld { fader.move(to: 1) }
    leaving = nil
  }

  /// Starts the fade that waits for the connections once these are made; call it once per block.
  @_noLocks
  mutating func follow(isConnected: Bool) {
    guard isHeld, isConnected else { return }
    guard blocksLeft == 0 else {
      blocksLeft -= 1
      return
    }
    isHeld = false
    fader.move(to: 1)
  }

  /// Fades out permanently, to answer a command.
  @_noLocks
  mutating func leave(answering command: UInt64) {
    leaving = command
    isHeld = false
    fader.move(to: 0)
  }

  /// Whether the node is leaving.
  var isLeaving: Bool { @_noLocks get { leaving != nil } }

  /// The number of the command to answer after the fade-out; returned once.
  @_noLocks
  mutating func nextAnswer() -> UInt64? {
    guard let command = leaving, command != .max, fader.isClosed else { return nil }
    leaving = .max
    return command
  }
}

/// How the sound of a new driver starts.
package enum DriverStart: Sendable {
  /// With a fade-in from the first frame.
  case fadingIn
  /// With a fade-in after `Engine.connectionsAreMade`: with large blocks, the fade would otherwise end
  /// before the ports are connected.
  case silentUntilConnected
  /// At full level from the first frame, for a driver whose start is inaudible.
  case atFullLevel
  /// Without input, for the driver while there is no server: nothing can be recorded.
  case withoutInput
}
