/// The name of a preset: its file name without the extension.
///
/// It can't leave the folder or name a hidden file.
package struct PresetName: Hashable, Sendable {
  package let text: String

  /// Creates a name, or throws if it is invalid.
  ///
  /// The error names the kind of file that it is for.
  package init(_ text: String, of kind: String = "preset") throws(PresetFault) {
    guard PlainName.allows(text) else {
      throw PresetFault(.denied, PlainName.rule(of: "a \(kind)"))
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
