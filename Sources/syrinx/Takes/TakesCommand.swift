internal import Control
internal import Library
internal import Posix

/// The command `syrinx takes`: the take library, from the shell.
///
/// It works on the data directory itself, also while a node uses it.
enum TakesCommand {
  /// A subcommand of `syrinx takes`.
  struct Verb: Sendable {
    let name: String
    let arguments: String
    let summary: String
    /// The options of the command, apart from `--home`.
    let options: [String]
    let run: @Sendable (TakesRequest) throws(Failure) -> Void
  }

  static let verbs = [
    Verb(
      name: "list", arguments: "", summary: "List takes, newest first",
      options: TakesSearch.options + ["json", "offset", "count"], run: TakesListing.list),
    Verb(
      name: "find", arguments: "WORD...", summary: "List those with all of these words",
      options: TakesSearch.options + ["json", "offset", "count"], run: TakesListing.find),
    Verb(
      name: "show", arguments: "ID...", summary: "Tell all that is known of a take",
      options: ["json"], run: TakesListing.show),
    Verb(
      name: "map", arguments: "FILE|-", summary: "Write the places as GeoJSON",
      options: TakesSearch.options, run: TakesListing.map),
    Verb(
      name: "play", arguments: "ID", summary: "Play a take through a running node",
      options: ["to"], run: TakesPlaying.play),
    Verb(
      name: "import", arguments: "FILE...", summary: "Copy sound files in, and print their ids",
      options: [], run: TakesFiling.importFiles),
    Verb(
      name: "export", arguments: "ID FILE", summary: "Write a take in the format of the ending",
      options: [], run: TakesFiling.export),
    Verb(
      name: "export", arguments: "ID... FOLDER", summary: "Write takes as WAV, named by title",
      options: [], run: TakesFiling.export),
    Verb(
      name: "edit", arguments: "ID", summary: "Change what is written about a take",
      options: ["title", "species", "notes", "message", "image"], run: TakesEditing.edit),
    Verb(
      name: "delete", arguments: "ID...", summary: "Move takes to the trash, for 30 days",
      options: [], run: TakesEditing.delete),
    Verb(
      name: "restore", arguments: "ID...", summary: "Take them out of it again",
      options: [], run: TakesEditing.restore),
    Verb(
      name: "trash", arguments: "", summary: "List what is in the trash, or empty it",
      options: ["json", "offset", "count", "empty"], run: TakesListing.trash),
    Verb(
      name: "reindex", arguments: "", summary: "Make the database anew from the files",
      options: [], run: TakesFiling.reindex),
  ]

  static let page = CommandPage(
    name: "takes", summary: "List, play, move, describe and mend the takes of a home folder.",
    usage: "syrinx takes COMMAND [OPTIONS] [ARGUMENT]...",
    options: [
      .init(
        "home", value: "DIR",
        "Home folder of the takes (default: $XDG_DATA_HOME/syrinx, else ~/.local/share/syrinx); "
          + "what plays has its own"),
      .init("json", "list, find, trash: as a JSON array of objects; show: as one object each"),
      .init(
        "text", value: "WORDS",
        "list, find, map: with words that begin so in title, species, notes or message"),
      .init(
        "species", value: "WORDS",
        "list, find, map: with words that begin so in the species; edit: the species itself"),
      .init("from", value: "DATE", "list, find, map: since then"),
      .init(
        "to", value: "DATE|HOST:PORT",
        "list, find, map: until then; play: where the node listens, as for `syrinx send`"),
      .init("near", value: "LAT,LON", "list, find, map: near this place, in degrees"),
      .init("within", value: "KM", "How near, in kilometres (default: 1)"),
      .init("offset", value: "NUMBER", "list, find, trash: leave so many out (default: 0)"),
      .init(
        "count", value: "NUMBER|all", "list, find, trash: this many (default: 50)"),
      .init("title", value: "TEXT", "edit: the title; \"\" calls it after the time of day"),
      .init("notes", value: "TEXT", "edit: the notes"),
      .init("message", value: "TEXT", "edit: the message that was left with it"),
      .init("image", value: "FILE", "edit: a picture to go with it; \"\" for none"),
      .init("empty", "trash: delete all that is in it for good"),
    ],
    details: """
      Commands:
      \(overview)

      ID is the id of a take, or as much of its beginning as no other has. DATE is a day, such
      as 2026-11-21, or a moment, such as 2026-11-21T17:30, of this machine's clock unless a zone
      such as +01:00 or Z stands behind it.

      On a terminal a list is a table as wide as that. Else it has a line for each take, without
      a heading and with nothing cut off, and a tab between id, date, seconds, title, species and
      LAT,LON. All of this can be done while a node runs on the same folder. `reindex` also mends
      a database that is damaged: the old one is kept beside it, and the settings begin anew.
      `export` replaces a FILE that is there, when the new one is whole.

      Examples:
        syrinx takes list                                 the fifty newest
        syrinx takes find owl --from 2026-05-01 --json
        syrinx takes list --near 59.33,18.07 --within 10
        syrinx takes edit 1f3a --species "Strix aluco" --image owl.jpg
        syrinx takes export 1f3a owl.flac
        syrinx takes import *.wav

      Ends with 0; 64 wrong usage, a text that is too long, or more than one take begins so; 65 a
      file is no sound, or the database is damaged; 66 there is no such take or file; 69 no node
      answers, or another process has the database for too long; 73 can't write; 77 the file is
      the library's own. Of several takes or files all are tried, and the first that fails says
      how it ends.
      """)

  private static var overview: String {
    let lefts = verbs.map { $0.arguments.isEmpty ? $0.name : "\($0.name) \($0.arguments)" }
    let width = lefts.map(\.count).max() ?? 0
    return zip(lefts, verbs).map { left, verb in
      "  \(left)\(String(repeating: " ", count: width - left.count))  \(verb.summary)"
    }.joined(separator: "\n")
  }

  static func run(_ given: CommandPage.Given) throws(Failure) {
    guard let name = given.rest.first else {
      throw Failure(
        .usage, "what of the takes? \(names); `syrinx takes --help` tells more of each")
    }
    guard let verb = verbs.first(where: { $0.name == name }) else {
      let hint =
        name.nearest(of: verbs.map(\.name)).map { "; is `syrinx takes \($0)` meant?" }
        ?? ", but \(names)"
      throw Failure(.usage, "there is no command \(quoted(name)) for takes\(hint)")
    }
    for option in page.options.map(\.long) where given.has(option) {
      guard option == "home" || verb.options.contains(option) else {
        throw Failure(.usage, "`syrinx takes \(name)` takes no --\(option)")
      }
    }
    try verb.run(TakesRequest(given, verb))
  }

  private static var names: String {
    var names: [String] = []
    for verb in verbs where names.last != verb.name { names.append(verb.name) }
    return names.dropLast().joined(separator: ", ") + " or " + names[names.count - 1]
  }
}

extension CommandPage.Given {
  /// The value of an option, which must be an integer in this range.
  func whole(_ option: String, _ range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = self[option] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Failure(
        .usage, "--\(option) takes a number, \(range.lowerBound) or more; got \(quoted(text))")
    }
    return number
  }
}
