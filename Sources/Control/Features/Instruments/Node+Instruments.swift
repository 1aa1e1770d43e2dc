/// Instruments, for the program that starts the node.
extension Node {
  /// Looks up all instruments, and loads the saved one, or a piano.
  ///
  /// Calls `say` with a line for each error or change.
  package func openInstruments(_ say: @escaping (String) -> Void) {
    context[Instruments.self].open(say)
  }

  /// Whether the initial instrument is still being loaded.
  package var awaitsInstrument: Bool { context[Instruments.self].isFirstUnderWay }

  /// Whether an instrument is being loaded.
  package var isChangingInstrument: Bool { context[Instruments.self].isUnderWay }
}
