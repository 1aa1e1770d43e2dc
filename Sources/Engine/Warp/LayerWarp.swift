internal import DSP

/// Stretches the input of a layer to the time of a clip that is stretched itself, so that it comes back as it was
/// played.
///
/// The studio engine does that, with the least delay of its sounds, whatever the engine of the loop. All loops share
/// it: it belongs to one layer at a time.
struct LayerWarp: ~Copyable {
  private var warp: Warp
  private var input: Tape
  private let silence: Int
  /// The number of the layer that uses it.
  private(set) var user = 0
  // The start of the last block in which it was used.
  private var lastUse = Int64.min / 2
  /// The frames of input that it needs ahead of those that are heard.
  private(set) var ahead = 0

  init(sampleRate: Double) {
    let reach = SourceWarp.reach
    warp = Warp(seconds: 0.5, sampleRate: sampleRate)
    warp.setEngine(.studio)
    input = Tape(seconds: 0.5, reach: reach, sampleRate: sampleRate)
    silence = reach
  }

  /// Whether another layer uses it.
  @_noLocks
  func isInUse(by user: Int, since former: Int64) -> Bool { self.user != user && lastUse >= former }

  /// Prepares for a layer on a clip that plays at a speed, and returns the number of the layer.
  @_noLocks
  mutating func begin(speed: Double, in block: Int64) -> Int {
    user &+= 1
    lastUse = block
    warp.setRate(exactly: 1 / speed)
    warp.settle()
    // A rate that is corrected may need some more.
    ahead = Int(warp.lag * 1.05) &+ 2 &* WarpStep.longest
    input.writeSilence(frames: silence)
    return user
  }

  /// The number of frames until its output is complete.
  var warmUp: Int { @_noLocks get { warp.warmUp } }

  /// Adds input.
  @_noLocks
  mutating func write(_ sound: Stereo, frames: Int) { input.write(sound, frames: frames) }

  /// Renders frames of the clip that were heard with the input from `offset` frames after that which is `ahead` frames
  /// before the next one.
  @_noLocks
  mutating func render(
    from offset: Double, speed: Double, to out: Stereo, frames: Int, in block: Int64
  ) {
    lastUse = block
    let rate = 1 / speed
    warp.setRate(exactly: rate)
    let place = offset - Double(ahead) + warp.lag
    warp.process(
      input, from: input.head << 32 &+ Int64(place * 4_294_967_296),
      rate: Int64(rate * 4_294_967_296), to: out, frames: frames)
  }
}
