internal import Posix

/// All instruments that can be played at the moment, by name.
package struct InstrumentCatalogue: Sendable {
  // As many as one datagram can tell.
  private static let most = 1000

  /// The source of an instrument's sound.
  package enum Source: Sendable {
    /// A program of a soundfont.
    case program(SoundFont, SoundFont.Program)
    /// Made when it is needed.
    case builtIn(BuiltInInstrument)
    /// A file or folder inside the home folder, and the bank and number of a program in it.
    case file(String, home: String, bank: Int?, program: Int?)
  }

  /// An instrument of the list.
  package struct Entry: Sendable {
    /// The name.
    package let name: InstrumentName
    /// The help, one line that says what it is; can be empty.
    package let help: String
    /// The sources of its sound: a later one stands in where an earlier one can't be read.
    package let sources: [Source]
    /// Whether the user brought it, and not the program.
    package let isOwn: Bool
  }

  /// The instruments, in the order in which they are listed.
  package let entries: [Entry]
  /// The soundfonts that are used; those that were named at the start come first.
  package let fonts: [SoundFont]
  /// The faults: what was passed over, in one line each.
  package let faults: [String]

  init(entries: [Entry], fonts: [SoundFont], faults: [String]) {
    self.entries = Array(entries.prefix(Self.most))
    self.fonts = fonts
    self.faults = faults
  }

  /// The names of all, in order.
  package var names: [String] { entries.map(\.name.text) }

  /// The instrument of a name.
  package func entry(_ name: InstrumentName) throws(InstrumentFault) -> Entry {
    if let entry = entries.first(where: { $0.name == name }) { return entry }
    let nearest = name.plain.nearest(of: Set(entries.map(\.name.plain)))
    throw InstrumentFault(
      .missing,
      "there is no instrument \(name.text); "
        + (nearest.map { "is \($0) meant?" } ?? "/instruments lists them"))
  }
}

extension InstrumentCatalogue.Entry {
  /// Reads what the instrument is made of, but for its sound, from one of its sources.
  package func read(_ source: InstrumentCatalogue.Source) throws(InstrumentFault) -> Instrument {
    switch source {
    case .builtIn(let builtIn): return builtIn.make()
    case .program(let font, let program): return try font.instrument(program)
    case .file(let file, let home, let bank, let program):
      return try InstrumentFile(file, home: home).read(bank: bank, program: program)
    }
  }
}
