internal import Glibc
internal import JSON
internal import Posix
internal import SQLite
internal import SoundFiles

/// The takes in a home folder: their files, and a database by which they are found.
///
/// The files are what counts. Each tells all of its take, and the database can be made anew from
/// them (`reindex`). What changes a file and a row is done in such an order that whatever ends the
/// program, and whenever, `adopt` finds what is left and makes it agree:
///
/// - A take is added file first, then row. A file without a row gets one.
/// - It is edited row first, marked as `untold`, then file. A row that is so marked is told to its
///   file.
/// - It is deleted and restored in one transaction, inside which the file is moved. Where a row
///   and its file disagree, the take is in the trash.
/// - It is deleted for good row first, then file. A file in the trash without a row gets one, with
///   the time at which it came there, and goes the next time.
///
/// One thread at a time; any number of processes. What is here waits for the disk: an answer means
/// that even without power nothing of it is lost, for which SQLite syncs each transaction
/// (`synchronous = FULL`): people change takes, at their own pace.
package final class TakeLibrary {
  let files: TakeFiles
  let database: LibraryDatabase
  // When the list of species was changed that the database holds for this process; nil before it does.
  var speciesListChanged: Int?

  /// Opens the library in a home folder, which is made where there is none.
  ///
  /// Another process that writes is waited for so long.
  package init(home: String, waitMilliseconds: Int = 5000) throws(LibraryFault) {
    files = TakeFiles(home: home)
    try files.makeFolders()
    database = try LibraryDatabase(
      files.database, waitMilliseconds: Int32(clamping: waitMilliseconds))
    database.addDistance()
    try prepare()
  }

  /// Whether a home folder has a library already.
  package static func isThere(home: String) -> Bool {
    Files.exist(TakeFiles(home: home).database)
  }

  /// Names the path of a take's file.
  package func path(_ take: Take) -> String { files.path(take.id) }

  /// Names the path of the file of a take in the trash.
  package func trashPath(_ take: Take) -> String { files.path(take.id, inTrash: true) }

  /// Names the path of a take's image; nil where it has none.
  package func imagePath(_ take: Take) -> String? {
    take.image.isEmpty ? nil : files.image(take.image)
  }

  /// Writes all that is known of a take, with the credit of a picture that was fetched and the paths of
  /// its file and image, as JSON in one line.
  package func json(_ take: Take, inTrash: Bool = false) -> String {
    take.json { json in
      if !inTrash, let credit = imageOrigin(take).credit {
        json.begin("{", "picture")
        credit.add(to: &json)
        json.end("}")
      }
      json.add("path", files.path(take.id, inTrash: inTrash))
      if !take.image.isEmpty {
        json.add("imagePath", files.image(take.image, inTrash: inTrash))
      }
    }
  }

  /// Names the path at which a take is recorded, by `WaveWriter`, until it is added.
  ///
  /// What is left there after a crash is found by `adopt`.
  package func recordingPath(_ id: String) -> String { files.recording(id) }

  /// Names the path at which a take is recorded in a home folder whose database may be in use, or
  /// damaged; its folder is made where
  /// there is none.
  package static func recordingPath(
    _ id: String, home: String
  ) throws(LibraryFault) -> String {
    let files = TakeFiles(home: home)
    try files.makeFolders()
    return files.recording(id)
  }

  // MARK: - The schema

  private func prepare() throws(LibraryFault) {
    guard try !isOurs() else {
      try database.execute(SQL.open)
      return
    }
    try startLog()
    try database.transaction { () throws(LibraryFault) in
      // Another process may have been quicker.
      if try !isOurs() { try database.execute(SQL.schema) }
    }
  }

  /// Whether the schema is there; throws where there is another one.
  private func isOurs() throws(LibraryFault) -> Bool {
    let identity = try database.rows(SQL.identity) { ($0.integer(0), $0.integer(1), $0.integer(2)) }
    guard let (application, version, tables) = identity.first else { return false }
    if application == SQL.application {
      guard version <= SQL.version else {
        throw LibraryFault(
          .broken,
          "\(database.path) was made by a newer version of Syrinx, which must be used with it")
      }
      return true
    }
    guard application == 0, version == 0, tables == 0 else {
      throw LibraryFault(
        .broken, "\(database.path) is the database of another program; it must be moved away")
    }
    return false
  }

  /// Sets a new database up; SQLite does not wait by itself for another process that does so, too.
  private func startLog() throws(LibraryFault) {
    for round in 1... {
      do throws(LibraryFault) {
        try database.execute(SQL.open)
        return
      } catch {
        guard error.kind == .busy, round < 100 else { throw error }
        usleep(20_000)
      }
    }
  }

  // MARK: - Adding

  /// Adds a take whose file is in its place, or is finished elsewhere in the home folder and shall
  /// be moved there; returns it as it is now known.
  ///
  /// How long it is, the file itself says.
  @discardableResult
  package func add(_ take: Take, from path: String? = nil) throws(LibraryFault) -> Take {
    guard Take.isID(take.id) else {
      throw LibraryFault(.denied, "\(take.id) is no UUID in small letters")
    }
    let place = files.path(take.id)
    var isMoved = false
    func undo() {
      if isMoved, let path { rename(place, path) }
    }
    do throws(LibraryFault) {
      let added = try database.transaction { () throws(LibraryFault) -> Take? in
        let isKnown = try database.number(SQL.isKnown, [.text(take.id)]) == 1
        if isKnown, let path, !Files.exist(path) { return nil }
        guard !isKnown else {
          throw LibraryFault(.denied, "there is a take \(take.id) already")
        }
        var take = take
        let layout = try asLibrary { () throws(SoundFileError) in try WaveLayout(path ?? place) }
        (take.frames, take.rate, take.channels) = (layout.frames, layout.rate, layout.channels)
        try check(take)
        if let path {
          try files.move(path, to: place)
          isMoved = true
          try files.keepNames()
        }
        try insert(take)
        return take
      }
      if let added { return added }
    } catch {
      undo()
      throw error
    }
    return try readd(take)
  }

  /// Adds what another process has adopted in the moment between its end and now.
  private func readd(_ take: Take) throws(LibraryFault) -> Take {
    try edit(
      take.id,
      TakeChanges(
        title: take.title, species: take.species, notes: take.notes, message: take.message,
        image: take.image))
  }

  func insert(_ take: Take, deleted: Int? = nil) throws(LibraryFault) {
    try database.run(
      SQL.insert,
      [
        .integer(try freeNumber(take.date.microseconds)), .text(take.id), .text(take.title),
        .text(take.species), .text(take.notes), .text(take.message),
        .integer(take.date.microseconds), .integer(take.date.zoneMinutes),
        .real(take.place?.latitude), .real(take.place?.longitude), .integer(take.frames),
        .integer(take.rate), .integer(take.channels), .real(take.peak), .real(take.loudness),
        .text(take.preset), .text(take.source.rawValue), .text(take.image), .integer(deleted),
      ])
  }

  /// By how many microseconds a take's number can be behind its time.
  static var widest: Int { 1 << 24 }

  /// The time itself, or one close behind it where that is taken: of files that were copied, a
  /// great many can be of one time.
  private func freeNumber(_ time: Int) throws(LibraryFault) -> Int {
    var (number, width) = (time, 1)
    while try database.number(SQL.isTaken, [.integer(number)]) == 1 {
      width = min(width * 4, Self.widest)
      number = time + Int.random(in: 0..<width)
    }
    return number
  }

  // MARK: - Settings

  /// Reads the setting that was kept under a key; nil where none was.
  package func setting(_ key: String) throws(LibraryFault) -> String? {
    try database.rows(SQL.setting, [.text(key)]) { $0.text(0) }.first
  }

  /// Reads all settings that were kept.
  package func settings() throws(LibraryFault) -> [String: String] {
    let rows = try database.rows(SQL.settings) { ($0.text(0), $0.text(1)) }
    return Dictionary(rows) { $1 }
  }

  /// Keeps a text under a key, or nothing any more.
  package func set(_ key: String, _ value: String?) throws(LibraryFault) {
    if let value {
      try database.run(SQL.set, [.text(key), .text(value)])
    } else {
      try database.run(SQL.unset, [.text(key)])
    }
  }
}
