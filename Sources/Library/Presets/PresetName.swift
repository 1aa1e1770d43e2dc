/// The name of a preset, which is that of its file without the ending.
///
/// It can't lead out of the folder, nor to a hidden file.
package struct PresetName: Hashable, Sendable {
  // Longer ones could not all be told in one datagram.
  private static let longest = 48

  /// The name.
  package let text: String

  /// A name, where it can be one.
  package init(_ text: String) throws(PresetFault) {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0 != "/" && $0.value >= 32 && !(127..<160).contains($0.value)
    }
    guard !text.isEmpty, text.utf8.count <= Self.longest, !text.hasPrefix("."), isPlain else {
      throw PresetFault(
        .denied,
        "the name of a preset has 1 to \(Self.longest) bytes, no slash and no control character, "
          + "and no dot at its beginning")
    }
    self.text = text
  }

  static let ending = ".json"

  /// The name of the preset in a file; nil where that holds none.
  init?(file: String) {
    guard file.hasSuffix(Self.ending),
      let name = try? PresetName(String(file.dropLast(Self.ending.count)))
    else { return nil }
    self = name
  }

  /// The name of the file.
  var file: String { text + Self.ending }
}
