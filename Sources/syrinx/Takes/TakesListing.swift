internal import Control
internal import Library
internal import Posix
internal import Screen

/// The commands that list and show takes.
enum TakesListing {
  // Fits a few screens of a terminal; programs get everything.
  private static let usualCount = 50

  // MARK: - Many takes

  static func list(_ request: TakesRequest) throws(Failure) {
    try request.check(0...0)
    try find(request, words: [])
  }

  static func find(_ request: TakesRequest) throws(Failure) {
    // An option is a search, too.
    let needsWord = !TakesSearch.options.contains(where: request.given.has)
    try request.check((needsWord ? 1 : 0)...Int.max)
    try find(request, words: request.arguments)
  }

  private static func find(_ request: TakesRequest, words: [String]) throws(Failure) {
    let search = try TakesSearch.make(request.given, words: words)
    let isForAll = words.isEmpty && !TakesSearch.options.contains(where: request.given.has)
    try show(request) { (library, offset, count) throws(LibraryFault) in
      isForAll
        ? try library.list(offset: offset, count: count)
        : try library.find(search, offset: offset, count: count)
    }
  }

  static func trash(_ request: TakesRequest) throws(Failure) {
    try request.check(0...0)
    guard !request.given.has("empty") else { return try TakesEditing.emptyTrash(request) }
    try show(request, inTrash: true) { (library, offset, count) throws(LibraryFault) in
      try library.trash(offset: offset, count: count)
    }
  }

  private static func show(
    _ request: TakesRequest, inTrash: Bool = false,
    _ page: (TakeLibrary, _ offset: Int, _ count: Int) throws(LibraryFault) -> TakePage
  ) throws(Failure) {
    let offset = try request.given.whole("offset", least: 0) ?? 0
    let width = Terminal.width
    let usual = width == nil ? Int.max : usualCount
    let count =
      request.given["count"] == "all"
      ? Int.max : try request.given.whole("count", least: 1) ?? usual
    let library = try request.libraryIfAny()
    let page = try Failure.of { () throws(LibraryFault) in
      try library.map { library throws(LibraryFault) in try page(library, offset, count) }
        ?? TakePage(takes: [], total: 0)
    }
    if request.given.has("json") {
      let objects = page.takes.compactMap { library?.json($0, inTrash: inTrash) }
      try Failure.print(
        objects.isEmpty ? "[]\n" : PlainText.json("[\n\(objects.joined(separator: ",\n"))\n]\n"))
    } else if let width {
      try Failure.print(table(page.takes).lines(width: width).map { $0 + "\n" }.joined())
      if page.total == 0 { Environment.say(inTrash ? "the trash is empty" : "no takes") }
    } else {
      try Failure.print(page.takes.map(fields).joined())
    }
    let more = page.total - offset - page.takes.count
    if more > 0 {
      Environment.say(
        "\(more) more; --offset \(offset + page.takes.count) shows the next, --count all shows all")
    }
  }

  /// Formats a take as a line of fields for programs.
  private static func fields(_ take: Take) -> String {
    [
      take.id, take.date.text, "\(take.seconds)", PlainText.line(take.title),
      PlainText.line(take.species), take.place.map { "\($0.latitude),\($0.longitude)" } ?? "",
    ].joined(separator: "\t") + "\n"
  }

  private static func table(_ takes: [Take]) -> TextTable {
    func cells(_ text: (Take) -> String) -> [String] { takes.map { PlainText.line(text($0)) } }
    let digits = idDigits(takes)
    return TextTable([
      .init(heading: "ID", cells: cells { String($0.id.prefix(digits)) }),
      .init(heading: "DATE", cells: cells { TakeWords.minute($0.date) }, leaving: 3),
      .init(heading: "LENGTH", cells: cells(TakeWords.length), isNumeric: true, leaving: 2),
      .init(heading: "TITLE", cells: cells(\.title), least: 12, comfortable: 24),
      .init(heading: "SPECIES", cells: cells(\.species), least: 10, comfortable: 14, leaving: 1),
      .init(heading: "PLACE", cells: cells { $0.place.map(TakeWords.place) ?? "" }, isExtra: true),
    ])
  }

  /// The number of digits that make the ids on the page unique.
  private static func idDigits(_ takes: [Take]) -> Int {
    [8, 13, 18, 23].first { digits in
      Set(takes.map { $0.id.prefix(digits) }).count == takes.count
    } ?? 36
  }

  // MARK: - One take

  static func show(_ request: TakesRequest) throws(Failure) {
    try request.check(1...Int.max)
    let library = try request.library()
    var isFirst = true
    try TakesRequest.each(request.arguments) { id, _ throws(Failure) in
      let (take, inTrash) = try find(id, in: library)
      if request.given.has("json") {
        try Failure.print(PlainText.json(library.json(take, inTrash: inTrash)) + "\n")
      } else {
        try Failure.print(
          (isFirst ? "" : "\n") + TakeWords.all(of: take, in: library, inTrash: inTrash))
      }
      isFirst = false
    }
  }

  private static func find(
    _ id: String, in library: TakeLibrary
  ) throws(Failure) -> (Take, inTrash: Bool) {
    do throws(LibraryFault) {
      return (try library.take(id), false)
    } catch {
      if error.kind == .missing, let trashed = try? library.trashed(id) { return (trashed, true) }
      throw error.failure
    }
  }

  // MARK: - The map

  static func map(_ request: TakesRequest) throws(Failure) {
    try request.check(1...1)
    let search = try TakesSearch.make(request.given)
    let library = try request.library()
    let json = try Failure.of { () throws(LibraryFault) in try library.geoJSON(search) }
    let text = PlainText.json(json) + "\n"
    let path = request.arguments[0]
    guard path != "-" else { return try Failure.print(text) }
    try Failure.of(.cannotWrite, "can't write ", try Files.write(text, to: path))
  }
}
