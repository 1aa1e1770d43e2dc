internal import Control
internal import Library
internal import Posix

/// The files that commands read: data directory and presets.
enum StoredFiles {
  /// The data directory: as given, else the default, as an absolute path.
  ///
  /// Throws if a newer program has used it.
  static func home(_ given: CommandPage.Given) throws(Failure) -> String {
    let home =
      given["home"]
      ?? (Environment["XDG_DATA_HOME"] ?? Environment.homeFolder + "/.local/share") + "/syrinx"
    guard !home.isEmpty else { throw Failure(.usage, "--home takes a folder; got \"\"") }
    // Messages about the path are read elsewhere.
    let path = Files.absolute(home)
    try Failure.of { () throws(LibraryFault) in try HomeVersion.check(path) }
    return path
  }

  /// Creates the library of the built-in presets and a node's own.
  static func presets(home: String) -> PresetLibrary {
    PresetLibrary(shipped: ShippedPresets.folder, own: home + "/presets")
  }

  /// Loads the preset given by `--preset`.
  static func load(_ preset: String, into node: Node) throws(Failure) {
    try Failure.of("--preset", exitCode) { () throws(Refusal) in
      try node[Presets.self].load(preset)
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
