internal import Posix
internal import SQLite
internal import SoundFiles

extension TakeLibrary {
  /// Changes user-editable fields of a take, in its row and its file.
  ///
  /// An empty title is replaced by the time of day.
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
      new.place = changes.place ?? former.place
      try check(new)
      if new != former { try database.run(SQL.change, Self.changed(new)) }
      return (former, new)
    }
    guard new != former else { return new }
    do throws(LibraryFault) {
      try tell(id)
    } catch {
      try? database.transaction { () throws(LibraryFault) in
        // Unless another process has changed it since.
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
      + [.real(take.place?.latitude), .real(take.place?.longitude)]
  }

  /// Writes a take's row to the tags of its file, under the database lock.
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

  /// Sets a take's image and removes an earlier one.
  ///
  /// The extension determines the format.
  @discardableResult
  package func setImage(
    _ id: String, _ bytes: [UInt8], ending: String
  ) throws(LibraryFault) -> Take {
    let take = try putImage(id, bytes, ending: ending)
    forgetPicture(take.id)
    return take
  }

  /// Sets a take's image without touching the attribution.
  func putImage(
    _ id: String, _ bytes: [UInt8], ending: String
  ) throws(LibraryFault) -> Take {
    let take = try take(id)
    let name = "\(take.id).\(ending.lowercased())"
    guard TakeFiles.isImage(name, of: take.id) else {
      throw LibraryFault(.denied, "expected an image extension such as jpg or png; got \(ending)")
    }
    try system(try Files.write(bytes, to: files.image(name)), or: LibraryFault.init)
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

  /// Removes a take's image, if any.
  @discardableResult
  package func removeImage(_ id: String) throws(LibraryFault) -> Take {
    let take = try take(id)
    let new = try edit(take.id, TakeChanges(image: ""))
    if !take.image.isEmpty { Files.remove(files.image(take.image)) }
    forgetPicture(take.id)
    return new
  }

  /// Validates the fields of a take.
  func check(_ take: Take) throws(LibraryFault) {
    let limits = [
      ("title", take.title, 200), ("species", take.species, 200), ("notes", take.notes, 20_000),
      ("message", take.message, 2000), ("preset", take.preset, 200),
    ]
    for (name, text, most) in limits {
      guard text.utf8.count <= most else {
        throw LibraryFault(
          .range, "\(name) has \(text.utf8.count) bytes; the limit is \(most)")
      }
      let isPlain = text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control
          || (name == "notes" || name == "message") && ($0 == "\n" || $0 == "\t")
      }
      guard isPlain else {
        throw LibraryFault(.range, "\(name) takes no control characters")
      }
    }
    guard take.image.isEmpty || TakeFiles.isImage(take.image, of: take.id) else {
      throw LibraryFault(
        .denied, "the image of a take must be named \(take.id).jpg or similar")
    }
  }
}
