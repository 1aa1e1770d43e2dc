internal import Glibc
internal import Posix

/// The files of a take library, and their paths.
struct TakeFiles {
  static let ending = ".wav"
  static let recordingEnding = ".wav.part"
  static let copyEnding = ".wav.copy"
  static let creditEnding = ".picture.json"
  /// The possible file extensions of a thumbnail.
  static let smallEndings = ["jpg", "png", "gif", "webp"]

  let home: String
  let folder: String
  let trash: String
  let database: String
  /// The user's optional list of species.
  let species: String

  init(home: String) {
    self.home = home
    folder = "\(home)/takes"
    trash = "\(home)/takes/trash"
    database = "\(home)/library.sqlite"
    species = "\(home)/species.txt"
  }

  // MARK: - Names

  func path(_ id: String, inTrash: Bool = false) -> String {
    (inTrash ? trash : folder) + "/" + id + Self.ending
  }

  /// Returns the path of a take's image.
  func image(_ name: String, inTrash: Bool = false) -> String {
    (inTrash ? trash : folder) + "/" + name
  }

  /// Returns the path of the attribution of a take's picture.
  func credit(_ id: String) -> String { "\(folder)/\(id)\(Self.creditEnding)" }

  /// Returns the path of the thumbnail of a take's picture.
  func small(_ id: String, ending: String) -> String { "\(folder)/\(id).small.\(ending)" }

  /// Returns the names of the existing attribution and thumbnails of a take's picture.
  func besides(_ id: String, inTrash: Bool = false) -> [String] {
    ([Self.creditEnding] + Self.smallEndings.map { ".small.\($0)" }).map { id + $0 }
      .filter { Files.exist(image($0, inTrash: inTrash)) }
  }

  /// Returns the path of a take during recording.
  func recording(_ id: String) -> String { "\(folder)/\(id)\(Self.recordingEnding)" }

  /// Returns the path of a take during an import.
  func copy(_ id: String) -> String { "\(folder)/\(id)\(Self.copyEnding)" }

  /// The takes and images in a folder.
  struct Contents {
    var takes: Set<String> = []
    var images: [String: String] = [:]
  }

  func contents(inTrash: Bool = false) -> Contents {
    var contents = Contents()
    for name in Files.names(in: inTrash ? trash : folder) {
      let bytes = name.utf8
      guard let end = bytes.index(bytes.startIndex, offsetBy: 36, limitedBy: bytes.endIndex),
        Take.isID(name[..<end])
      else { continue }
      let id = String(name[..<end])
      switch name[end...] {
      case Self.ending: contents.takes.insert(id)
      default: if Self.isImage(name, of: id) { contents.images[id] = name }
      }
    }
    return contents
  }

  /// Whether a name is valid for a take's image.
  static func isImage(_ name: String, of id: String) -> Bool {
    let ending = name.dropFirst(id.utf8.count + 1)
    return name.hasPrefix(id + ".") && (1...8).contains(ending.utf8.count) && ending != "wav"
      && ending.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
  }

  // MARK: - Changes

  func makeFolders() throws(LibraryFault) {
    if Files.isFolder(trash), access(folder, W_OK) == 0 { return }
    try system(try Files.makeFolder(trash), or: LibraryFault.init)
  }

  /// Moves a file.
  ///
  /// Throws if the target exists.
  func move(_ path: String, to other: String) throws(LibraryFault) {
    guard !Files.exist(other) else { throw LibraryFault(SystemError(other, code: EEXIST)) }
    guard rename(path, other) == 0 else { throw LibraryFault(SystemError(path)) }
  }

  /// Moves a take, its image and the image's attribution and thumbnail to or from the trash.
  ///
  /// Rolls back on failure.
  func move(_ take: Take, toTrash: Bool) throws(LibraryFault) {
    var names = [take.id + Self.ending]
    if !take.image.isEmpty, Files.exist(image(take.image, inTrash: !toTrash)) {
      names.append(take.image)
    }
    let besides = besides(take.id, inTrash: !toTrash)
    // Leftovers of an interrupted move.
    for name in besides { Files.remove(image(name, inTrash: toTrash)) }
    var moved: [String] = []
    do throws(LibraryFault) {
      for name in names + besides {
        try move(image(name, inTrash: !toTrash), to: image(name, inTrash: toTrash))
        moved.append(name)
      }
    } catch {
      for name in moved { rename(image(name, inTrash: toTrash), image(name, inTrash: !toTrash)) }
      throw error
    }
    try keepNames()
  }

  /// Permanently deletes a take in the trash, with its image.
  func delete(_ take: Take) throws(LibraryFault) {
    let paths =
      [path(take.id, inTrash: true)]
      + (take.image.isEmpty ? [] : [image(take.image, inTrash: true)])
      + besides(take.id, inTrash: true).map { image($0, inTrash: true) }
    for path in paths {
      guard unlink(path) == 0 || errno == ENOENT else { throw LibraryFault(SystemError(path)) }
    }
  }

  /// Fsyncs the trash, so that deletions are durable.
  func keepTrash() throws(LibraryFault) {
    try system(try Files.keep(folder: trash), or: LibraryFault.init)
  }

  /// Fsyncs both folders, so that renames are durable.
  func keepNames() throws(LibraryFault) {
    for path in [folder, trash] {
      try system(try Files.keep(folder: path), or: LibraryFault.init)
    }
  }

  // MARK: - Times

  /// Returns the inode change time of a file, which includes renames, in nanoseconds.
  ///
  /// 0 if the file is missing.
  func changed(_ path: String) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
  }

  /// Returns the modification date of a file's content.
  static func modified(_ path: String) -> ZonedDate? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return ZonedDate(
      microseconds: status.st_mtim.tv_sec * 1_000_000 + status.st_mtim.tv_nsec / 1000)
  }
}
