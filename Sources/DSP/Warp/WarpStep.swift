/// A step of a warp engine: the next few frames, in which place, rate and pitch don't change.
///
/// Places on the tape are in frames with 32 binary places. The *place* of an output frame is the
/// part of the tape that it is due to sound like; an engine sounds like it its delay later, and
/// never looks at the tape past the place of the frame that it renders.
package struct WarpStep: BitwiseCopyable {
  /// The most frames of one step.
  package static var longest: Int { @_noLocks get { 32 } }
  /// The rate of one frame of tape a frame.
  package static var unity: Int64 { @_noLocks get { 1 << 32 } }

  /// The place of the first frame.
  package var place: Int64
  /// How far the place moves a frame: 0.25 to 4 frames of tape.
  package var rate: Int64
  /// The pitch as a ratio of frequencies: 0.25 to 4.
  package var pitch: Float
  /// By how much formants are moved, as a ratio of frequencies: 1 leaves them where they are.
  package var formant: Float
  /// The pitch that it is gliding to.
  package var nextPitch: Float
  /// The rate that it is gliding to.
  package var nextRate: Int64
  /// Whether the place has leapt since the last step, instead of moving on from it.
  package var isLeap: Bool

  /// A step while pitch and rate rest.
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

  /// The place of a frame of the step, `frame` frames after its first.
  @_noLocks
  package func place(ofFrame frame: Int) -> Int64 { place &+ Int64(frame) &* rate }
}
