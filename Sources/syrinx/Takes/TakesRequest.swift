internal import Control
internal import Library
internal import Posix
internal import Screen

/// A request to a take library: the options and arguments of one command.
struct TakesRequest {
  let given: CommandPage.Given
  /// The arguments after the command's name.
  let arguments: [String]
  private let verb: TakesCommand.Verb

  init(_ given: CommandPage.Given, _ verb: TakesCommand.Verb) {
    self.given = given
    self.verb = verb
    arguments = Array(given.rest.dropFirst())
  }

  // MARK: - Arguments

  /// Throws unless the number of arguments is in this range.
  func check(_ range: ClosedRange<Int>) throws(Failure) {
    if range.contains(arguments.count) { return }
    let usage =
      "syrinx takes \(verb.name)" + (verb.arguments.isEmpty ? "" : " \(verb.arguments)")
    guard let extra = arguments.dropFirst(range.upperBound).first else {
      throw Failure(.usage, "`syrinx takes \(verb.name)`: missing arguments; usage: \(usage)")
    }
    throw Failure(.usage, "unexpected argument \(quoted(extra)); usage: \(usage)")
  }

  /// Runs an action for each item, even if it fails for others.
  ///
  /// The progress bar shows the item's place among all, such as `2 of 5`.
  static func each<Item>(
    _ items: some Collection<Item>,
    _ body: (Item, inout ProgressBar) throws(Failure) -> Void
  ) throws(Failure) {
    var failures: [Failure] = []
    var progress = ProgressBar()
    for (index, item) in items.enumerated() {
      progress.begin(index, of: items.count)
      defer { progress.clear() }
      do throws(Failure) {
        try body(item, &progress)
      } catch {
        progress.clear()
        if items.count == 1 { throw error }
        Environment.say(error.message)
        failures.append(error)
      }
    }
    guard let first = failures.first else { return }
    throw Failure(first.code, "\(failures.count) of \(items.count) failed")
  }

  // MARK: - The library

  /// The data directory, which must exist.
  func home() throws(Failure) -> String {
    let home = try StoredFiles.home(given)
    guard Files.isFolder(home) else {
      throw Failure(
        .missingInput,
        "no folder \(home); --home sets another, and `syrinx takes import` creates it")
    }
    return home
  }

  /// Opens the library of the data directory, which must exist.
  func library() throws(Failure) -> TakeLibrary {
    let home = try home()
    if let library = try Self.library(in: home) { return library }
    throw Failure(
      .missingInput,
      "no library in \(home); --home sets another folder, and `syrinx takes import` "
        + "makes one")
  }

  /// Opens the library of the data directory, or returns nil if it has none yet.
  ///
  /// A folder that `--home` names must exist.
  func libraryIfAny() throws(Failure) -> TakeLibrary? {
    try Self.library(in: given.has("home") ? home() : StoredFiles.home(given))
  }

  // A query must not create a library in an unrelated folder.
  private static func library(in home: String) throws(Failure) -> TakeLibrary? {
    guard Files.exist(home + "/takes") || Files.exist(home + "/library.sqlite") else { return nil }
    return try Failure.of { () throws(LibraryFault) in try TakeLibrary(home: home) }
  }

  /// Opens the library of the data directory; creates it if it does not exist.
  func newLibrary() throws(Failure) -> TakeLibrary {
    let home = try StoredFiles.home(given)
    // A folder without files is as new as a missing one.
    let isNew = Files.names(in: home).isEmpty
    return try Failure.of { () throws(LibraryFault) in
      let library = try TakeLibrary(home: home)
      if isNew { try HomeVersion.mark(home) }
      return library
    }
  }

  /// Formats a `syrinx takes` command for the same data directory.
  func command(_ words: String) -> String {
    "`syrinx takes \(words)" + (given["home"].map { " --home \($0)" } ?? "") + "`"
  }
}
