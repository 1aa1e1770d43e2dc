internal import SoundFiles

/// A SoundFont file, SF2 or SF3: programs and the samples that they share.
///
/// Opening it reads the tables, which are small. Samples are read when a program is played. All
/// offsets and counts in the file are validated.
package struct SoundFont: Sendable {
  /// A program of a SoundFont.
  package struct Program: Equatable, Sendable {
    package let name: String
    /// The bank, 0 to 128.
    ///
    /// 128 is for drums.
    package let bank: Int
    /// The number, 0 to 127.
    package let number: Int
    /// The index in the file's table.
    package let index: Int
  }

  /// The interpretation of details in which SoundFont players differ.
  package struct Reading: Equatable, Sendable {
    /// The factor on the attenuation given in the file.
    ///
    /// The synthesizers that the format was made for applied 0.4 of it, software players do the
    /// same, and fonts are tuned for that. It doesn't affect attenuation by velocity.
    package var attenuationFactor: Double
    /// Whether softer notes are darker even if the file doesn't specify that.
    package var softIsDark: Bool
    /// Whether resonance lowers the passband by half its gain, so that peak and passband are
    /// equally far from the unfiltered level.
    package var resonanceLowers: Bool
    /// The range of the pan control from the center.
    ///
    /// 1 reaches hard left and right.
    package var panRange: Double

    /// The interpretation that fonts are tuned for, as in FluidSynth.
    package static let usual = Reading(
      attenuationFactor: 0.4, softIsDark: false, resonanceLowers: true, panRange: 1)
    /// The literal interpretation of the SoundFont specification 2.04.
    package static let specified = Reading(
      attenuationFactor: 1, softIsDark: true, resonanceLowers: true, panRange: 2)
  }

  package let path: String
  package let name: String
  /// The programs, sorted by bank and number.
  package let programs: [Program]
  let tables: SoundFontTables

  /// Opens a file and reads its tables, not its samples.
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

  /// Returns the program with a bank and number.
  package func program(bank: Int = 0, number: Int) throws(InstrumentFault) -> Program {
    guard let found = programs.first(where: { $0.bank == bank && $0.number == number }) else {
      throw InstrumentFault(.missing, "\(path) has no program \(number) in bank \(bank)")
    }
    return found
  }
}
