internal import Engine
internal import Library
internal import OSC

/// The library of takes, as it is asked for and told.
final class Takes: Feature {
  let context: Context
  /// The clips between the loop and the library.
  private(set) lazy var clips = Clips(context)
  private(set) lazy var transcriber = Transcriber(context)
  /// The place of the node, where that is known: kept with what is recorded from now on.
  var place: Place?
  var playsWhatIsShown = false
  // Nil where there is no home folder.
  private var shelf: TakeWorkers?
  // How many takes there are, as far as is known.
  private(set) var total = 0

  init(_ context: Context) {
    self.context = context
    shelf = context.setup.home.map(TakeWorkers.init)
    context.keepSettings(in: shelf)
  }

  /// The home folder; nil where there is none.
  var home: String? { shelf?.home }

  var workers: [Worker] {
    [transcriber.worker] + (shelf.map { [$0.lists, $0.files] } ?? [])
  }

  var isWriting: Bool { clips.underWay > 0 }

  /// Follows the loop, and empties the trash when that is due.
  func poll(_ now: Double) -> Int? {
    clips.followLoops()
    shelf?.tidy(now) { _ in }
    return nil
  }

  /// Forgets the place, which the session before had.
  func beginSession() {
    place = nil
    context.changed(Self.location)
  }

  // MARK: - Opening

  /// Opens the library: takes over the settings that were kept, mends what a crash left, and
  /// empties the trash of what is old.
  ///
  /// `say` is given a line for each thing that somebody should know.
  func open(_ say: @escaping (String) -> Void) {
    guard let shelf else { return }
    // In a new library nothing is kept that could be waited for.
    context.isOpening = TakeLibrary.isThere(home: shelf.home)
    try? shelf.list { library throws(LibraryFault) in
      (try library.settings(), try library.list(count: 0).total)
    } then: { [weak self] outcome in
      guard let self else { return }
      context.isOpening = false
      switch outcome {
      case .success(let (settings, total)):
        tellTotal(total)
        for line in context.restore(settings) { say(line) }
      case .failure(let refusal): say("the library of takes can't be used: \(refusal.message)")
      }
    }
    try? shelf.file { library throws(LibraryFault) in
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

  /// Goes over to the takes of another folder, when nothing is on its way to the disk.
  func move(to home: String, _ say: @escaping (String) -> Void) {
    shelf = TakeWorkers(home: home)
    context.keepSettings(in: shelf)
    open(say)
  }

  /// The library, where there is one.
  func library() throws(Refusal) -> TakeWorkers {
    guard let shelf else {
      throw Refusal(.state, "this node has no home folder, and thus no takes")
    }
    return shelf
  }

  private func tellTotal(_ total: Int) {
    guard shelf != nil, self.total != total else { return }
    self.total = total
    context.changed(Self.total)
  }

  // MARK: - Lists

  /// Answers with takes, newest first, and then with how many those were.
  func list(_ request: Request) throws(Refusal) {
    let (offset, count) = (request.whole(0) ?? 0, request.whole(1) ?? Self.usualOnPage)
    try library().list { library throws(LibraryFault) in
      try library.list(offset: offset, count: count)
    } then: { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        let page = try outcome.get()
        Self.tell(page, request)
        self?.tellTotal(page.total)
      }
    }
  }

  /// Answers with takes in the trash, the last deleted one first, and then with how many those were.
  func listTrash(_ request: Request) throws(Refusal) {
    let (offset, count) = (request.whole(0) ?? 0, request.whole(1) ?? Self.usualOnPage)
    try library().list { library throws(LibraryFault) in
      try library.trash(offset: offset, count: count)
    } then: { outcome in
      request.attempt { () throws(Refusal) in
        let takes = try outcome.get().takes
        for take in takes { request.answer(Self.trashed, take.row) }
        request.answer(Self.endOfTrash, [.int32(Int32(takes.count))])
      }
    }
  }

  /// Answers likewise with those for which a search holds.
  func find(_ request: Request) throws(Refusal) {
    let search: TakeSearch
    do throws(LibraryFault) {
      search = try TakeSearch(query: request.text(0) ?? "")
    } catch {
      throw Refusal(.range, error.message)
    }
    let (offset, count) = (request.whole(1) ?? 0, request.whole(2) ?? Self.usualOnPage)
    try library().list { library throws(LibraryFault) in
      try library.find(search, offset: offset, count: count)
    } then: { outcome in
      request.attempt { () throws(Refusal) in Self.tell(try outcome.get(), request) }
    }
  }

  private static func tell(_ page: TakePage, _ request: Request) {
    for take in page.takes { request.answer(Self.take, take.row) }
    request.answer(Self.endOfTakes, [.int32(Int32(page.takes.count))])
  }

  // MARK: - One take

  /// Answers with all that is known of a take, and plays it where that is set.
  func show(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      let take = try library.take(id)
      return (take, library.imageOrigin(take).credit)
    } then: { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        let (take, credit) = try outcome.get()
        request.answer(Self.take, take.row)
        let texts = [
          (Self.notes, take.notes), (Self.message, take.message), (Self.image, take.image),
        ]
        for (path, text) in texts { request.answer(on: path, [.string(take.id), .string(text)]) }
        if let credit { request.answer(on: Pictures.picture, credit.row(of: take)) }
        request.answer(Self.sound, take.sound)
        request.done(take.id)
        guard let self, self.playsWhatIsShown else { return }
        try self.play(take.id, for: request.under(Self.play))
      }
    }
  }

  /// Changes what people write of a take.
  func edit(_ changes: TakeChanges, _ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      try library.edit(id, changes)
    } then: { [weak self] outcome in
      guard let self else { return }
      tell(outcome, request)
      if changes.species != nil, case .success(let take) = outcome {
        context[Pictures.self].followSpecies(of: take, for: request)
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
      request.attempt { () throws(Refusal) in
        let (take, total) = try outcome.get()
        self?.tellTotal(total)
        self?.context.announce(request.path, [.string(take.id)])
        request.done(take.id)
      }
    }
  }

  /// Takes a take out of the trash again.
  func restore(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try library().list { library throws(LibraryFault) in
      try library.restore(id)
    } then: { [weak self] outcome in
      self?.tell(outcome, request)
    }
  }

  // MARK: - Files

  /// Gives a take the image in a file of the home folder.
  func setImage(_ request: Request) throws(Refusal) {
    let (id, file) = (request.text(0) ?? "", request.text(1) ?? "")
    let workers = try library()
    try workers.file { [home = workers.home] library throws(LibraryFault) in
      try library.setImage(id, copying: HomeFile(reading: file, home: home))
    } then: { [weak self] outcome in
      self?.tell(outcome, request)
      if case .success(let take) = outcome { self?.context[Pictures.self].tellGone(take.id) }
    }
  }

  /// Writes a take to a file of the home folder, in the format of its ending.
  func export(_ request: Request) throws(Refusal) {
    let (id, file) = (request.text(0) ?? "", request.text(1) ?? "")
    let workers = try library()
    try workers.file { [home = workers.home] library throws(LibraryFault) in
      let take = try library.take(id)
      let file = try HomeFile(writing: file, home: home)
      try library.export(take.id, to: file.path)
      return (take, file.path)
    } then: { outcome in
      request.attempt { () throws(Refusal) in
        let (take, path) = try outcome.get()
        request.done(take.id, path)
      }
    }
  }

  /// Copies a sound file of the home folder into the library.
  func importFile(_ request: Request) throws(Refusal) {
    let file = request.text(0) ?? ""
    let workers = try library()
    try workers.file { [home = workers.home] library throws(LibraryFault) in
      try library.importFile(HomeFile(reading: file, home: home).path)
    } then: { [weak self] outcome in
      self?.tell(outcome, request)
    }
  }

  // MARK: - News

  /// Tells what has become of a take: all who want to know of takes, and who asked for it.
  func tell(_ outcome: Result<Take, Refusal>, _ request: Request) {
    request.attempt { () throws(Refusal) in
      let take = try outcome.get()
      tellChanged(take)
      request.done(take.id, take.title)
    }
  }

  /// Tells all who want to know of takes that one is new, or another than it was.
  func tellChanged(_ take: Take) {
    context.announce(Self.take, take.row)
    try? shelf?.list { library throws(LibraryFault) in
      try library.list(count: 0).total
    } then: { [weak self] outcome in
      if case .success(let total) = outcome { self?.tellTotal(total) }
    }
  }
}

extension Node {
  /// Opens the library of takes: takes over the settings that were kept, mends what a crash left,
  /// and empties the trash of what is old.
  ///
  /// `say` is given a line for each thing that somebody should know.
  package func openLibrary(_ say: @escaping (String) -> Void) { context[Takes.self].open(say) }

  /// Goes over to the takes of another folder, when nothing is on its way to the disk.
  package func moveTakes(to home: String, _ say: @escaping (String) -> Void) {
    setHomeOfBoard(home)
    context[Takes.self].move(to: home, say)
  }
}
