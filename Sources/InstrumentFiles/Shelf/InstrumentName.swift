/// The name of an instrument: large letters are as good as small ones, and hyphens as blanks.
///
/// It can't lead out of a folder, nor to a hidden file.
package struct InstrumentName: Hashable, Sendable {
  // Longer ones could not all be told in one datagram.
  private static let longest = 48
  /// The name of the instrument made of the loop, which is none that is kept.
  package static let ofTheLoop = "take"

  /// The name as it was given, without blanks around it.
  package let text: String
  private let key: String

  /// A name, where it can be one.
  package init(_ text: String) throws(InstrumentFault) {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0 != "/" && $0.value >= 32 && !(127..<160).contains($0.value)
    }
    let words = text.split { $0 == " " || $0 == "-" || $0 == "_" }
    guard !words.isEmpty, text.utf8.count <= Self.longest, !text.hasPrefix("."), isPlain else {
      throw InstrumentFault(
        .denied,
        "the name of an instrument has 1 to \(Self.longest) bytes, no slash and no control "
          + "character, and no dot at its beginning")
    }
    key = words.joined(separator: " ").lowercased()
    self.text = String(text.trimming { $0 == " " })
  }

  /// Whether it stands for the loop.
  package var isOfTheLoop: Bool { key == Self.ofTheLoop }

  /// The name in small letters, with single blanks.
  package var plain: String { key }

  /// The name of a file without its ending; nil where it can be none.
  init?(file: String, ending: String) {
    guard file.lowercased().hasSuffix(ending), !file.hasPrefix("."),
      let name = try? InstrumentName(String(file.dropLast(ending.count))), !name.isOfTheLoop
    else { return nil }
    self = name
  }

  package static func == (one: InstrumentName, other: InstrumentName) -> Bool {
    one.key == other.key
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension String {
  /// The text without what is not wanted at both ends.
  fileprivate func trimming(_ isUnwanted: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let first = rest.first, isUnwanted(first) { rest.removeFirst() }
    while let last = rest.last, isUnwanted(last) { rest.removeLast() }
    return rest
  }
}
