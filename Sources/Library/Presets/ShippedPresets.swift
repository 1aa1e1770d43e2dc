internal import Posix

/// The folder of the shipped presets.
package enum ShippedPresets {
  /// The environment variable that names the folder.
  ///
  /// It takes precedence over all other locations.
  package static let variable = "SYRINX_PRESETS"

  /// The first location that is a folder.
  package static var folder: String? { places.first(where: Files.isFolder) }

  /// The locations to search, in order.
  package static var places: [String] {
    places(
      named: Environment[variable], program: Environment.programPath,
      dataFolders: Environment["XDG_DATA_DIRS"])
  }

  /// Returns the locations for a given environment.
  package static func places(
    named: String?, program: String?, dataFolders: String?
  ) -> [String] {
    if let named { return [named] }
    var places: [String] = []
    if let program {
      // Built but not installed: next to the build folder.
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
