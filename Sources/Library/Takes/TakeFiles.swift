internal import Glibc
internal import Posix

/// The files of a library of takes, and their paths.
struct TakeFiles {
  static let ending = ".wav"
  static let recordingEnding = ".wav.part"
  static let copyEnding = ".wav.copy"
  static let creditEnding = ".picture.json"
  /// The endings that the small copy of a picture can have.
  static let smallEndings = ["jpg", "png", "gif", "webp"]

  let home: String
  let folder: String
  let trash: String
  let database: String
  /// The list of species that the user may put in.
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

  /// Names the path of a take's image.
  func image(_ name: String, inTrash: Bool = false) -> String {
    (inTrash ? trash : folder) + "/" + name
  }

  /// Names the path of the credit of a take's picture.
  func credit(_ id: String) -> String { "\(folder)/\(id)\(Self.creditEnding)" }

  /// Names the path of the small copy of a take's picture.
  func small(_ id: String, ending: String) -> String { "\(folder)/\(id).small.\(ending)" }

  /// Names the files that are there beside a take's picture.
  func besides(_ id: String, inTrash: Bool = false) -> [String] {
    ([Self.creditEnding] + Self.smallEndings.map { ".small.\($0)" }).map { id + $0 }
      .filter { Files.exist(image($0, inTrash: inTrash)) }
  }

  /// Names the path of a take while it is recorded.
  func recording(_ id: String) -> String { "\(folder)/\(id)\(Self.recordingEnding)" }

  /// Names the path of a take while it is copied from elsewhere.
  func copy(_ id: String) -> String { "\(folder)/\(id)\(Self.copyEnding)" }

  /// The takes and images of a folder.
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

  /// Whether a name can be that of a take's image.
  static func isImage(_ name: String, of id: String) -> Bool {
    let ending = name.dropFirst(id.utf8.count + 1)
    return name.hasPrefix(id + ".") && (1...8).contains(ending.utf8.count) && ending != "wav"
      && ending.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
  }

  // MARK: - Changes

  func makeFolders() throws(LibraryFault) {
    try asLibrary { () throws(SystemError) in
      if !Files.isFolder(trash) || access(folder, W_OK) != 0 { try Files.makeFolder(trash) }
    }
  }

  /// Moves a file to where nothing may be yet.
  func move(_ path: String, to other: String) throws(LibraryFault) {
    try asLibrary { () throws(SystemError) in
      guard !Files.exist(other) else { throw SystemError(other, code: EEXIST) }
      guard rename(path, other) == 0 else { throw SystemError(path) }
    }
  }

  /// Moves a take, its image and what lies beside that to the trash or out of it: all or none.
  func move(_ take: Take, toTrash: Bool) throws(LibraryFault) {
    var names = [take.id + Self.ending]
    if !take.image.isEmpty, Files.exist(image(take.image, inTrash: !toTrash)) {
      names.append(take.image)
    }
    let besides = besides(take.id, inTrash: !toTrash)
    // Left there by a move that was broken off, it belongs to nothing.
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

  /// Deletes a take in the trash, with its image, for good.
  func delete(_ take: Take) throws(LibraryFault) {
    let paths =
      [path(take.id, inTrash: true)]
      + (take.image.isEmpty ? [] : [image(take.image, inTrash: true)])
      + besides(take.id, inTrash: true).map { image($0, inTrash: true) }
    try asLibrary { () throws(SystemError) in
      for path in paths {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError(path) }
      }
    }
  }

  /// Waits until the names of all files are on the disk.
  func keepNames() throws(LibraryFault) {
    try asLibrary { () throws(SystemError) in
      for path in [folder, trash] {
        let descriptor = try Descriptor(
          open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY), orThrow: path)
        // Some file systems have nothing to do for a folder, and say so.
        guard fsync(descriptor.number) == 0 || errno == EINVAL else { throw SystemError(path) }
      }
    }
  }

  // MARK: - Times

  /// Reads the time at which a file, or its name, was changed last, in nanoseconds; 0 where there
  /// is none.
  func changed(_ path: String) -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { return 0 }
    return status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec
  }

  /// Reads the date at which the content of a file was changed last.
  static func modified(_ path: String) -> ZonedDate? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return ZonedDate(
      microseconds: status.st_mtim.tv_sec * 1_000_000 + status.st_mtim.tv_nsec / 1000)
  }
}
