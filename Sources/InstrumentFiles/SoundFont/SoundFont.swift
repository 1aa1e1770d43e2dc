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
