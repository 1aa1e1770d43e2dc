internal import SoundFiles

/// A SoundFont file, SF2 or SF3: many programs, and the samples that they share.
///
/// Read at once are its tables, which are small. The samples of a program are read when it is
/// played. Nothing that the file says of places and counts is believed unchecked.
package struct SoundFont: Sendable {
  /// A program of a file.
  package struct Program: Equatable, Sendable {
    /// The name.
    package let name: String
    /// Its bank, 0 to 128; 128 is for drums.
    package let bank: Int
    /// Its number, 0 to 127.
    package let number: Int
    /// Its place in the file.
    package let index: Int
  }

  /// The choices that readers of SoundFonts make in different ways.
  package struct Reading: Equatable, Sendable {
    /// The share of the attenuation that the file asks for.
    ///
    /// The synthesizers that the format was made for did 0.4 of it, programs do the same, and
    /// fonts are made to sound right with that. It is not for what velocity takes away.
    package var attenuationFactor: Double
    /// Whether softer notes are darker even where the file doesn't say so.
    package var softIsDark: Bool
    /// Whether what is below a resonance is lowered by half of it, so that both ends are as far off.
    package var resonanceLowers: Bool
    /// The distance that the pan control moves a sound from the middle, 1 being to the side.
    package var panRange: Double

    /// The reading that fonts are made for, which is FluidSynth's.
    package static let usual = Reading(
      attenuationFactor: 0.4, softIsDark: false, resonanceLowers: true, panRange: 1)
    /// To the letter of the SoundFont specification 2.04.
    package static let specified = Reading(
      attenuationFactor: 1, softIsDark: true, resonanceLowers: true, panRange: 2)
  }

  /// The path of the file.
  package let path: String
  /// The name.
  package let name: String
  /// Its programs, by bank and number.
  package let programs: [Program]
  let tables: SoundFontTables

  /// Opens a file, and reads what is in it but for the samples.
  package init(_ path: String) throws(InstrumentFault) {
    self.path = path
    tables = try asInstrument { () throws(SoundFileError) in
      try SoundFontTables(WaveFile(path, to: .read))
    }
    name = tables.name
    programs = tables.programs.dropLast().enumerated().map { index, program in
      Program(name: program.name, bank: program.bank, number: program.number, index: index)
    }.sorted { ($0.bank, $0.number, $0.index) < ($1.bank, $1.number, $1.index) }
  }

  /// The program of a bank and a number.
  package func program(bank: Int = 0, number: Int) throws(InstrumentFault) -> Program {
    guard let found = programs.first(where: { $0.bank == bank && $0.number == number }) else {
      throw InstrumentFault(.missing, "\(path) has no program \(number) in bank \(bank)")
    }
    return found
  }
}
