internal import Library
internal import OSC
internal import Posix

extension Take {
  /// The row of a list.
  var row: [Argument] {
    [
      .string(id), .string(title), .string(species), .string(date.text), .float(Float(seconds)),
      .float(place.map { Float($0.latitude) } ?? .nan),
      .float(place.map { Float($0.longitude) } ?? .nan),
    ]
  }

  /// The figures of its sound.
  var sound: [Argument] {
    [
      .string(id), .string(source.rawValue), .string(preset), .int32(Int32(clamping: rate)),
      .int32(Int32(clamping: channels)), .float(peak.map { Float($0) } ?? -.infinity),
      .float(loudness.map { Float($0) } ?? -.infinity),
    ]
  }
}

extension Adoption {
  /// The lines that somebody should read.
  var lines: [String] {
    var lines = unreadable
    if !recovered.isEmpty {
      lines.append("recordings that had not been ended are takes now: \(Self.list(recovered))")
    }
    let others = adopted.filter { !recovered.contains($0) }
    if !others.isEmpty {
      lines.append("files that the library did not know are takes now: \(Self.list(others))")
    }
    if !gone.isEmpty {
      lines.append("takes whose files have gone are forgotten: \(Self.list(gone))")
    }
    return lines
  }

  private static func list(_ ids: [String]) -> String {
    ids.count > 5
      ? ids.prefix(5).joined(separator: " ") + " and \(ids.count - 5) more"
      : ids.joined(separator: " ")
  }
}
