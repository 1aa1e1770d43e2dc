/// Plays a tape at another speed by interpolation, without latency or splices: its pitch moves with its speed.
///
/// At rate 1 it copies the tape, once it has come to a whole frame.
package enum DriftWarp {
  /// The greatest deviation from rate 1 of a tape that should keep its pitch: 3.5 cents, half of what a trained listener notices.
  package static var most: Double { @_noLocks get { 0.002 } }
  // How fast a fraction of a frame is given up, in frames per frame: half a frame in less than 0.2 s.
  private static var settling: Int64 { @_noLocks get { WarpStep.unity / 16_384 } }

  /// Returns the rate of the next frames at a place for a wanted rate: at rate 1, the way to the nearest whole frame.
  @_noLocks
  static func rate(_ wanted: Int64, at place: Int64) -> Int64 {
    if wanted != WarpStep.unity { return wanted }
    // The distance from the nearest whole frame, in units of 2^-32.
    let excess = Int64(Int32(truncatingIfNeeded: place))
    let step = excess / Int64(WarpStep.longest)
    return WarpStep.unity &- max(0 &- settling, min(step, settling))
  }

  /// Returns a place, on the nearest whole frame if the rest is less than a step can give up.
  @_noLocks
  static func settled(_ place: Int64, rate: Int64) -> Int64 {
    let excess = Int64(Int32(truncatingIfNeeded: place))
    return rate == WarpStep.unity && abs(excess) < Int64(WarpStep.longest) ? place &- excess : place
  }

  /// Whether the output is an unchanged copy of the tape.
  @_noLocks
  static func isPlain(_ step: WarpStep) -> Bool {
    step.rate == WarpStep.unity && UInt32(truncatingIfNeeded: step.place) == 0
  }

  /// Renders frames of a step from a tape that reaches as far past its place as the interpolator.
  @_noLocks
  static func process(
    _ tape: borrowing Tape, _ step: WarpStep, bank: borrowing SincBank, to out: Stereo, frames: Int
  ) {
    if isPlain(step) {
      let first = step.place >> 32
      Blocks.copy(tape.left(at: first), to: out.left, frames: frames)
      Blocks.copy(tape.right(at: first), to: out.right, frames: frames)
      return
    }
    let table = bank.table(forSpeed: Float(max(step.rate, step.nextRate)) / 4_294_967_296)
    let reach = Int64(bank.reach(ofTable: table))
    let start = (step.place >> 32) &- reach
    bank.read(
      table: table, left: tape.left(at: start), right: tape.right(at: start),
      from: reach << 32 &+ step.place & 0xFFFF_FFFF, step: step.rate, to: out, frames: frames)
  }
}
