internal import Control
internal import InstrumentFiles
internal import Library
internal import Posix

/// The files that the commands read: home folder, presets and instruments.
enum StoredFiles {
  /// Finds the home folder: as given, else the usual place, as an absolute path.
  static func home(_ given: CommandPage.Given) throws(Failure) -> String {
    let home =
      given["home"]
      ?? (Environment["XDG_DATA_HOME"] ?? Environment.homeFolder + "/.local/share") + "/syrinx"
    guard !home.isEmpty else { throw Failure(.usage, "--home takes a folder; got \"\"") }
    // What is told of it is read elsewhere.
    return Files.absolute(home)
  }

  /// Makes the library of the presets that come with the program, and those of a node's folder.
  static func presets(home: String) -> PresetLibrary {
    PresetLibrary(shipped: ShippedPresets.folder, own: home + "/presets")
  }

  /// Makes the library of the instruments of the program, of the machine's soundfonts, and of a node's folder.
  static func instruments(home: String, fonts: [String]) -> InstrumentLibrary {
    InstrumentLibrary(
      shipped: ShippedPresets.folder, home: home, places: .usual(given: fonts))
  }

  /// Loads the preset that `--preset` names.
  static func load(_ preset: String, into node: Node) throws(Failure) {
    do throws(Refusal) {
      try node.loadPreset(preset)
    } catch {
      throw Failure(exitCode(of: error), "--preset: \(error.message)")
    }
  }

  private static func exitCode(of refusal: Refusal) -> ExitCode {
    switch refusal.code {
    case .missing, .io: .missingInput
    case .denied: .usage
    case .busy, .state: .fault
    case .unknown, .type, .range: .badInput
    }
  }
}
