/// A step of a warp engine: the next few frames, with constant rate and pitch.
///
/// Tape positions are in frames, 32.32 fixed-point. The *place* of an output frame is the tape
/// position that it should sound like. An engine renders it after its latency, and never reads the
/// tape past the place of the current frame.
package struct WarpStep: BitwiseCopyable {
  /// The longest step, in frames.
  package static var longest: Int { @_noLocks get { 32 } }
  /// The rate of one frame of tape per frame.
  package static var unity: Int64 { @_noLocks get { 1 << 32 } }

  /// The tape position of the first frame.
  package var place: Int64
  /// The advance of the position per frame: 0.25 to 4 frames of tape.
  package var rate: Int64
  /// The pitch ratio: 0.25 to 4.
  package var pitch: Float
  /// The formant ratio: 1 leaves formants in place.
  package var formant: Float
  /// The target of the pitch glide.
  package var nextPitch: Float
  /// The target of the rate glide.
  package var nextRate: Int64
  /// Whether the position has jumped since the last step (a *leap*, unlike the live engine's own
  /// jumps).
  package var isLeap: Bool

  /// Creates a step at constant pitch and rate.
  @_noLocks
  package init(place: Int64, rate: Int64, pitch: Float, formant: Float = 1, isLeap: Bool = false) {
    self.place = place
    self.rate = rate
    self.pitch = pitch
    self.formant = formant
    nextPitch = pitch
    nextRate = rate
    self.isLeap = isLeap
  }

  /// Returns the tape position of the frame `frame` frames after the first.
  @_noLocks
  package func place(ofFrame frame: Int) -> Int64 { place &+ Int64(frame) &* rate }
}
