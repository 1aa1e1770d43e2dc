internal import Posix

/// The places of soundfonts of General MIDI on a machine.
package struct SoundFontPlaces: Sendable {
  /// The variable that names folders with colons between, in the place of the usual ones; `none`
  /// stands for no folder.
  package static let variable = "SYRINX_SOUNDFONTS"
  // The best first. All of them are free, and packages of Debian.
  private static let known = [
    "FluidR3_GM.sf2", "MuseScore_General.sf3", "MuseScore_General.sf2", "FluidR3Mono_GM.sf3",
    "default-GM.sf2", "default-GM.sf3",
  ]

  /// Files that were named at the start, which come first.
  package var given: [String]
  /// Folders that are looked through.
  package var folders: [String]

  /// Files and folders, in order.
  package init(given: [String] = [], folders: [String] = []) {
    self.given = given
    self.folders = folders
  }

  /// Makes the usual folders of this machine, behind some files.
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

  /// The files in the folders, the best first, each once.
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
