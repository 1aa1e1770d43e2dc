internal import Library

/// The name of an instrument.
///
/// Case is ignored, and hyphens and underscores equal spaces.
///
/// It can't leave a folder or name a hidden file.
package struct InstrumentName: Hashable, Sendable {
  /// The reserved name of the instrument made from the loop, which is not stored.
  package static let ofTheLoop = "take"

  /// The name as entered, without surrounding spaces.
  package let text: String
  private let key: String

  /// Creates a name, or throws if it is invalid.
  package init(_ text: String) throws(InstrumentFault) {
    let words = text.split { $0 == " " || $0 == "-" || $0 == "_" }
    guard !words.isEmpty, PlainName.allows(text) else {
      throw InstrumentFault(.denied, PlainName.rule(of: "an instrument"))
    }
    key = words.joined(separator: " ").lowercased()
    var rest = text.drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    self.text = String(rest)
  }

  /// Whether the name is that reserved for the loop.
  package var isOfTheLoop: Bool { key == Self.ofTheLoop }

  /// The name in lowercase, with single spaces.
  package var plain: String { key }

  /// Derives the name from a file name without its extension, or nil if that is invalid.
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
