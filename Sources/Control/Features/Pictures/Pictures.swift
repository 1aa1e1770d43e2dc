internal import HTTP
internal import Library
internal import OSC
internal import Pictures
internal import Posix

/// Pictures of species, found online on request or when a species is set, and saved with takes.
final class Pictures: Feature {
  /// A take before the search for a picture.
  private struct Subject: Sendable {
    let take: Take
    let origin: ImageOrigin
    /// The search term.
    let name: String
  }

  let context: Context
  /// Whether setting a species searches for a picture.
  var isAutomatic = false
  /// Whether pictures with a noncommercial license are accepted.
  var allowsNoncommercial = false
  /// The server in place of iNaturalist; nil for iNaturalist.
  var iNaturalist: HTTPPlace?
  /// The server in place of Wikimedia Commons; nil for Wikimedia Commons.
  var commons: HTTPPlace?
  // Each search can take a minute if a service is slow. The node does not wait for it when it exits.
  private let worker = Worker(
    "pictures", isAwaited: false, most: 8, of: "searches for pictures are already in progress")
  private let finder = PictureFinder(userAgent: "Syrinx/\(Version.text) (pictures for takes)")
  // The ids of takes with a search in progress.
  private var underWay: Set<String> = []
  // The requests that set a species during such a search.
  private var following: [String: Request] = [:]

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] }

  // MARK: - Requests

  /// Finds a picture of a take's species, or the next one.
  func find(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try lookUp(id) { [weak self] outcome in
      request.complete(outcome) { subject throws(Refusal) in
        guard subject.origin != .own else {
          throw Refusal(.denied, "the image of this take was set by a user and is not replaced")
        }
        guard !subject.take.species.isEmpty else {
          throw Refusal(.state, "the take has no species; /take/species sets it")
        }
        try self?.find(subject) { outcome in
          request.complete(outcome) { take, credit in request.done(take.id, credit.source) }
        }
      }
    }
  }

  /// Removes the fetched picture of a take.
  func remove(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try context[Takes.self].library().file { library throws(LibraryFault) in
      try library.removePicture(id)
    } then: { [weak self] outcome in
      self?.context[Takes.self].complete(request, with: outcome)
      if case .success(let take) = outcome { self?.announceRemoval(take.id) }
    }
  }

  /// Replies with species names that start with a text.
  func complete(_ request: Request) throws(Refusal) {
    let text = request.text(0) ?? ""
    try context[Takes.self].library().list { library throws(LibraryFault) in
      try library.speciesNames(beginning: text)
    } then: { outcome in
      request.complete(outcome) { names in
        request.answer(names, Self.name, end: Self.endOfNames, row: \.arguments)
      }
    }
  }

  // MARK: - Polling

  /// Searches for a picture after the species of a take was set, if that is enabled.
  ///
  /// Failures are reported to the sender.
  func followSpecies(of take: Take, for request: Request) {
    guard isAutomatic, !take.species.isEmpty else { return }
    guard !underWay.contains(take.id) else {
      following[take.id] = request
      return
    }
    let report: (Refusal) -> Void = { [context] refusal in
      context.report(refusal, of: Self.picture, to: request.client)
    }
    do throws(Refusal) {
      try lookUp(take.id) { [weak self] outcome in
        do throws(Refusal) {
          let subject = try outcome.get()
          // A user's image stays, and so does a picture of this species.
          guard let self, subject.origin != .own, !subject.take.species.isEmpty,
            subject.origin.credit?.species != subject.take.species
          else { return }
          try find(subject) { outcome in
            if case .failure(let refusal) = outcome { report(refusal) }
          }
        } catch {
          report(error)
        }
      }
    } catch {
      report(error)
    }
  }

  // MARK: - Polling

  private func lookUp(
    _ id: String, then ending: @escaping (Result<Subject, Refusal>) -> Void
  ) throws(Refusal) {
    try context[Takes.self].library().list(
      { library throws(LibraryFault) in
        let take = try library.take(id)
        let name = try library.scientificName(of: take.species) ?? take.species
        return Subject(take: take, origin: library.imageOrigin(take), name: name)
      }, then: ending)
  }

  private func find(
    _ subject: Subject, then ending: @escaping (Result<(Take, PictureCredit), Refusal>) -> Void
  ) throws(Refusal) {
    let take = subject.take
    guard !underWay.contains(take.id) else {
      throw Refusal(.busy, "a search for a picture of this take is already in progress")
    }
    try worker.checkRoom()
    var search = PictureSearch(of: take.species, named: subject.name)
    if let credit = subject.origin.credit, credit.species == take.species {
      search.former = credit.key
    }
    search.allowsNoncommercial = allowsNoncommercial
    (search.iNaturalist, search.commons) = (iNaturalist, commons)
    underWay.insert(take.id)
    worker.run { [search, finder] () throws(PictureFault) in
      try finder.find(search)
    } then: { [weak self] outcome in
      self?.keep(outcome, for: take) { outcome in
        self?.finish(take.id)
        ending(outcome)
      }
    }
  }

  /// Saves the picture found, unless the species of the take has changed.
  private func keep(
    _ found: Result<FetchedPicture, Refusal>, for former: Take,
    then ending: @escaping (Result<(Take, PictureCredit), Refusal>) -> Void
  ) {
    completing(ending) { () throws(Refusal) in
      let picture = try found.get()
      try context[Takes.self].library().file { library throws(LibraryFault) in
        guard try library.take(former.id).species == former.species else { return nil }
        return try library.setPicture(former.id, picture)
      } then: { [weak self] (outcome: Result<Take?, Refusal>) in
        ending(
          Result { () throws(Refusal) in
            guard let take = try outcome.get() else {
              throw Refusal(.state, "the species of the take has changed")
            }
            self?.context[Takes.self].announce(take)
            self?.context.announce(Self.picture, picture.credit.row(of: take))
            return (take, picture.credit)
          })
      }
    }
  }

  private func finish(_ id: String) {
    underWay.remove(id)
    guard let request = following.removeValue(forKey: id) else { return }
    try? lookUp(id) { [weak self] outcome in
      if case .success(let subject) = outcome {
        self?.followSpecies(of: subject.take, for: request)
      }
    }
  }

  /// Announces that a take has no fetched picture.
  func announceRemoval(_ id: String) {
    context.announce(Self.picture, [.string(id)] + Array(repeating: Argument.string(""), count: 5))
  }
}

extension PictureCredit {
  /// The arguments of `/take/picture`.
  func row(of take: Take) -> [Argument] {
    [take.id, author, licence, licenceURL, source, date.text].map(Argument.string)
  }
}
