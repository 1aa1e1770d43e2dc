internal import OSC

extension Instruments {
  typealias Declared = Declaring<Instruments>

  static let present = "/grid/instrument"
  static let list = "/instruments"
  static let loading = "/instrument/loading"
  static let notes = "/instrument/notes"

  /// Instruments for the grid and keys.
  static let addresses: [Address] = [
    Address(
      present,
      Declared.slowSetting("name", \.loader.present, start: Instruments.play),
      // Restored by setting it.
      kept: Kept(
        place: .home, read: { $0[Instruments.self].loader.keptName }, isInEverySession: true),
      "Instrument of the grid and keys, played once loaded; replies /reply with a "
        + "line per warning; take samples loop 1; without a name, replies with the current one"),
    Address(list, Declared.reading(\.names.current), "Names of all instruments, in order"),
    Address(
      "/instrument/load",
      Declared.task(
        [
          .needed("name", .text), .needed("file", .text),
          .optional("bank", .whole, in: 0...128), .optional("program", .whole, in: 0...127),
        ], Instruments.add),
      "Adds a file in the data directory as an instrument: SF2 or SF3 with optional bank and "
        + "program, SFZ, or a folder of WAV files; replies /reply like /grid/instrument"),
    Address(
      "/instrument/delete", Declared.task([.needed("name", .text)], Instruments.delete),
      "Deletes an added instrument, but not its file; replies /reply"),
    Address(
      loading, Declared.reading(\.loader.progress),
      "Progress of loading the requested instrument"),
    Address(
      notes, Declared.reading(\.loader.notes),
      "Warnings about the current instrument: unplayable or unsupported parts, one line each"),
  ]
}
