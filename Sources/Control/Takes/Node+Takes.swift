internal import OSC
internal import Takes

/// The library of takes, as it is asked for and told over OSC.
extension Node {
  // MARK: - Opening

  /// Opens the library: takes over the settings that were kept, mends what a crash left, and
  /// empties the trash of what is old.
  ///
  /// `say` is given a line for each thing that somebody should know.
  package func openLibrary(_ say: @escaping (String) -> Void) {
    guard let takes else { return }
    // In a new library nothing is kept that could be waited for.
    isOpening = TakeLibrary.isThere(home: takes.home)
    try? takes.list { library throws(LibraryFault) in
      (try library.settings(), try library.list(count: 0).total)
    } then: { [weak self] outcome in
      guard let self else { return }
      isOpening = false
      switch outcome {
      case .success(let (settings, total)):
        tellTotal(total)
        // A session has its own.
        if stateDesk.keepsSettings { for line in restore(settings) { say(line) } }
      case .failure(let refusal): say("the library of takes can't be used: \(refusal.message)")
      }
    }
    try? takes.file { library throws(LibraryFault) in
      (try library.adopt(), try library.list(count: 0).total)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let (adoption, total)):
        tellTotal(total)
        for line in adoption.lines { say(line) }
      // What can't be opened was told of above.
      case .failure(let refusal) where refusal.code != .io && refusal.code != .type:
        say("the library of takes is not mended: \(refusal.message)")
      case .failure: break
      }
    }
  }

  /// The library, where there is one.
  func library() throws(Refusal) -> TakeDesk {
    guard let takes else {
      throw Refusal(.state, "this node has no home folder, and thus no takes")
    }
    return takes
  }

  func tellTotal(_ total: Int) {
    guard let takes, takes.total != total else { return }
    takes.total = total
    feedback.changed("/takes/total")
  }

  // MARK: - Lists

  /// Answers with takes, newest first, and then with how many those were.
  func listTakes(offset: Int, count: Int, for client: Client?) throws(Refusal) {
    try library().list { library throws(LibraryFault) in
      try library.list(offset: offset, count: count)
    } then: { [weak self] outcome in
      self?.tell(outcome, of: "/takes", isAll: true, to: client)
    }
  }

  /// Answers likewise with those for which a search holds.
  func findTakes(
    _ query: String, offset: Int, count: Int, for client: Client?
  ) throws(Refusal) {
    let search: TakeSearch
    do throws(LibraryFault) {
      search = try TakeSearch(query: query)
    } catch {
      throw Refusal(.range, error.message)
    }
    try library().list { library throws(LibraryFault) in
      try library.find(search, offset: offset, count: count)
    } then: { [weak self] outcome in
      self?.tell(outcome, of: "/takes/find", isAll: false, to: client)
    }
  }

  private func tell(
    _ outcome: Result<TakePage, Refusal>, of path: String, isAll: Bool, to client: Client?
  ) {
    switch outcome {
    case .success(let page):
      for take in page.takes { reply("/take", take.row, to: client) }
      reply("/takes/end", [.int32(Int32(page.takes.count))], to: client)
      if isAll { tellTotal(page.total) }
    case .failure(let refusal): answer(refusal, to: path, from: client)
    }
  }

  // MARK: - One take

  /// Answers with all that is known of a take, and plays it where that is set.
  func showTake(_ id: String, for client: Client?) throws(Refusal) {
    try library().list { library throws(LibraryFault) in
      try library.take(id)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let take):
        reply("/take", take.row, to: client)
        for (path, text) in take.texts {
          reply(path, [.string(take.id), .string(text)], to: client)
        }
        reply("/take/sound", take.sound, to: client)
        reply("/reply", [.string("/take/show"), .string(take.id)], to: client)
        if playsWhatIsShown {
          do throws(Refusal) {
            try playTake(take.id, for: client)
          } catch {
            answer(error, to: "/take/show", from: client)
          }
        }
      case .failure(let refusal): answer(refusal, to: "/take/show", from: client)
      }
    }
  }

  /// Changes what people write of a take.
  func editTake(
    _ id: String, _ changes: TakeChanges, path: String, for client: Client?
  ) throws(Refusal) {
    try library().list { library throws(LibraryFault) in
      try library.edit(id, changes)
    } then: { [weak self] outcome in
      self?.tell(outcome, of: path, to: client)
    }
  }

  /// Gives a take the image in a file of the home folder.
  func setImage(_ id: String, file: String, for client: Client?) throws(Refusal) {
    let takes = try library()
    try takes.file { [home = takes.home] library throws(LibraryFault) in
      try library.setImage(id, copying: HomeFile(reading: file, home: home))
    } then: { [weak self] outcome in
      self?.tell(outcome, of: "/take/image", to: client)
    }
  }

  /// Moves a take to the trash.
  func deleteTake(_ id: String, for client: Client?) throws(Refusal) {
    try library().list { library throws(LibraryFault) in
      let take = try library.take(id)
      try library.delete(take.id)
      return (take, try library.list(count: 0).total)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let (take, total)):
        tellTotal(total)
        feedback.announce("/take/delete", [.string(take.id)], by: outlet)
        reply("/reply", [.string("/take/delete"), .string(take.id)], to: client)
      case .failure(let refusal): answer(refusal, to: "/take/delete", from: client)
      }
    }
  }

  /// Takes a take out of the trash again.
  func restoreTake(_ id: String, for client: Client?) throws(Refusal) {
    try library().list { library throws(LibraryFault) in
      try library.restore(id)
    } then: { [weak self] outcome in
      self?.tell(outcome, of: "/take/restore", to: client)
    }
  }

  /// Writes a take to a file of the home folder, in the format of its ending.
  func exportTake(_ id: String, file: String, for client: Client?) throws(Refusal) {
    let takes = try library()
    try takes.file { [home = takes.home] library throws(LibraryFault) in
      let take = try library.take(id)
      let file = try HomeFile(writing: file, home: home)
      try library.export(take.id, to: file.path)
      return (take, file.path)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let (take, path)):
        reply(
          "/reply", [.string("/take/export"), .string(take.id), .string(path)], to: client)
      case .failure(let refusal): answer(refusal, to: "/take/export", from: client)
      }
    }
  }

  /// Copies a sound file of the home folder into the library.
  func importTake(file: String, for client: Client?) throws(Refusal) {
    let takes = try library()
    try takes.file { [home = takes.home] library throws(LibraryFault) in
      try library.importFile(HomeFile(reading: file, home: home).path)
    } then: { [weak self] outcome in
      self?.tell(outcome, of: "/take/import", to: client)
    }
  }

  /// Tells what has become of a take: all who want to know of takes, and who asked for it.
  func tell(_ outcome: Result<Take, Refusal>, of path: String, to client: Client?) {
    switch outcome {
    case .success(let take):
      tellChanged(take)
      reply(
        "/reply", [.string(path), .string(take.id), .string(take.title)], to: client)
    case .failure(let refusal): answer(refusal, to: path, from: client)
    }
  }

  /// Tells all who want to know of takes that one is new, or another than it was.
  func tellChanged(_ take: Take) {
    feedback.announce("/take", take.row, by: outlet)
    try? takes?.list { library throws(LibraryFault) in
      try library.list(count: 0).total
    } then: { [weak self] outcome in
      if case .success(let total) = outcome { self?.tellTotal(total) }
    }
  }
}

extension Take {
  /// What a list tells of it.
  fileprivate var row: [Argument] {
    [
      .string(id), .string(title), .string(species), .string(date.text), .float(Float(seconds)),
      .float(place.map { Float($0.latitude) } ?? .nan),
      .float(place.map { Float($0.longitude) } ?? .nan),
    ]
  }

  /// What people wrote of it beyond that, by address.
  fileprivate var texts: [(String, String)] {
    [("/take/notes", notes), ("/take/message", message), ("/take/image", image)]
  }

  /// What is known of its sound.
  fileprivate var sound: [Argument] {
    [
      .string(id), .string(source.rawValue), .string(preset), .int32(Int32(clamping: rate)),
      .int32(Int32(clamping: channels)), .float(peak.map { Float($0) } ?? -.infinity),
      .float(loudness.map { Float($0) } ?? -.infinity),
    ]
  }
}

extension Adoption {
  /// What somebody should know of it.
  fileprivate var lines: [String] {
    var lines = unreadable
    if !recovered.isEmpty {
      lines.append("recordings that had not been ended are takes now: \(Self.list(recovered))")
    }
    let others = adopted.filter { !recovered.contains($0) }
    if !others.isEmpty {
      lines.append("files that the library did not know are takes now: \(Self.list(others))")
    }
    if !gone.isEmpty {
      lines.append("takes whose files have gone are forgotten: \(Self.list(gone))")
    }
    return lines
  }

  private static func list(_ ids: [String]) -> String {
    ids.count > 5
      ? ids.prefix(5).joined(separator: " ") + " and \(ids.count - 5) more"
      : ids.joined(separator: " ")
  }
}
