internal import OSC

extension Instruments {
  typealias Declared = Of<Instruments>

  static let present = "/grid/instrument"
  static let list = "/instruments"
  static let loading = "/instrument/loading"
  static let notes = "/instrument/notes"

  /// The addresses of instruments, which the grid and the keys play.
  static let addresses: [Address] = [
    Address(
      present,
      Declared.slowSetting([.needed("name", .text)]) { instruments in
        [.string(instruments.loader.present)]
      } start: { instruments, request throws(Refusal) in
        try instruments.play(request)
      },
      // Restored as any message sets it.
      kept: Kept(
        .home, read: { $0[Instruments.self].loader.keptName }, isInEverySession: true),
      "Plays the instrument of this name as soon as it is loaded, then answers /reply, with a "
        + "line for each fault in it; take makes one of the loop; without a name, answers with "
        + "the present one"),
    Address(
      list,
      Declared.reading(types: "s…", isAnnounced: true) { instruments in
        instruments.names.current.map(Argument.string)
      },
      "Answers with the names of all instruments, in order"),
    Address(
      "/instrument/load",
      Declared.task([
        .needed("name", .text), .needed("file", .text),
        .optional("bank", .whole, in: 0...128), .optional("program", .whole, in: 0...127),
      ]) { instruments, request throws(Refusal) in
        try instruments.add(request)
      },
      "Makes a file of the home folder an instrument of this name: SF2 or SF3, of which bank and "
        + "program can be named, SFZ, or a folder of WAV files; then answers /reply as "
        + "/grid/instrument does"),
    Address(
      "/instrument/delete",
      Declared.task([.needed("name", .text)]) { instruments, request throws(Refusal) in
        try instruments.delete(request)
      },
      "Deletes an instrument that was loaded from a file; the file stays; then answers /reply"),
    Address(
      loading,
      Declared.reading(types: "f", isAnnounced: true) { [.float($0.loader.progress)] },
      "Progress of loading the instrument that was asked for last, from 0 to 1"),
    Address(
      notes,
      Declared.reading(types: "s…", isAnnounced: true) { $0.loader.notes.map(Argument.string) },
      "Faults of the present instrument: what can't be played, or is not understood, a line each"),
  ]
}
