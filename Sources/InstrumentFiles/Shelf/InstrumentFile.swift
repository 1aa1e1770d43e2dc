internal import Library
internal import Posix

/// An instrument file or folder in the data directory, of any supported kind.
struct InstrumentFile {
  static let endings = [".sf2", ".sf3", ".sfz"]

  private let path: String
  private let root: String

  /// Resolves a file name from a message.
  init(_ name: String, home: String) throws(InstrumentFault) {
    do throws(LibraryFault) {
      path = try HomeFile(reading: name, home: home).path
    } catch {
      let kind: InstrumentFault.Kind =
        switch error.kind {
        case .denied: .denied
        case .missing: .missing
        default: .broken
        }
      throw InstrumentFault(kind, error.message)
    }
    root = (try? Files.resolved(home)) ?? home
  }

  /// Reads the instrument.
  ///
  /// For a soundfont, selects the program with a bank and number, by default its first one.
  func read(bank: Int?, program: Int?) throws(InstrumentFault) -> Instrument {
    let name = path.lowercased()
    if name.hasSuffix(".sf2") || name.hasSuffix(".sf3") {
      let font = try SoundFont(path)
      if let program {
        return try font.instrument(try font.program(bank: bank ?? 0, number: program))
      }
      guard let first = font.programs.first else {
        throw InstrumentFault(.missing, "\(path) has no program")
      }
      return try font.instrument(first)
    }
    guard program == nil else {
      throw InstrumentFault(
        .broken, "only a soundfont, SF2 or SF3, has banks and programs; got \(path)")
    }
    if name.hasSuffix(".sfz") { return try SFZ.read(path, root: root) }
    guard Files.isFolder(path) else {
      throw InstrumentFault(
        .broken, "an instrument is an SF2, SF3 or SFZ file, or a folder of WAV files; got \(path)")
    }
    // A folder may contain an SFZ file with its sounds.
    let texts = Files.names(in: path).filter { $0.lowercased().hasSuffix(".sfz") }.sorted()
    if let text = texts.first { return try SFZ.read("\(path)/\(text)", root: root) }
    return try InstrumentFolder.read(path)
  }
}
