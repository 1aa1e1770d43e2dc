internal import Posix

/// The locations of General MIDI soundfonts on a machine.
package struct SoundFontPlaces: Sendable {
  /// The environment variable with a colon-separated list of folders that replaces the default
  /// ones.
  ///
  /// `none` stands for no folder.
  package static let variable = "SYRINX_SOUNDFONTS"
  // Best first. All of them are free and packaged in Debian.
  private static let known = [
    "FluidR3_GM.sf2", "MuseScore_General.sf3", "MuseScore_General.sf2", "FluidR3Mono_GM.sf3",
    "default-GM.sf2", "default-GM.sf3",
  ]

  /// The files given at the start, which come first.
  package var given: [String]
  /// The folders to search.
  package var folders: [String]

  package init(given: [String] = [], folders: [String] = []) {
    self.given = given
    self.folders = folders
  }

  /// Returns the given files and the default folders of this machine.
  package static func usual(given: [String] = []) -> SoundFontPlaces {
    SoundFontPlaces(
      given: given,
      folders: folders(
        named: Environment[variable],
        data: Environment["XDG_DATA_HOME"] ?? Environment.homeFolder + "/.local/share"))
  }

  static func folders(named: String?, data: String) -> [String] {
    if let named { return named.split(separator: ":").map(String.init).filter { $0 != "none" } }
    let places = ["sounds/sf2", "sounds/sf3", "soundfonts"]
    return [data, "/usr/local/share", "/usr/share"].flatMap { folder in
      places.map { "\(folder)/\($0)" }
    }
  }

  /// The soundfonts in the folders, best first, without duplicates.
  var found: [String] {
    var files: [(path: String, name: String)] = []
    for folder in folders {
      for name in Files.names(in: folder).sorted()
      where name.lowercased().hasSuffix(".sf2") || name.lowercased().hasSuffix(".sf3") {
        files.append(("\(folder)/\(name)", name))
      }
    }
    let best = Self.known.flatMap { name in files.filter { $0.name == name } }
    let others = files.filter { !Self.known.contains($0.name) }
    var seen: Set<String> = []
    return (best + others).map(\.path).filter { path in
      seen.insert((try? Files.resolved(path)) ?? path).inserted
    }
  }
}
