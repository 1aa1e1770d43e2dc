/// The rule for names that users give to files.
///
/// A name can't leave a folder or be that of a hidden file.
package enum PlainName {
  // Longer names would not all fit in one datagram.
  private static let longest = 48

  /// Whether a name follows the rule.
  package static func allows(_ text: String) -> Bool {
    1...longest ~= text.utf8.count && !text.hasPrefix(".")
      && text.unicodeScalars.allSatisfy {
        $0 != "/" && $0.value >= 32 && !(127..<160).contains($0.value)
      }
  }

  /// Adds a suffix to a name, and shortens it so that the result follows the rule.
  package static func adding(_ suffix: String, to name: String) -> String {
    var name = name
    while name.utf8.count + suffix.utf8.count > longest { name.removeLast() }
    return name + suffix
  }

  /// The rule in words, for the name of a thing.
  package static func rule(of thing: String) -> String {
    "the name of \(thing) has 1 to \(longest) bytes, no slash and no control character, and no "
      + "leading dot"
  }
}
