internal import Glibc
internal import JSON
internal import Posix
internal import SQLite
internal import SoundFiles

/// The take library of a data directory: the takes' files, and a database to find them.
///
/// The files are authoritative. Each contains all metadata of its take, and `reindex` can rebuild
/// the database from them. Changes are ordered such that after a crash at any time, `adopt` can
/// reconcile files and rows:
///
/// - Adding writes the file first, then the row. A file without a row gets one.
/// - Editing changes the row first, marked `untold`, then the file. `adopt` writes marked rows to
///   their files.
/// - Deleting and restoring move the file inside a transaction. If a row and its file disagree, the
///   take is in the trash.
/// - Permanent deletion removes the row first, then the file. A file in the trash without a row
///   gets one, with the time at which it was moved there, and is deleted the next time.
///
/// Use it from one thread at a time. Any number of processes may use it. Functions block on disk
/// access. When they return, the change is durable, even after a power failure: SQLite fsyncs each
/// transaction (`synchronous = FULL`), which is fast enough for edits by people.
package final class TakeLibrary {
  // Exceeds what the log holds between two checkpoints, 1 MB.
  private static let reserveBytes = 2 << 20

  let files: TakeFiles
  let database: LibraryDatabase
  // The change time of the species list that is loaded into this connection, or nil before that.
  var speciesListChanged: Int?

  /// Opens the library in a data directory, which is created if needed.
  ///
  /// On a read-only file system, an existing library can be read. `waitMilliseconds` is the timeout for
  /// another process's write lock.
  package init(home: String, waitMilliseconds: Int = 5000) throws(LibraryFault) {
    files = TakeFiles(home: home)
    let isReadOnly = Self.isThere(home: home) && Files.isOnReadOnlyDisk(files.database)
    if !isReadOnly { try files.makeFolders() }
    database = try LibraryDatabase(
      files.database, waitMilliseconds: Int32(clamping: waitMilliseconds), isReadOnly: isReadOnly,
      reserveBytes: isReadOnly ? nil : Self.reserveBytes)
    database.addDistance()
    try database.prepare(SQL.schema)
  }

  /// Whether it was opened on a read-only file system, which is writable by now.
  package var isOutdated: Bool {
    database.isReadOnly && !Files.isOnReadOnlyDisk(files.database)
  }

  /// Returns a number that differs from the last one if anyone else has changed the library since.
  package func version() throws(LibraryFault) -> Int { try database.number(SQL.version, []) }

  /// Whether a data directory contains a library.
  package static func isThere(home: String) -> Bool {
    Files.exist(TakeFiles(home: home).database)
  }

  /// Returns the path of a take's file.
  package func path(_ take: Take) -> String { files.path(take.id) }

  /// Returns the path of the file of a take in the trash.
  package func trashPath(_ take: Take) -> String { files.path(take.id, inTrash: true) }

  /// Returns the path of a take's image, or nil if it has none.
  package func imagePath(_ take: Take) -> String? {
    take.image.isEmpty ? nil : files.image(take.image)
  }

  /// Returns all metadata of a take as one line of JSON, with the attribution of a downloaded
  /// picture and the paths of its file and image.
  package func json(_ take: Take, inTrash: Bool = false) -> String {
    let credit = inTrash ? nil : imageOrigin(take).credit
    let image = take.image.isEmpty ? nil : files.image(take.image, inTrash: inTrash)
    let own: [(String, any JSONWritable)] = [
      ("picture", credit.map { JSONText($0.members) }),
      ("path", files.path(take.id, inTrash: inTrash)), ("imagePath", image),
    ]
    return JSONText(take.members + own).text
  }

  /// Returns the path at which `WaveWriter` records a take until it is added.
  ///
  /// After a crash, `adopt` finds the file there.
  package func recordingPath(_ id: String) -> String { files.recording(id) }

  /// Returns the recording path in a data directory whose database may be locked or damaged.
  ///
  /// Creates the folder if needed.
  package static func recordingPath(
    _ id: String, home: String
  ) throws(LibraryFault) -> String {
    let files = TakeFiles(home: home)
    try files.makeFolders()
    return files.recording(id)
  }

  // MARK: - Adding

  /// Adds a take whose file is in place, or complete at `path` in the data directory and to be
  /// moved.
  ///
  /// Returns the take as stored.
  ///
  /// Length, rate and channels are read from the file.
  @discardableResult
  package func add(_ take: Take, from path: String? = nil) throws(LibraryFault) -> Take {
    guard Take.isID(take.id) else {
      throw LibraryFault(.denied, "\(take.id) is not a lowercase UUID")
    }
    let place = files.path(take.id)
    // The path from which the file was moved.
    var former: String?
    let added = try database.transaction(undo: { if let former { rename(place, former) } }) {
      () throws(LibraryFault) -> Take? in
      let isKnown = try database.number(SQL.isKnown, [.text(take.id)]) == 1
      if isKnown, let path, !Files.exist(path) { return nil }
      guard !isKnown else {
        throw LibraryFault(.denied, "take \(take.id) already exists")
      }
      var take = take
      let layout = try asLibrary { () throws(SoundFileError) in try WaveLayout(path ?? place) }
      (take.frames, take.rate, take.channels) = (layout.frames, layout.rate, layout.channels)
      try check(take)
      if let path {
        try files.move(path, to: place)
        former = path
        try files.keepNames()
      }
      try insert(take)
      return take
    }
    if let added { return added }
    return try readd(take)
  }

  /// Updates a take that another process adopted just before it could be added.
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

  /// The maximum distance of a take's row number from its time, in microseconds.
  static var widest: Int { 1 << 24 }

  /// Returns the time, or a free number shortly after it.
  ///
  /// Many copied files can share one time.
  private func freeNumber(_ time: Int) throws(LibraryFault) -> Int {
    var (number, width) = (time, 1)
    while try database.number(SQL.isTaken, [.integer(number)]) == 1 {
      width = min(width * 4, Self.widest)
      number = time + Int.random(in: 0..<width)
    }
    return number
  }

  // MARK: - Settings

  /// Returns the value of a setting, or nil if unset.
  package func setting(_ key: String) throws(LibraryFault) -> String? {
    try database.rows(SQL.setting, [.text(key)]) { $0.text(0) }.first
  }

  /// Returns all settings.
  package func settings() throws(LibraryFault) -> [String: String] {
    let rows = try database.rows(SQL.settings) { ($0.text(0), $0.text(1)) }
    return Dictionary(rows) { $1 }
  }

  /// Stores a setting, or removes it if the value is nil.
  package func set(_ key: String, _ value: String?) throws(LibraryFault) {
    if let value {
      try database.run(SQL.set, [.text(key), .text(value)])
    } else {
      try database.run(SQL.unset, [.text(key)])
    }
  }
}
