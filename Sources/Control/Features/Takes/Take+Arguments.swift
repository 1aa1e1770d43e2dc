internal import Library
internal import OSC
internal import Posix

extension Take {
  /// The arguments of `/take`.
  var row: [Argument] {
    Argument.row(
      id, title, species, date.text, seconds, place?.latitude ?? .nan, place?.longitude ?? .nan)
  }

  /// The arguments of `/take/sound`.
  var sound: [Argument] {
    Argument.row(
      id, source.rawValue, preset, rate, channels, peak ?? -.infinity, loudness ?? -.infinity)
  }
}

extension Adoption {
  /// Log lines for changes worth reporting.
  var lines: [String] {
    var lines = unreadable
    if !recovered.isEmpty {
      lines.append("unfinished recordings recovered as takes: \(Self.list(recovered))")
    }
    let others = adopted.filter { !recovered.contains($0) }
    if !others.isEmpty {
      lines.append("unknown files added as takes: \(Self.list(others))")
    }
    if !gone.isEmpty {
      lines.append("takes without files removed: \(Self.list(gone))")
    }
    return lines
  }

  private static func list(_ ids: [String]) -> String {
    ids.count > 5
      ? ids.prefix(5).joined(separator: " ") + " and \(ids.count - 5) more"
      : ids.joined(separator: " ")
  }
}
