internal import HTTP
internal import JSON
package import Posix

/// A row of `getaudio`, in the variants of different boards.
///
/// Rows have four or five columns. A missing sound is null, empty, or the text "null".
package struct BoardRow: Equatable, Sendable {
  // Longer texts of other boards are shortened, since every row is kept.
  private static let (mostLetters, mostOtherLetters) = (4096, 200)
  private static let limits = JSON.Limits(values: 32)
  // The Base64 of the bytes that show the kind of a sound.
  private static let headLetters = 24

  /// The author.
  package var name: String
  /// The text.
  package var message: String
  /// The ID, or empty if the board has none.
  package var id: String
  /// The time, in the board's own format.
  package var time: String
  /// The metadata of the sound, or nil without a known one.
  package var sound: Post.Sound?
  /// The sound in Base64, or nil.
  package var audio: String?

  /// Parses a row.
  ///
  /// Returns nil if it is malformed.
  init?(_ bytes: [UInt8]) {
    guard let json = try? JSON(bytes, within: Self.limits), let cells = json.list,
      cells.count == 4 || cells.count == 5
    else { return nil }
    name = Self.text(cells[0], Self.mostOtherLetters)
    message = Self.text(cells[1], Self.mostLetters)
    id = cells.count == 5 ? Self.text(cells[2], Self.mostOtherLetters) : ""
    time = Self.text(cells[cells.count - 2], Self.mostOtherLetters)
    audio = Self.sound(cells[cells.count - 1].text)
    if let audio,
      let kind = Base64.bytes(of: String(audio.prefix(Self.headLetters))).flatMap({ SoundKind($0) })
    {
      sound = Post.Sound(seconds: 0, bytes: audio.utf8.count / 4 * 3, kind: kind)
    }
  }

  // Some boards use numbers as IDs.
  private static func text(_ json: JSON, _ most: Int) -> String {
    (json.text ?? json.whole.map(String.init) ?? "").shortened(to: most)
  }

  /// Returns the sound, or nil if the text stands for none.
  package static func sound(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text != "null" else { return nil }
    return text
  }

  /// The ID, or what stands for it on a board without any.
  var key: String { id.isEmpty ? "\(time) \(name) \(message.prefix(80))" : id }

  /// The bytes of its texts.
  var textBytes: Int { name.utf8.count + message.utf8.count + id.utf8.count + time.utf8.count }

  /// The time, or nil if its format is unknown.
  package var date: ZonedDate? {
    if let date = ZonedDate(written: time, isEnd: false) { return date }
    return ZonedDate(time)
  }
}

extension String {
  /// Returns the first `most` characters.
  ///
  /// Counts Unicode scalars: a grapheme cluster can be of any length.
  func shortened(to most: Int) -> String {
    // A copy, which doesn't keep the memory of the whole.
    utf8.count <= most ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(most)))
  }
}
