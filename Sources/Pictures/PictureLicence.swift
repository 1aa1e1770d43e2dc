/// A license that permits showing a picture unchanged with attribution.
package struct PictureLicence: Equatable, Sendable {
  private static let links = [
    "cc0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "pd": "https://creativecommons.org/publicdomain/mark/1.0/",
    "cc-by": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-nc-sa": "https://creativecommons.org/licenses/by-nc-sa/4.0/",
  ]

  /// The code: `cc0`, `pd`, `cc-by`, `cc-by-sa`, `cc-by-nc` or `cc-by-nc-sa`.
  package let code: String
  /// The URL of the license text.
  package let url: String

  /// Parses a license name such as `cc-by-sa` or `CC BY-SA 3.0 de`.
  ///
  /// Returns nil if it is unknown or not suitable.
  ///
  /// A URL is accepted if it leads to Creative Commons. The name alone does not determine the
  /// version.
  package init?(_ name: String, url: String = "") {
    guard let code = Self.code(name), let known = Self.links[code] else { return nil }
    self.code = code
    let isTheirs = ["https", "http"].contains { url.hasPrefix("\($0)://creativecommons.org/") }
    self.url = isTheirs && url.utf8.count <= 200 ? url : known
  }

  /// Whether commercial use is excluded.
  package var isNoncommercial: Bool { code.hasPrefix("cc-by-nc") }

  /// Whether attribution is required.
  package var needsAuthor: Bool { code.hasPrefix("cc-by") }

  private static func code(_ name: String) -> String? {
    var words = name.lowercased().split { " -_,/".contains($0) }[...]
    guard let first = words.popFirst() else { return nil }
    switch first {
    case "cc0", "pd": return String(first)
    case "public": return words.first == "domain" ? "pd" : nil
    case "cc": break
    default: return nil
    }
    if words.first == "zero" || words.first == "0" { return "cc0" }
    guard words.popFirst() == "by" else { return nil }
    // A version and sometimes a country follow.
    let terms = words.prefix { $0.first?.isNumber == false }
    switch Array(terms) {
    case []: return "cc-by"
    case ["sa"]: return "cc-by-sa"
    case ["nc"]: return "cc-by-nc"
    case ["nc", "sa"]: return "cc-by-nc-sa"
    default: return nil
    }
  }
}
