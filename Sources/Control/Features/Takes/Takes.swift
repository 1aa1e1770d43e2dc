internal import Engine
package import Library
internal import OSC

/// The library of takes.
package final class Takes: Feature {
  let context: Context
  /// The clips in transfer between loops and the library.
  private(set) lazy var clips = Clips(context)
  private(set) lazy var transcriber = Transcriber(context)
  /// The take or post that plays.
  private(set) lazy var playback = ItemPlayback(context, clips)
  /// The location of the node, saved with each recording; nil if unknown.
  var place: Place?
  var playsWhatIsShown = false
  // Nil without a data directory.
  private var shelf: TakeWorkers?
  // The number of takes.
  private(set) var total = 0
  // The periods of checking for changes by other programs, with and without a subscriber, in microseconds.
  private static let (shortPeriod, longPeriod) = (2e6, 30e6)
  private var nextLook = 0.0
  private var version: Int?
  // Whether the library could not be read. Another attempt would create its folder where a disk was mounted.
  private var isLost = false

  init(_ context: Context) {
    self.context = context
    shelf = context.setup.home.map(TakeWorkers.init)
    context.keeper.store = shelf
  }

  /// The data directory; nil if there is none.
  var home: String? { shelf?.home }

  var workers: [Worker] {
    [transcriber.worker] + (shelf.map { [$0.lists, $0.files] } ?? [])
  }

  var isWriting: Bool { clips.transfers > 0 }

  /// Records the origin of new clips, and purges the trash when due.
  func poll(_ now: Double) -> Int? {
    clips.followLoops()
    shelf?.tidy(now) { _ in }
    return [clips.retry(), playback.poll(), look(now)].compactMap(\.self).min()
  }

  /// Notices changes by other programs, and by work on files.
  private func look(_ now: Double) -> Int? {
    guard let shelf, !isLost, !context.keeper.isOpening else { return nil }
    let isWanted = context.isWanted(Self.changed.path) || context.isWanted(Self.total)
    let period = isWanted ? Self.shortPeriod : Self.longPeriod
    nextLook = min(nextLook, now + period)
    if now >= nextLook, shelf.lists.count == 0 {
      nextLook = now + period
      try? shelf.list { library throws(LibraryFault) in
        (try library.version(), try library.list(count: 0).total)
      } then: { [weak self] outcome in
        guard let self else { return }
        guard case .success(let (version, total)) = outcome else {
          isLost = true
          return
        }
        defer { self.version = version }
        guard let former = self.version, former != version else { return }
        updateTotal(total)
        context.announce(Self.changed, total.arguments)
      }
    }
    return max(1, Int((max(nextLook - now, 10_000) / 1000).rounded(.up)))
  }

  /// Clears the location, which belongs to the session.
  func beginSession() {
    place = nil
    context.changed(Self.location)
  }

  // MARK: - Opening

  /// Opens the library: restores settings, recovers from a crash, and purges the trash.
  ///
  /// Calls `say` with a line for each error or change.
  package func open(_ say: @escaping (String) -> Void) {
    guard let shelf else { return }
    // A new library has no settings to wait for.
    context.keeper.isOpening = TakeLibrary.isThere(home: shelf.home)
    try? shelf.list { library throws(LibraryFault) in
      (try library.settings(), try library.list(count: 0).total)
    } then: { [weak self] outcome in
      guard let self else { return }
      context.keeper.isOpening = false
      switch outcome {
      case .success(let (settings, total)):
        updateTotal(total)
        if context.keeper.keepsSettings {
          for line in context.keeper.restore(settings) { say(line) }
        }
      case .failure(let refusal): say("the library can't be opened: \(refusal.message)")
      }
    }
    try? shelf.file { library throws(LibraryFault) in
      (try library.adopt(), try library.list(count: 0).total)
    } then: { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success(let (adoption, total)):
        updateTotal(total)
        for line in adoption.lines { say(line) }
      // Errors on opening were reported above.
      case .failure(let refusal) where refusal.code != .io && refusal.code != .type:
        say("the library can't be repaired: \(refusal.message)")
      case .failure: break
      }
    }
  }

  /// Switches to the library in another data directory.
  ///
  /// No write may be in progress.
  func move(to home: String, _ say: @escaping (String) -> Void) {
    shelf = TakeWorkers(home: home)
    version = nil
    context.keeper.store = shelf
    open(say)
  }

  /// Returns the library, or throws without a data directory.
  func library() throws(Refusal) -> TakeWorkers {
    guard let shelf else {
      throw Refusal(.state, "takes need a data directory")
    }
    return shelf
  }

  private func updateTotal(_ total: Int) {
    guard shelf != nil, self.total != total else { return }
    self.total = total
    context.changed(Self.total)
  }

  // MARK: - Lists

  /// Lists takes, newest first, then their number.
  func list(_ request: Request) throws(Refusal) {
    let (offset, count) = (request.whole(0) ?? 0, request.whole(1) ?? Self.usualOnPage)
    try library().list { library throws(LibraryFault) in
      try library.list(offset: offset, count: count)
    } then: { [weak self] outcome in
      request.complete(outcome) { page in
        Self.reply(page, to: request)
        self?.isLost = false
        self?.updateTotal(page.total)
      }
    }
  }

  /// Lists the trash, last deleted first, then the number of takes.
  func listTrash(_ request: Request) throws(Refusal) {
    let (offset, count) = (request.whole(0) ?? 0, request.whole(1) ?? Self.usualOnPage)
    try library().list { library throws(LibraryFault) in
      try library.trash(offset: offset, count: count)
    } then: { outcome in
      request.complete(outcome) { page in
        request.answer(page.takes, Self.trashed, end: Self.endOfTrash, row: \.row)
      }
    }
  }

  /// Lists the takes that match a search, then their number.
  func find(_ request: Request) throws(Refusal) {
    let search = try refusing { () throws(LibraryFault) in
      try TakeSearch(query: request.text(0) ?? "")
    }
    let (offset, count) = (request.whole(1) ?? 0, request.whole(2) ?? Self.usualOnPage)
    try library().list { library throws(LibraryFault) in
      try library.find(search, offset: offset, count: count)
    } then: { outcome in
      request.complete(outcome) { page in Self.reply(page, to: request) }
    }
  }

  private static func reply(_ page: TakePage, to request: Request) {
    request.answer(page.takes, Self.take, end: Self.endOfTakes, row: \.row)
  }

  // MARK: - Single takes

  /// Replies with all details of a take, and plays it if set.
  func show(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      let take = try library.take(id)
      return (take, library.imageOrigin(take).credit)
    } then: { [weak self] outcome in
      request.complete(outcome) { take, credit throws(Refusal) in
        request.answer(Self.take, take.row)
        let texts = [
          (Self.notes, take.notes), (Self.message, take.message), (Self.image, take.image),
        ]
        for (path, text) in texts { request.answer(on: path, [.string(take.id), .string(text)]) }
        if let credit { request.answer(on: Pictures.picture, credit.row(of: take)) }
        request.answer(Self.sound, take.sound)
        request.done(take.id)
        guard let self, self.playsWhatIsShown, request.whole(1) != 0 else { return }
        try self.play(request.under(Self.play))
      }
    }
  }

  /// Changes the texts of a take.
  func edit(_ changes: TakeChanges, _ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      try library.edit(id, changes)
    } then: { [weak self] outcome in
      guard let self else { return }
      complete(request, with: outcome)
      guard case .success(let take) = outcome else { return }
      // The row of a take doesn't contain them.
      if let notes = changes.notes {
        context.announce(Self.notes, [.string(take.id), .string(notes)])
      }
      if let message = changes.message {
        context.announce(Self.message, [.string(take.id), .string(message)])
      }
      if changes.species != nil { context[Pictures.self].followSpecies(of: take, for: request) }
    }
  }

  /// Sets the location of a take, and reports a failure to the sender.
  func setPlace(_ place: Place, of id: String, _ request: Request?) throws(Refusal) {
    try library().list { library throws(LibraryFault) in
      try library.edit(id, TakeChanges(place: place))
    } then: { [weak self] outcome in
      switch outcome {
      case .success(let take): self?.announce(take)
      case .failure(let refusal): request?.refuse(refusal)
      }
    }
  }

  /// Moves a take to the trash.
  func delete(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      let take = try library.take(id)
      try library.delete(take.id)
      return (take, try library.list(count: 0).total)
    } then: { [weak self] outcome in
      request.complete(outcome) { take, total in
        self?.updateTotal(total)
        self?.context.announce(request.path, [.string(take.id)])
        request.done(take.id)
      }
    }
  }

  /// Restores a take from the trash.
  func restore(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      try library.restore(id)
    } then: { [weak self] outcome in
      self?.complete(request, with: outcome)
    }
  }

  // MARK: - Files

  /// Sets the image of a take from a file in the data directory.
  func setImage(_ request: Request) throws(Refusal) {
    let (id, file) = (request.text(0) ?? "", request.text(1) ?? "")
    let workers = try library()
    try workers.file { [home = workers.home] library throws(LibraryFault) in
      try library.setImage(id, copying: HomeFile(reading: file, home: home).path)
    } then: { [weak self] outcome in
      self?.complete(request, with: outcome)
      if case .success(let take) = outcome { self?.context[Pictures.self].announceRemoval(take.id) }
    }
  }

  /// Exports a take to a file in the data directory, in the format of its extension.
  func export(_ request: Request) throws(Refusal) {
    let (id, file) = (request.text(0) ?? "", request.text(1) ?? "")
    let workers = try library()
    try workers.file { [home = workers.home] library throws(LibraryFault) in
      let take = try library.take(id)
      let file = try HomeFile(writing: file, home: home)
      try library.export(take.id, to: file.path)
      return (take, file.path)
    } then: { outcome in
      request.complete(outcome) { take, path in request.done(take.id, path) }
    }
  }

  /// Copies an audio file in the data directory into the library.
  func importFile(_ request: Request) throws(Refusal) {
    let file = request.text(0) ?? ""
    let workers = try library()
    try workers.file { [home = workers.home] library throws(LibraryFault) in
      try library.importFile(HomeFile(reading: file, home: home).path)
    } then: { [weak self] outcome in
      self?.complete(request, with: outcome)
    }
  }

  // MARK: - Updates

  /// Reports the result to the sender, and announces the take.
  func complete(_ request: Request, with outcome: Result<Take, Refusal>) {
    request.complete(outcome) { take in
      announce(take)
      request.done(take.id, take.title)
    }
  }

  /// Announces a new or changed take to subscribers.
  func announce(_ take: Take) {
    context.announce(Self.take, take.row)
    try? shelf?.list { library throws(LibraryFault) in
      try library.list(count: 0).total
    } then: { [weak self] outcome in
      if case .success(let total) = outcome { self?.updateTotal(total) }
    }
  }
}

extension Node {
  /// Sets the location of the node, like a message from a client.
  package func move(to place: Place) throws(Refusal) {
    try perform(Takes.location, [.double(place.latitude), .double(place.longitude)])
  }

  /// Follows a receiver: sets the location of the node once it is `meters` from the last one.
  package func follow(_ fix: Place, meters: Double) {
    if let here = self[Takes.self].place, here.kilometers(to: fix) * 1000 < meters { return }
    try? move(to: fix)
  }

  /// Switches to the library in another data directory.
  ///
  /// No write may be in progress.
  package func moveTakes(to home: String, _ say: @escaping (String) -> Void) {
    setHomeOfBoard(home)
    context[Takes.self].move(to: home, say)
  }
}
