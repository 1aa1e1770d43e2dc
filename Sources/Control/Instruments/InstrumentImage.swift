internal import DSP
internal import Takes

/// Makes what the audio thread plays of what a file describes.
enum InstrumentImage {
  /// The instrument for the audio thread; `sounds` has the channels of each of its samples.
  static func make(_ instrument: Instrument, sounds: [[[Float]]]) -> SamplerInstrument {
    SamplerInstrument()
  }
}
