internal import DSP
internal import Engine
internal import Posix

/// Passes instruments to the audio thread, and keeps each until the notes that it started have ended.
final class InstrumentHandover {
  /// A change of the instrument, which keeps the former one until the audio thread has released it.
  private final class Change {
    var former: SamplerInstrument?
    var isAnswered = false
  }

  // The instrument of new notes.
  private var present: SamplerInstrument?

  /// The commands that change to an instrument; a change that was sent later can take effect first.
  ///
  /// Calls `ending` once new notes use it, however long old ones are held.
  func commands(
    playing instrument: SamplerInstrument, then ending: @escaping () -> Void
  ) -> [PlannedCommand] {
    let change = Change()
    return [
      PlannedCommand(
        action: .instrument(instrument.pointer),
        whenDone: {
          change.former = nil
          change.isAnswered = true
          Heap.noteFreed()
        }, isAnsweredLate: true),
      PlannedCommand(
        action: .sync(0),
        whenDone: { [weak self] in
          // These replies arrive in the order in which the changes took effect, not that in which they were sent.
          if !change.isAnswered { change.former = self?.present }
          self?.present = instrument
          ending()
        }),
    ]
  }
}
