/// What a command can set in the engine.
///
/// One case for each address that is heard; its values travel as `Float` in the address's unit.
package enum Parameter: CaseIterable, Sendable, BitwiseCopyable {
  case inGain, liveGain, loopGain, gridGain, musicGain, outGain
  case liveRoute, loopRoute, gridRoute, musicRoute
  case mute
  case pitchOn, pitchSemitones, pitchFormant, pitchMix, pitchEngine
  case stretchOn, stretchRate
  case echoOn, echoTime, echoBeats, echoFeedback, echoTone, echoLowcut, echoSpread, echoGlide
  case echoHold, echoMix
  case reverbOn, reverbDecay, reverbSize, reverbDamping, reverbPredelay, reverbMix
  case chainBypass
  case tempo, metronomeBeats, transportFollow
  case metronomeOn, metronomeGain, metronomeCountIn
  case midiSnap, midiBend, midiChannel
  case playerSource, playerLoop, playerDirection
  case loopFeedback, loopQuantize, loopBeats, loopTempo, loopThreshold
  case loopSemitones, loopRate, loopEngine
  case captureSource, captureFormat
  case gridSustain

  /// Its place among all of them, from 0.
  package var number: Int {
    // The real-time check doesn't see the getter of a raw value; the byte is what it would be.
    @_noLocks get { Int(unsafeBitCast(self, to: UInt8.self)) }
  }
}
