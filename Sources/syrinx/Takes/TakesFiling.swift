internal import Control
internal import Library
internal import Posix
internal import Screen
internal import SoundFiles

/// The commands that import and export takes, and repair the library.
enum TakesFiling {
  // MARK: - Import and export

  static func importFiles(_ request: TakesRequest) throws(Failure) {
    try request.check(1...Int.max)
    let library = try request.newLibrary()
    try TakesRequest.each(request.arguments) { path, progress throws(Failure) in
      let take = try Failure.of { () throws(LibraryFault) in
        try library.importFile(path) { progress.show($0, of: $1) }
      }
      progress.clear()
      try Failure.print(take.id + "\n")
    }
  }

  static func export(_ request: TakesRequest) throws(Failure) {
    try request.check(2...Int.max)
    let target = request.arguments[request.arguments.count - 1]
    let ids = request.arguments.dropLast()
    let isFolder = Files.isFolder(target)
    if !isFolder {
      guard ids.count == 1 else {
        throw Failure(.usage, "several takes need an output folder; \(target) is not one")
      }
      _ = try Failure.of { () throws(SoundFileError) in try SoundFormat(endingOf: target) }
    }
    let library = try request.library()
    try TakesRequest.each(ids) { id, progress throws(Failure) in
      try Failure.of { () throws(LibraryFault) in
        let take = try library.take(id)
        let path = isFolder ? "\(target)/\(fileName(take))" : target
        try library.export(take.id, to: path) { progress.show($0, of: $1) }
      }
    }
  }

  /// Makes a file name by which people recognize the take, unique among takes.
  private static func fileName(_ take: Take) -> String {
    var title = PlainText.line(take.title).replacing("/", with: "-").drop { ". ".contains($0) }
    // With its suffix it must not exceed the maximum length of a file name.
    while title.utf8.count > 200 { title.removeLast() }
    return "\(title.isEmpty ? "" : title + " ")\(take.id.prefix(8)).wav"
  }

  // MARK: - Repair

  static func reindex(_ request: TakesRequest) throws(Failure) {
    try request.check(0...0)
    let home = try request.home()
    var progress = ProgressBar()
    defer { progress.clear() }
    var unreadable: Set<String> = []
    let result: Reindexing
    do throws(LibraryFault) {
      let library = try TakeLibrary(home: home)
      // First write to the files what only the database has.
      sayRecovered(try library.adopt(), &unreadable)
      result = try library.reindex { progress.show($0, of: $1, "takes") }
      progress.clear()
    } catch {
      progress.clear()
      guard error.isDamage else { throw error.failure }
      result = try rebuild(home, &progress, &unreadable)
    }
    unreadable.formUnion(result.unreadable)
    Environment.say(result.takes == 1 ? "1 take" : "\(result.takes) takes")
    guard !unreadable.isEmpty else { return }
    for line in unreadable.sorted() { Environment.say(PlainText.line(line)) }
    throw Failure(
      .badInput,
      unreadable.count == 1
        ? "1 file can't be read, and was skipped"
        : "\(unreadable.count) files can't be read, and were skipped")
  }

  private static func rebuild(
    _ home: String, _ progress: inout ProgressBar, _ unreadable: inout Set<String>
  ) throws(Failure) -> Reindexing {
    var (library, result) = try Failure.of { () throws(LibraryFault) in
      try TakeLibrary.rebuild(home: home) { progress.show($0, of: $1, "takes") }
    }
    progress.clear()
    let adoption = try Failure.of { () throws(LibraryFault) in try library.adopt() }
    sayRecovered(adoption, &unreadable)
    Environment.say(
      "the database was damaged: it is now library.sqlite.damaged, the new one has no settings "
        + "yet, and a running node on \(home) must be restarted")
    result.takes += adoption.adopted.count
    return result
  }

  private static func sayRecovered(_ adoption: Adoption, _ unreadable: inout Set<String>) {
    unreadable.formUnion(adoption.unreadable)
    for id in adoption.recovered { Environment.say("\(id) was unfinished, and has been repaired") }
  }
}
