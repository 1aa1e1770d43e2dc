internal import Posix

/// All available instruments, by name.
package struct InstrumentCatalogue: Sendable {
  // The number of names that fit in one datagram.
  private static let most = 1000

  /// The source of an instrument's sound.
  package enum Source: Sendable {
    /// A soundfont program.
    case program(SoundFont, SoundFont.Program)
    /// Synthesized on demand.
    case builtIn(BuiltInInstrument)
    /// A file or folder in the data directory, with the bank and number of a program in it.
    case file(String, home: String, bank: Int?, program: Int?)
  }

  /// An instrument in the list.
  package struct Entry: Sendable {
    package let name: InstrumentName
    /// A one-line description.
    ///
    /// Can be empty.
    package let help: String
    /// The sources of its sound, in order of preference.
    ///
    /// The next one is the fallback if one can't be read.
    package let sources: [Source]
    /// Whether the user added it.
    package let isOwn: Bool
  }

  /// The instruments, in list order.
  package let entries: [Entry]
  /// The soundfonts in use.
  ///
  /// Those given at the start come first.
  package let fonts: [SoundFont]
  /// The files that were skipped, one line each.
  package let faults: [String]

  init(entries: [Entry], fonts: [SoundFont], faults: [String]) {
    self.entries = Array(entries.prefix(Self.most))
    self.fonts = fonts
    self.faults = faults
  }

  /// The names of all instruments, in list order.
  package var names: [String] { entries.map(\.name.text) }

  /// Returns the instrument with a name, or throws with the closest match.
  package func entry(_ name: InstrumentName) throws(InstrumentFault) -> Entry {
    if let entry = entries.first(where: { $0.name == name }) { return entry }
    let nearest = name.plain.nearest(of: Set(entries.map(\.name.plain)))
    throw InstrumentFault(
      .missing,
      "unknown instrument \(name.text); "
        + (nearest.map { "did you mean \($0)?" } ?? "/instruments lists all"))
  }
}

extension InstrumentCatalogue.Entry {
  /// Reads the description of the instrument, without its sound, from one of its sources.
  package func read(_ source: InstrumentCatalogue.Source) throws(InstrumentFault) -> Instrument {
    switch source {
    case .builtIn(let builtIn): return builtIn.make()
    case .program(let font, let program): return try font.instrument(program)
    case .file(let file, let home, let bank, let program):
      return try InstrumentFile(file, home: home).read(bank: bank, program: program)
    }
  }
}
