internal import Posix

/// The folder of the presets that come with the program.
package enum ShippedPresets {
  /// The variable that names it, before all other places.
  package static let variable = "SYRINX_PRESETS"

  /// The first of the places that is a folder.
  package static var folder: String? { places.first(where: Files.isFolder) }

  /// Where it is looked for, in order.
  package static var places: [String] {
    places(
      named: Environment[variable], program: Environment.programPath,
      dataFolders: Environment["XDG_DATA_DIRS"])
  }

  /// The same, of given surroundings.
  package static func places(
    named: String?, program: String?, dataFolders: String?
  ) -> [String] {
    if let named { return [named] }
    var places: [String] = []
    if let program {
      // Built but not installed: beside the folder of what is built.
      if let build = program.ranges(of: "/.build/").last {
        places.append(program[..<build.lowerBound] + "/Presets")
      }
      // Installed as PREFIX/bin/syrinx.
      let parts = program.split(separator: "/")
      if parts.count > 2, parts[parts.count - 2] == "bin" {
        places.append(
          "/" + (parts.dropLast(2) + ["share", "syrinx", "Presets"]).joined(separator: "/"))
      }
    }
    for folder in (dataFolders ?? "/usr/local/share:/usr/share").split(separator: ":") {
      let place = "\(folder)/syrinx/Presets"
      if folder.hasPrefix("/"), !places.contains(place) { places.append(place) }
    }
    return places
  }
}
