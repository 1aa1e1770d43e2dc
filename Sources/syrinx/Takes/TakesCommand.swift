internal import Control
internal import Library
internal import Posix

/// The command `syrinx takes`: the take library, from the shell.
///
/// It works on the data directory itself, also while a node uses it.
enum TakesCommand: Command {
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
    Verb(
      "find", "WORD...", "List takes that contain all these words", searching, TakesListing.find),
    Verb("show", "ID...", "Show all properties of a take", ["json"], TakesListing.show),
    Verb("map", "FILE|-", "Write the locations as GeoJSON", TakesSearch.options, TakesListing.map),
    Verb("play", "ID", "Play a take through a running node", ["to"], TakesPlaying.play),
    Verb(
      "import", "FILE...", "Import sound files, and print their ids", [],
      TakesFiling.importFiles),
    Verb(
      "export", "ID FILE", "Export a take in the format of the extension", [], TakesFiling.export),
    Verb("export", "ID... FOLDER", "Export takes as WAV, named by title", [], TakesFiling.export),
    Verb(
      "edit", "ID", "Edit the metadata of a take", TakesEditing.options,
      TakesEditing.edit),
    Verb("delete", "ID...", "Move takes to the trash, for 30 days", [], TakesEditing.delete),
    Verb("restore", "ID...", "Restore takes from the trash", [], TakesEditing.restore),
    Verb(
      "trash", "", "List or empty the trash", listing + ["empty"],
      TakesListing.trash),
    Verb("reindex", "", "Rebuild the database from the files", [], TakesFiling.reindex),
  ]

  static let page = CommandPage(
    name: "takes", summary: "List, play, edit, import, export and repair takes.",
    usage: "syrinx takes COMMAND [OPTIONS] [ARGUMENT]...",
    options: """
      --home DIR: Data directory (default: $XDG_DATA_HOME/syrinx, else ~/.local/share/syrinx); \
      play uses that of the node
      --json: list, find, trash: as a JSON array of objects; show: as one object each
      --text WORDS: list, find, map: words or their beginnings in title, species, notes or message
      --species WORDS: list, find, map: words or their beginnings in the species; edit: the species
      --from DATE: list, find, map: the earliest date
      --to DATE|HOST:PORT: list, find, map: the latest date; play: address of the node, as for \
      `syrinx send`
      --near LAT,LON: list, find, map: near this location, in degrees
      --within KM: Maximum distance for --near in kilometers (default: 1)
      --offset NUMBER: list, find, trash: number of takes to skip (default: 0)
      --count NUMBER|all: list, find, trash: maximum number of takes (default: 50 on a terminal, \
      else all)
      --title TEXT: edit: the title; "" uses the time of day
      --notes TEXT: edit: the notes
      --message TEXT: edit: the message
      --image FILE: edit: an image; "" removes it
      --empty: trash: permanently delete everything in it
      """,
    details: """
      Commands:
      \(overview)

      ID is the id of a take, or a unique prefix of it. DATE is a date, such as 2026-11-21, or a
      time, such as 2026-11-21T17:30, in the time zone of this machine unless a zone such as +01:00
      or Z follows it.

      On a terminal, lists are tables that fit its width. Otherwise they are complete: each take is
      one line without a header and without truncation, with id, date, seconds, title, species and
      LAT,LON separated by tabs. All commands can be used while a node runs on the same folder.
      `reindex` also repairs a damaged database: it keeps the old file, and settings return to their
      defaults. `export` replaces an existing FILE when the new one is complete.

      Examples:
        syrinx takes list                                 the newest
        syrinx takes find owl --from 2026-05-01 --json
        syrinx takes list --near 59.33,18.07 --within 10
        syrinx takes edit 1f3a --species "Strix aluco" --image owl.jpg
        syrinx takes export 1f3a owl.flac
        syrinx takes import *.wav

      Exit codes: 0; 64 for wrong usage, a text that is too long, or an ambiguous ID; 65 for a file
      without sound or a damaged database; 66 for an unknown take or a missing file; 69 if no node
      replies, or another process locks the database for too long; 73 if a file can't be written;
      77 for a file that belongs to the library. All takes or files are tried, and the exit code is
      that of the first failure.
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
        .usage, "missing command: \(names); `syrinx takes --help` describes each")
    }
    guard let verb = verbs.first(where: { $0.name == name }) else {
      let hint =
        name.nearest(of: verbs.map(\.name)).map { "; did you mean `syrinx takes \($0)`?" }
        ?? ", only \(names)"
      throw Failure(.usage, "unknown takes command \(quoted(name))\(hint)")
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
