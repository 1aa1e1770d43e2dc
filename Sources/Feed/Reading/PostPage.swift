package import JSON
internal import Posix

/// A page of posts in the format of Syrinx boards: newest first, without sounds.
package struct PostPage: Equatable, Sendable {
  /// The posts, newest first.
  package var posts: [Post]
  /// The number of the board's newest post, or 0 if there is none.
  package var newest: Int
}

extension PostPage {
  /// Parses a page, or returns nil if it is malformed.
  package init?(_ json: JSON) {
    guard let rows = json["posts"]?.list, let newest = json["newest"]?.whole else { return nil }
    self.init(posts: rows.compactMap(Post.init), newest: newest)
  }

  /// The page as JSON.
  package var json: String {
    (["posts": posts.map(\.json), "newest": newest] as JSONText).text
  }
}

extension Post {
  // Syrinx boards have lower limits. Whatever sends more is shortened, since pages are kept.
  private static let (mostLetters, mostOtherLetters) = (4096, 200)

  fileprivate var json: JSONText {
    [
      "number": number, "id": id, "name": name, "message": message, "time": date.text,
      "seconds": sound?.seconds, "bytes": sound?.bytes, "kind": sound?.kind.rawValue,
    ]
  }

  init?(_ json: JSON) {
    guard let number = json["number"]?.whole, number > 0, number <= Int(Int32.max),
      let id = json["id"]?.text, let time = json["time"]?.text, let date = ZonedDate(time)
    else { return nil }
    self.init(
      number: number, id: id.shortened(to: Self.mostOtherLetters),
      name: (json["name"]?.text ?? "").shortened(to: Self.mostOtherLetters),
      message: (json["message"]?.text ?? "").shortened(to: Self.mostLetters), date: date)
    guard let kind = json["kind"]?.text.flatMap(SoundKind.init(rawValue:)) else { return }
    sound = Sound(
      seconds: max(0, json["seconds"]?.number ?? 0), bytes: max(0, json["bytes"]?.whole ?? 0),
      kind: kind)
  }
}
