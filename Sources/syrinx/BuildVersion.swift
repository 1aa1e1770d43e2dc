internal import CCommit
internal import Control

/// The version of the program and the commit from which it was built.
enum BuildVersion {
  /// The commit and its date, such as `cfc1492b4a3e 2026-11-29`; empty if unknown.
  private static let commit = String(cString: syrinx_commit()).split(whereSeparator: \.isWhitespace)

  /// The date of the commit; nil if unknown.
  static let date = commit.count == 2 ? String(commit[1]) : nil

  /// The line that `--version` prints, such as `syrinx 0.1.0 (cfc1492b4a3e 2026-11-29)`.
  ///
  /// The commit ends with `-dirty` if files of it were changed.
  static var line: String {
    guard let hash = commit.first, let date else { return "syrinx \(Version.text)" }
    // An archive has all 40 digits.
    let short = hash.count == 40 ? hash.prefix(12) : hash
    return "syrinx \(Version.text) (\(short) \(date))"
  }
}
