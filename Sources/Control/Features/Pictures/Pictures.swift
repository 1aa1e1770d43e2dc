internal import HTTP
internal import Library
internal import OSC
internal import Pictures
internal import Posix

/// The pictures of species: looked for on the network when somebody asks, or when a species is set, and
/// kept with takes.
final class Pictures: Feature {
  // Each can take a minute where a service is slow.
  private static let mostWaiting = 8

  /// A take as it is before a picture is looked for.
  private struct Subject: Sendable {
    let take: Take
    let origin: ImageOrigin
    /// The name by which services are asked.
    let name: String
  }

  let context: Context
  /// Whether a picture is looked for by itself when a species is set.
  var isAutomatic = false
  /// Whether pictures will do with which nobody may earn.
  var allowsNoncommercial = false
  /// The place that is asked instead of iNaturalist; nil for that itself.
  var iNaturalist: HTTPPlace?
  /// The place that is asked instead of Wikimedia Commons; nil for that itself.
  var commons: HTTPPlace?
  // Nobody who ends the node waits for a server elsewhere.
  private let worker = Worker("pictures", isAwaited: false)
  private let finder = PictureFinder(userAgent: "Syrinx/\(Version.text) (pictures for takes)")
  // The takes for which a picture is looked for, by id.
  private var underWay: Set<String> = []
  // The requests that set the species of such a take meanwhile.
  private var following: [String: Request] = [:]

  init(_ context: Context) { self.context = context }

  var workers: [Worker] { [worker] }

  // MARK: - What is asked

  /// Looks for a picture of a take's species, or for the next one.
  func find(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try lookUp(id) { [weak self] outcome in
      request.attempt { () throws(Refusal) in
        let subject = try outcome.get()
        guard subject.origin != .own else {
          throw Refusal(.denied, "the image of this take was given to it, and stays")
        }
        guard !subject.take.species.isEmpty else {
          throw Refusal(.state, "this take has no species; /take/species sets it")
        }
        try self?.find(subject) { outcome in
          request.attempt { () throws(Refusal) in
            let (take, credit) = try outcome.get()
            request.done(take.id, credit.source)
          }
        }
      }
    }
  }

  /// Takes the picture that was fetched for a take from it.
  func remove(_ request: Request) throws(Refusal) {
    let id = request.text(0) ?? ""
    try context[Takes.self].library().file { library throws(LibraryFault) in
      try library.removePicture(id)
    } then: { [weak self] outcome in
      self?.context[Takes.self].tell(outcome, request)
      if case .success(let take) = outcome { self?.tellGone(take.id) }
    }
  }

  /// Answers with names of species that begin as somebody types.
  func complete(_ request: Request) throws(Refusal) {
    let text = request.text(0) ?? ""
    try context[Takes.self].library().list { library throws(LibraryFault) in
      try library.speciesNames(beginning: text)
    } then: { outcome in
      request.attempt { () throws(Refusal) in
        let names = try outcome.get()
        for name in names { request.answer(Self.name, [.string(name)]) }
        request.answer(Self.endOfNames, [.int32(Int32(names.count))])
      }
    }
  }

  // MARK: - By itself

  /// Looks for a picture of a take whose species was set, where that is wanted; whoever set it is told
  /// why there is none.
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
          // A picture of somebody's own stays, and so does one of this species.
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

  // MARK: - Looking

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
      throw Refusal(.busy, "a picture for this take is being looked for")
    }
    guard worker.count < Self.mostWaiting else {
      throw Refusal(
        .busy, "\(worker.count) other pictures are being looked for; send it again later")
    }
    var search = PictureSearch(of: take.species, named: subject.name)
    if let credit = subject.origin.credit, credit.species == take.species {
      search.former = credit.key
    }
    search.allowsNoncommercial = allowsNoncommercial
    (search.iNaturalist, search.commons) = (iNaturalist, commons)
    underWay.insert(take.id)
    worker.run { [search, finder] () throws(Refusal) in
      do throws(PictureFault) {
        return try finder.find(search)
      } catch {
        throw Refusal(error)
      }
    } then: { [weak self] outcome in
      self?.keep(outcome, for: take) { outcome in
        self?.end(take.id)
        ending(outcome)
      }
    }
  }

  /// Keeps what was found, unless the take is of another species by now.
  private func keep(
    _ found: Result<FetchedPicture, Refusal>, for former: Take,
    then ending: @escaping (Result<(Take, PictureCredit), Refusal>) -> Void
  ) {
    do throws(Refusal) {
      let picture = try found.get()
      try context[Takes.self].library().file { library throws(LibraryFault) in
        guard try library.take(former.id).species == former.species else { return nil }
        return try library.setPicture(former.id, picture)
      } then: { [weak self] (outcome: Result<Take?, Refusal>) in
        ending(
          Result { () throws(Refusal) in
            guard let take = try outcome.get() else {
              throw Refusal(.state, "the species of this take is another one by now")
            }
            self?.context[Takes.self].tellChanged(take)
            self?.context.announce(Self.picture, picture.credit.row(of: take))
            return (take, picture.credit)
          })
      }
    } catch {
      ending(.failure(error))
    }
  }

  private func end(_ id: String) {
    underWay.remove(id)
    guard let request = following.removeValue(forKey: id) else { return }
    try? lookUp(id) { [weak self] outcome in
      if case .success(let subject) = outcome {
        self?.followSpecies(of: subject.take, for: request)
      }
    }
  }

  /// Tells all who want to know of pictures that a take has none that was fetched any more.
  func tellGone(_ id: String) {
    context.announce(
      Self.picture, [.string(id)] + Array(repeating: Argument.string(""), count: 5))
  }
}

extension PictureCredit {
  /// The credit as clients are told it.
  func row(of take: Take) -> [Argument] {
    [take.id, author, licence, licenceURL, source, date.text].map(Argument.string)
  }
}

extension Refusal {
  fileprivate init(_ fault: PictureFault) {
    let code: Code =
      switch fault.kind {
      case .missing: .missing
      case .unreachable, .unusable: .io
      }
    self.init(code, fault.message)
  }
}
