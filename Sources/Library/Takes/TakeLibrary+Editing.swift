internal import Glibc
internal import Posix
internal import SQLite
internal import SoundFiles

extension TakeLibrary {
  /// Changes what people write of a take, in its row and its file.
  ///
  /// Without a title it is called after the time of day again.
  @discardableResult
  package func edit(_ id: String, _ changes: TakeChanges) throws(LibraryFault) -> Take {
    let id = try take(id).id
    let (former, new) = try database.transaction { () throws(LibraryFault) in
      let former = try row(id)
      var new = former
      if let title = changes.title {
        new.title = title.isEmpty ? Take.title(for: former.date) : title
      }
      new.species = changes.species ?? former.species
      new.notes = changes.notes ?? former.notes
      new.message = changes.message ?? former.message
      new.image = changes.image ?? former.image
      try check(new)
      if new != former { try database.run(SQL.change, Self.changed(new)) }
      return (former, new)
    }
    guard new != former else { return new }
    do throws(LibraryFault) {
      try tell(id)
    } catch {
      try? database.transaction { () throws(LibraryFault) in
        // Unless somebody else has changed it since.
        guard try row(id) == new else { return }
        try database.run(SQL.change, Self.changed(former))
        try database.run(SQL.setTold, [.text(id)])
      }
      throw error
    }
    return new
  }

  private static func changed(_ take: Take) -> [StatementValue] {
    [take.id, take.title, take.species, take.notes, take.message, take.image].map { .text($0) }
  }

  /// Tells a take's file what its row says; nobody else can meanwhile.
  func tell(_ id: String) throws(LibraryFault) {
    try database.transaction { () throws(LibraryFault) in
      let (take, path) = (try row(id), files.path(id))
      try asLibrary { () throws(SoundFileError) in
        let tags = try WaveTags.read(path)
        try WaveTags.replace(path, with: take.tags(loop: tags.loop, beat: tags.beat))
      }
      try database.run(SQL.setTold, [.text(id)])
    }
  }

  /// Gives a take an image, of which the ending says what it is; a former one goes.
  @discardableResult
  package func setImage(
    _ id: String, _ bytes: [UInt8], ending: String
  ) throws(LibraryFault) -> Take {
    let take = try putImage(id, bytes, ending: ending)
    forgetPicture(take.id)
    return take
  }

  /// Gives a take an image, and leaves the credit alone.
  func putImage(
    _ id: String, _ bytes: [UInt8], ending: String
  ) throws(LibraryFault) -> Take {
    let take = try take(id)
    let name = "\(take.id).\(ending.lowercased())"
    guard TakeFiles.isImage(name, of: take.id) else {
      throw LibraryFault(.denied, "an image ends with letters such as jpg or png; got \(ending)")
    }
    try asLibrary { () throws(SystemError) in
      let replacement = try Replacement(of: files.image(name))
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          write(replacement.descriptor.number, $0.baseAddress! + done, bytes.count - done)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SystemError(files.image(name)) }
        done += count
      }
      try replacement.complete()
    }
    let new: Take
    do throws(LibraryFault) {
      new = try edit(take.id, TakeChanges(image: name))
    } catch {
      if take.image != name { Files.remove(files.image(name)) }
      throw error
    }
    if !take.image.isEmpty, take.image != name { Files.remove(files.image(take.image)) }
    return new
  }

  /// Takes a take's image from it, if it has one.
  @discardableResult
  package func removeImage(_ id: String) throws(LibraryFault) -> Take {
    let take = try take(id)
    let new = try edit(take.id, TakeChanges(image: ""))
    if !take.image.isEmpty { Files.remove(files.image(take.image)) }
    forgetPicture(take.id)
    return new
  }

  /// Throws where something about a take can't be as it is.
  func check(_ take: Take) throws(LibraryFault) {
    let limits = [
      ("title", take.title, 200), ("species", take.species, 200), ("notes", take.notes, 20_000),
      ("message", take.message, 2000), ("preset", take.preset, 200),
    ]
    for (name, text, most) in limits {
      guard text.utf8.count <= most else {
        throw LibraryFault(
          .range, "\(name) takes \(most) bytes at most; got \(text.utf8.count)")
      }
      let isPlain = text.unicodeScalars.allSatisfy {
        $0.value >= 32 || (name == "notes" || name == "message") && ($0 == "\n" || $0 == "\t")
      }
      guard isPlain else {
        throw LibraryFault(.range, "\(name) takes no control characters")
      }
    }
    guard take.image.isEmpty || TakeFiles.isImage(take.image, of: take.id) else {
      throw LibraryFault(
        .denied, "the image of a take is called \(take.id).jpg, or .png and the like")
    }
  }
}
