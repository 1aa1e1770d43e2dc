internal import Posix

/// The instrument library: named instruments of the program, soundfonts, built-in instruments, and
/// the user's own.
///
/// Its functions block on disk access.
package struct InstrumentLibrary: Sendable {
  private static let most = 500
  private static let folderName = "instruments"

  /// The folder of the shipped instruments, or nil.
  package let shipped: String?
  /// The data directory.
  ///
  /// It contains the user's instruments in `instruments`. Nil if the node has none.
  package let home: String?
  /// The locations of soundfonts.
  package let places: SoundFontPlaces

  /// Creates a library of two folders, which may be missing.
  package init(
    shipped: String? = nil, home: String? = nil, places: SoundFontPlaces = SoundFontPlaces()
  ) {
    self.shipped = shipped
    self.home = home
    self.places = places
  }

  private var own: String? { home.map { "\($0)/\(Self.folderName)" } }

  // MARK: - Finding

  /// Lists all instruments.
  ///
  /// Reuses the soundfonts that `known` has open.
  package func catalogue(knowing known: InstrumentCatalogue? = nil) -> InstrumentCatalogue {
    var faults: [String] = []
    let fonts = fonts(known?.fonts ?? [], &faults)
    var entries = shippedEntries(fonts, &faults)
    for builtIn in BuiltInInstrument.allCases {
      guard let name = try? InstrumentName(builtIn.name),
        !entries.contains(where: { $0.name == name })
      else { continue }
      entries.append(
        .init(name: name, help: builtIn.help, sources: [.builtIn(builtIn)], isOwn: false))
    }
    // The user's instruments replace others of the same name, and come last in the list.
    let owned = ownEntries(&faults)
    let names = Set(owned.map(\.name))
    return InstrumentCatalogue(
      entries: entries.filter { !names.contains($0.name) } + owned, fonts: fonts, faults: faults)
  }

  private func fonts(_ known: [SoundFont], _ faults: inout [String]) -> [SoundFont] {
    var fonts: [SoundFont] = []
    func open(_ path: String, mustBeGeneral: Bool) -> Bool {
      do throws(InstrumentFault) {
        let font: SoundFont
        if let same = known.first(where: { $0.path == path }) {
          font = same
        } else {
          font = try SoundFont(path)
        }
        // A font of a single instrument is no substitute for a General MIDI set.
        guard !mustBeGeneral || (try? font.program(number: 0)) != nil, !font.programs.isEmpty else {
          return false
        }
        fonts.append(font)
        return true
      } catch {
        faults.append("skipped a soundfont: \(error)")
        return false
      }
    }
    for path in places.given { _ = open(path, mustBeGeneral: false) }
    for path in places.found where open(path, mustBeGeneral: true) { break }
    return fonts
  }

  private func shippedEntries(
    _ fonts: [SoundFont], _ faults: inout [String]
  ) -> [InstrumentCatalogue.Entry] {
    guard let shipped else { return [] }
    return cards(in: "\(shipped)/\(Self.folderName)", &faults)
      .sorted { ($0.order, $0.name.plain) < ($1.order, $1.name.plain) }
      .compactMap { card in
        var sources: [InstrumentCatalogue.Source] = []
        if let number = card.program {
          for font in fonts {
            guard let program = try? font.program(bank: card.bank ?? 0, number: number) else {
              continue
            }
            sources.append(.program(font, program))
          }
        }
        if let builtIn = card.builtIn { sources.append(.builtIn(builtIn)) }
        guard !sources.isEmpty else { return nil }
        return .init(name: card.name, help: card.help, sources: sources, isOwn: false)
      }
  }

  private func ownEntries(_ faults: inout [String]) -> [InstrumentCatalogue.Entry] {
    guard let own, let home else { return [] }
    var entries: [InstrumentName: InstrumentCatalogue.Entry] = [:]
    for name in Files.names(in: own).sorted() {
      let ending = InstrumentFile.endings.first { name.lowercased().hasSuffix($0) }
      guard ending != nil || Files.isFolder("\(own)/\(name)"),
        let called = InstrumentName(file: name, ending: ending ?? ""), entries[called] == nil
      else { continue }
      entries[called] = .init(
        name: called, help: "",
        sources: [
          .file("\(Self.folderName)/\(name)", home: home, bank: nil, program: nil)
        ], isOwn: true)
    }
    for card in cards(in: own, &faults) {
      var sources: [InstrumentCatalogue.Source] = []
      if let file = card.file {
        sources.append(.file(file, home: home, bank: card.bank, program: card.program))
      }
      if let builtIn = card.builtIn { sources.append(.builtIn(builtIn)) }
      guard !sources.isEmpty else { continue }
      entries[card.name] = .init(name: card.name, help: card.help, sources: sources, isOwn: true)
    }
    return entries.values.sorted { $0.name.plain < $1.name.plain }
  }

  private func cards(in folder: String, _ faults: inout [String]) -> [InstrumentCard] {
    var cards: [InstrumentCard] = []
    for file in Files.names(in: folder).sorted().prefix(2 * Self.most) {
      guard let name = InstrumentName(file: file, ending: InstrumentCard.ending) else { continue }
      do throws(InstrumentFault) {
        cards.append(try InstrumentCard(path: "\(folder)/\(file)", name: name))
      } catch {
        faults.append("skipped an instrument: \(error)")
      }
    }
    return cards
  }

  // MARK: - Changing

  /// Adds a file or folder of the data directory to the user's instruments.
  ///
  /// Returns the description it read, without its sound.
  package func add(
    _ text: String, file: String, bank: Int?, program: Int?
  ) throws(InstrumentFault) -> Instrument {
    let name = try InstrumentName(text)
    guard !name.isOfTheLoop else {
      throw InstrumentFault(
        .denied, "\(name.text) is reserved for the loop; choose another name")
    }
    guard let home, let own else {
      throw InstrumentFault(.denied, "no folder for instruments")
    }
    let instrument = try InstrumentFile(file, home: home).read(bank: bank, program: program)
    let cards = Files.names(in: own).filter { $0.hasSuffix(InstrumentCard.ending) }
    guard cards.count < Self.most || cards.contains(Self.cardFile(name)) else {
      throw InstrumentFault(.denied, "\(cards.count) instruments already exist; delete one first")
    }
    var card = InstrumentCard(name: name)
    (card.file, card.bank, card.program) = (file, bank, program)
    let path = "\(own)/\(Self.cardFile(name))"
    try system(try Files.write(Array(card.text.utf8), to: path, inNewFolder: own)) {
      InstrumentFault(.unwritable, "can't save the instrument: \($0)")
    }
    return instrument
  }

  /// Removes one of the user's instruments.
  ///
  /// Its sound files are kept.
  package func delete(_ text: String) throws(InstrumentFault) {
    let name = try InstrumentName(text)
    var deleted = false
    for file in own.map(Files.names(in:)) ?? [] {
      guard let own, let called = InstrumentName(file: file, ending: InstrumentCard.ending),
        ((try? InstrumentCard(path: "\(own)/\(file)", name: called).name) ?? called) == name
      else { continue }
      try system(try Files.delete("\(own)/\(file)")) {
        InstrumentFault(.unwritable, "can't delete the instrument: \($0)")
      }
      deleted = true
    }
    if deleted { return }
    let entry = try catalogue().entry(name)
    throw InstrumentFault(
      .denied,
      entry.isOwn
        ? "\(name.text) is a file in \(Self.folderName) in the data directory; remove it there"
        : "\(name.text) is shipped with the program and can't be deleted")
  }

  private static func cardFile(_ name: InstrumentName) -> String {
    name.plain + InstrumentCard.ending
  }
}
