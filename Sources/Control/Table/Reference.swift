internal import JSON

/// The address table as text, JSON and Markdown.
package enum Reference {
  /// Columns, one line per address.
  package static func text(_ addresses: [Address]) -> String {
    let rows = addresses.compactMap { address in
      address.pathForAll.map { [$0, address.types, limits(address), address.help] }
    }
    let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { text, width in
        text + String(repeating: " ", count: width - text.count)
      }.joined(separator: "  ") + "  \(row[3])\n"
    }.joined()
  }

  /// A JSON array of objects.
  package static func json(_ addresses: [Address]) -> String {
    let objects = addresses.map { address in
      var members = [
        ("address", JSON.written(address.path)), ("types", JSON.written(address.types)),
        ("unit", JSON.written(address.unit)),
      ]
      if let words = address.words {
        members.append(("values", "[" + words.map(JSON.written).joined(separator: ", ") + "]"))
      } else if address.range.least < address.range.greatest {
        members.append(("min", plain(Double(address.range.least))))
        members.append(("max", plain(Double(address.range.greatest))))
      }
      if address.curve != .linear {
        members.append(("curve", JSON.written(address.curve.rawValue)))
      }
      if let initial = initial(address) { members.append(("default", initial)) }
      members.append(("help", JSON.written(address.help)))
      return "  {" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
    return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
  }

  /// A Markdown table for the reference page.
  package static func markdown(_ addresses: [Address]) -> String {
    let rows = addresses.filter { $0.pathForAll != nil }.map { address in
      [
        "`\(address.pathForAll ?? "")`", address.types.isEmpty ? "" : "`\(address.types)`",
        limits(address),
        initial(address).map { "`\($0.filter { $0 != "\"" })`" } ?? "", address.help,
      ].map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")
    }
    return "| Address | Types | Values | Default | What it does |\n"
      + "| --- | --- | --- | --- | --- |\n" + rows.map { "| \($0) |\n" }.joined()
  }

  private static func limits(_ address: Address) -> String {
    let unit = address.unit.isEmpty ? "" : " \(address.unit)"
    if let words = address.words { return words.joined(separator: " ") }
    let (least, greatest) = address.range
    guard least < greatest else { return address.unit }
    return "\(plain(Double(least)))…\(plain(Double(greatest)))\(unit)"
  }

  private static func initial(_ address: Address) -> String? {
    guard let initial = address.initial else { return nil }
    if let words = address.words { return JSON.written(words[Int(initial)]) }
    return plain(Double(initial))
  }
}
