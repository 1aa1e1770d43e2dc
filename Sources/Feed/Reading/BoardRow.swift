internal import HTTP
package import JSON
package import Posix

/// A row of `getaudio`, in the variants of different boards.
///
/// Rows come in an object or in a bare array, with four or five columns. A missing sound is null,
/// empty, or the text "null".
package struct BoardRow: Equatable, Sendable {
  /// The author.
  package var name: String
  /// The text.
  package var message: String
  /// The ID, or empty if the board has none.
  package var id: String
  /// The time, in the board's own format.
  package var time: String
  /// The sound in Base64, or nil.
  package var audio: String?

  /// Parses all rows of a response, newest first.
  ///
  /// Returns nil if it is malformed.
  package static func all(in json: JSON) -> [BoardRow]? {
    let rows: [JSON]?
    if case .object(let members) = json.content {
      rows = json["chatts"]?.list ?? members.lazy.compactMap(\.value.list).first
    } else {
      rows = json.list
    }
    return rows?.compactMap(BoardRow.init)
  }

  private init?(_ json: JSON) {
    guard let cells = json.list, cells.count == 4 || cells.count == 5 else { return nil }
    name = Self.text(cells[0])
    message = Self.text(cells[1])
    id = cells.count == 5 ? Self.text(cells[2]) : ""
    time = Self.text(cells[cells.count - 2])
    audio = Self.sound(cells[cells.count - 1].text)
  }

  // Some boards use numbers as IDs.
  private static func text(_ json: JSON) -> String {
    json.text ?? json.whole.map(String.init) ?? ""
  }

  /// Returns the sound, or nil if the text stands for none.
  package static func sound(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text != "null" else { return nil }
    return text
  }

  /// The time, or nil if its format is unknown.
  package var date: ZonedDate? {
    if let date = ZonedDate(written: time, isEnd: false) { return date }
    return ZonedDate(time)
  }
}
