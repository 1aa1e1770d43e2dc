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

    init(
      _ name: String, _ arguments: String, _ summary: String, _ options: [String],
      _ run: @escaping @Sendable (TakesRequest) throws(Failure) -> Void
    ) {
      (self.name, self.arguments, self.summary) = (name, arguments, summary)
      (self.options, self.run) = (options, run)
    }
  }

  private static let searching = TakesSearch.options + listing
  private static let listing = ["json", "offset", "count"]

  static let verbs = [
    Verb("list", "", "List takes, newest first", searching, TakesListing.list),
    Verb("find", "WORD...", "List those with all of these words", searching, TakesListing.find),
    Verb("show", "ID...", "Tell all that is known of a take", ["json"], TakesListing.show),
    Verb("map", "FILE|-", "Write the places as GeoJSON", TakesSearch.options, TakesListing.map),
    Verb("play", "ID", "Play a take through a running node", ["to"], TakesPlaying.play),
    Verb(
      "import", "FILE...", "Copy sound files in, and print their ids", [],
      TakesFiling.importFiles),
    Verb("export", "ID FILE", "Write a take in the format of the ending", [], TakesFiling.export),
    Verb("export", "ID... FOLDER", "Write takes as WAV, named by title", [], TakesFiling.export),
    Verb(
      "edit", "ID", "Change what is written about a take", TakesEditing.options,
      TakesEditing.edit),
    Verb("delete", "ID...", "Move takes to the trash, for 30 days", [], TakesEditing.delete),
    Verb("restore", "ID...", "Take them out of it again", [], TakesEditing.restore),
    Verb(
      "trash", "", "List what is in the trash, or empty it", listing + ["empty"],
      TakesListing.trash),
    Verb("reindex", "", "Make the database anew from the files", [], TakesFiling.reindex),
  ]

  static let page = CommandPage(
    name: "takes", summary: "List, play, move, describe and mend the takes of a home folder.",
    usage: "syrinx takes COMMAND [OPTIONS] [ARGUMENT]...",
    options: """
      --home DIR: Home folder of the takes (default: $XDG_DATA_HOME/syrinx, else \
      ~/.local/share/syrinx); what plays has its own
      --json: list, find, trash: as a JSON array of objects; show: as one object each
      --text WORDS: list, find, map: with words that begin so in title, species, notes or message
      --species WORDS: list, find, map: with words that begin so in the species; edit: the species \
      itself
      --from DATE: list, find, map: since then
      --to DATE|HOST:PORT: list, find, map: until then; play: where the node listens, as for \
      `syrinx send`
      --near LAT,LON: list, find, map: near this place, in degrees
      --within KM: How near, in kilometres (default: 1)
      --offset NUMBER: list, find, trash: leave so many out (default: 0)
      --count NUMBER|all: list, find, trash: this many (default: 50)
      --title TEXT: edit: the title; "" calls it after the time of day
      --notes TEXT: edit: the notes
      --message TEXT: edit: the message that was left with it
      --image FILE: edit: a picture to go with it; "" for none
      --empty: trash: delete all that is in it for good
      """,
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
