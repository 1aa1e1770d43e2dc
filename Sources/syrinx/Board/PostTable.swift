internal import Feed
internal import Posix
internal import Screen

/// Prints a list of posts: as a table for people, or as tab-separated fields for programs.
enum PostTable {
  static func print(_ posts: [Post]) throws(Failure) {
    guard let width = Terminal.width else {
      return try Failure.print(posts.map(fields).joined())
    }
    try Failure.print(table(posts).lines(width: width).map { $0 + "\n" }.joined())
  }

  private static func fields(_ post: Post) -> String {
    [
      "\(post.number)", post.id, post.date.text, post.sound.map { "\($0.seconds)" } ?? "",
      PlainText.line(post.name), PlainText.line(post.message),
    ].joined(separator: "\t") + "\n"
  }

  private static func table(_ posts: [Post]) -> TextTable {
    func cells(_ text: (Post) -> String) -> [String] { posts.map { PlainText.line(text($0)) } }
    return TextTable([
      .init(heading: "NUMBER", cells: cells { "\($0.number)" }, isNumeric: true),
      .init(heading: "ID", cells: cells(\.id)),
      .init(heading: "DATE", cells: cells { TakeWords.minute($0.date) }, leaving: 1),
      .init(heading: "NAME", cells: cells(\.name), least: 8),
      .init(heading: "MESSAGE", cells: cells(\.message), least: 12),
    ])
  }
}
