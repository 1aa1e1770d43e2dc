/// The name of a preset: its file name without the extension.
///
/// It can't leave the folder or name a hidden file.
package struct PresetName: Hashable, Sendable {
  // Longer names would not all fit in one datagram.
  private static let longest = 48

  package let text: String

  /// Creates a name, or throws if it is invalid.
  package init(_ text: String) throws(PresetFault) {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0 != "/" && $0.value >= 32 && !(127..<160).contains($0.value)
    }
    guard !text.isEmpty, text.utf8.count <= Self.longest, !text.hasPrefix("."), isPlain else {
      throw PresetFault(
        .denied,
        "the name of a preset has 1 to \(Self.longest) bytes, no slash and no control character, "
          + "and no leading dot")
    }
    self.text = text
  }

  static let ending = ".json"

  /// Derives the name from a file name, or returns nil if that is not a preset file.
  init?(file: String) {
    guard file.hasSuffix(Self.ending),
      let name = try? PresetName(String(file.dropLast(Self.ending.count)))
    else { return nil }
    self = name
  }

  var file: String { text + Self.ending }
}
