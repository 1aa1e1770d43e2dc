/// The pitch of a voice as of a result of the tracker.
package struct VoicePitch: BitwiseCopyable {
  /// The period in frames of tape; the last one while the signal is unvoiced.
  let period: Float
  /// Whether the signal is periodic.
  let isVoiced: Bool
  /// The mono signal that was analyzed.
  let mono: VoiceMono

  @_noLocks
  init(period: Float, isVoiced: Bool, mono: VoiceMono) {
    self.period = period
    self.isVoiced = isVoiced
    self.mono = mono
  }
}
