import DSP
import Harness

/// A delay buffer and a `Warp` that plays it: the node's live pitch shifter.
struct PitchUnit: ~Copyable {
  private var tape: Tape
  private var warp: Warp
  private var hasBegun = false

  init(rate: Double, engine: WarpEngine) {
    tape = Tape(seconds: 10.2, reach: 16_384, sampleRate: rate)
    warp = Warp(seconds: 10, sampleRate: rate)
    warp.setEngine(engine)
  }

  mutating func set(_ key: effect_key, _ value: Float) {
    if key == EFFECT_SEMITONES { warp.setPitch(semitones: value) }
  }

  /// The latency in frames.
  var delay: Int { warp.delay }

  mutating func setRate(_ rate: Float) { warp.setRate(rate) }

  mutating func process(_ input: Stereo, to out: Stereo, frames: Int) {
    if !hasBegun {
      warp.settle()
      hasBegun = true
    }
    tape.write(input, frames: frames)
    if !warp.process(tape, to: out, frames: frames) {
      Blocks.clear(out.left, frames: frames)
      Blocks.clear(out.right, frames: frames)
    }
  }
}

/// Plays a recording at another speed through the delay buffer that it is written to.
///
/// At a slower speed, the playhead falls behind; at a faster one, it starts a second behind and
/// catches up. The input is therefore cut when it has caught up.
func stretch(
  _ input: UnsafePointer<Float>, frames: Int, rate: Double, ratio: Double,
  to out: UnsafeMutablePointer<Float>, room: Int, engine: WarpEngine
) -> Int {
  let block = 128
  var unit = PitchUnit(rate: rate, engine: engine)
  unit.setRate(Float(1 / ratio))
  let other = UnsafeMutablePointer<Float>.allocate(capacity: block)
  defer { other.deallocate() }
  let length = ratio < 1 ? min(frames, Int(0.95 * rate / (1 / ratio - 1))) : frames
  var start = 0
  while start + block <= min(length, room) {
    let input = UnsafeMutablePointer(mutating: input + start)
    unit.process(Stereo(input, input), to: Stereo(out + start, other), frames: block)
    start += block
  }
  return start
}
