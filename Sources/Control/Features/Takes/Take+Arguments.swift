internal import Library
internal import OSC
internal import Posix

extension Take {
  /// The arguments of `/take`.
  var row: [Argument] {
    [
      .string(id), .string(title), .string(species), .string(date.text), .float(Float(seconds)),
      .float(place.map { Float($0.latitude) } ?? .nan),
      .float(place.map { Float($0.longitude) } ?? .nan),
    ]
  }

  /// The arguments of `/take/sound`.
  var sound: [Argument] {
    [
      .string(id), .string(source.rawValue), .string(preset), .int32(Int32(clamping: rate)),
      .int32(Int32(clamping: channels)), .float(peak.map { Float($0) } ?? -.infinity),
      .float(loudness.map { Float($0) } ?? -.infinity),
    ]
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
