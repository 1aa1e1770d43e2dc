/// An instrument as the audio thread plays it: regions and sounds in memory of their own.
///
/// The control side makes it and keeps it alive until the audio thread has let it go.
package final class SamplerInstrument: @unchecked Sendable {
  /// What the audio thread is given of it.
  package let passage: InstrumentPassage

  /// An instrument that has nothing to play.
  package init() { passage = InstrumentPassage() }
}

/// What the audio thread is given of an instrument.
package struct InstrumentPassage: BitwiseCopyable, @unchecked Sendable {
  @_noLocks
  init() {}
}
