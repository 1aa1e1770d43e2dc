/// The instruments, for the program that starts the node.
extension Node {
  /// Looks up all instruments, and loads the one that was played last, or a piano.
  ///
  /// `say` is given a line for each thing that somebody should know.
  package func openInstruments(_ say: @escaping (String) -> Void) {
    context[Instruments.self].open(say)
  }

  /// Whether there is nothing to play notes yet, but will be.
  package var awaitsInstrument: Bool { context[Instruments.self].isFirstUnderWay }

  /// Whether another instrument is on its way, or the first one.
  package var isChangingInstrument: Bool { context[Instruments.self].isUnderWay }
}
