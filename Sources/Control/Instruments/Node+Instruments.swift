internal import OSC
internal import Takes

/// Instruments, as they are asked for and told over OSC.
extension Node {
  /// Looks up all instruments, and loads the one that was played last, or a piano.
  ///
  /// `say` is given a line for each thing that somebody should know.
  package func openInstruments(_ say: @escaping (String) -> Void) {
    instruments.open(say, node: self)
  }

  /// Whether there is nothing to play notes yet, but will be.
  package var awaitsInstrument: Bool { instruments.isFirstUnderWay }

  /// Whether another instrument is on its way, or the first one.
  package var isChangingInstrument: Bool { instruments.isUnderWay }

  /// Plays the instrument of a name when it is loaded.
  func setInstrument(_ text: String, for client: Client?) throws(Refusal) {
    let name: InstrumentName
    do throws(InstrumentFault) {
      name = try InstrumentName(text)
    } catch {
      throw Refusal(error)
    }
    let request = try instruments.begin(
      text, for: client, isKept: !name.isOfTheLoop, node: self)
    if name.isOfTheLoop {
      copyLoop(for: request)
    } else {
      // What was kept is not asked for any more.
      changedSettings.insert(InstrumentLoader.path)
      instruments.load(request, node: self)
    }
  }

  /// Makes a file or folder of the home folder an instrument.
  func addInstrument(
    _ name: String, file: String, bank: Int?, program: Int?, for client: Client?
  ) throws(Refusal) {
    guard (bank == nil) == (program == nil) else {
      throw Refusal(.type, "/instrument/load takes a bank and a program, or neither of them")
    }
    try instruments.change(self) { shelf throws(Refusal) in
      try shelf.add(name, file: file, bank: bank, program: program)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let notes):
        reply("/reply", (["/instrument/load", name] + notes).map(Argument.string), to: client)
      case .failure(let refusal): answer(refusal, to: "/instrument/load", from: client)
      }
    }
  }

  /// Forgets an instrument of the user's.
  func deleteInstrument(_ name: String, for client: Client?) throws(Refusal) {
    try instruments.change(self) { shelf throws(Refusal) in
      try shelf.delete(name)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success:
        reply("/reply", [.string("/instrument/delete"), .string(name)], to: client)
      case .failure(let refusal): answer(refusal, to: "/instrument/delete", from: client)
      }
    }
  }
}
