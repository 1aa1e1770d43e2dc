internal import HTTP
package import JSON
package import Posix

/// A row of `getaudio`, as boards of several years write it.
///
/// They come in an object or bare, with four or five columns; the sound of one that has none is null,
/// empty, or the text "null".
package struct BoardRow: Equatable, Sendable {
  /// Who posted it.
  package var name: String
  /// The text.
  package var message: String
  /// The identifier; empty where the board gives none.
  package var id: String
  /// The moment, as the board writes it.
  package var time: String
  /// The sound in base 64; nil where there is none.
  package var audio: String?

  /// All rows of an answer, newest first; nil where it is none.
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

  // Some boards count their posts.
  private static func text(_ json: JSON) -> String {
    json.text ?? json.whole.map(String.init) ?? ""
  }

  /// The sound that a text is, if it is one.
  package static func sound(_ text: String?) -> String? {
    guard let text, !text.isEmpty, text != "null" else { return nil }
    return text
  }

  /// The moment; nil where the board writes it in a way of its own.
  package var date: ZonedDate? {
    if let date = ZonedDate(written: time, isEnd: false) { return date }
    return ZonedDate(time)
  }
}
