internal import DSP
internal import InstrumentFiles
internal import Posix

/// The instruments on disk, for use on the background queue.
final class InstrumentShelf: @unchecked Sendable {
  /// An instrument ready to play, with its warnings.
  struct Ready: Sendable {
    let name: String
    /// The normalized name, for comparison.
    let key: String
    /// The reader of its samples, some of which are loaded.
    let reading: InstrumentReading
    /// The ticket of the reading.
    let ticket: InstrumentTicket
    /// The faults of sources that it replaces.
    fileprivate let faults: [String]

    /// Whether all samples are read.
    var isOver: Bool { reading.isOver }

    /// Warnings found so far.
    var notes: [String] { faults + reading.notes }

    /// Creates an instrument from the channels of a loop at a rate in Hz; nil if `ticket` was withdrawn.
    static func ofTheLoop(
      _ channels: [[Float]], rate: Int, _ ticket: InstrumentTicket
    ) throws(Refusal) -> Ready? {
      do throws(InstrumentFault) {
        let reading = try InstrumentReading(LoopInstrument.make(channels, rate: rate), ticket)
        guard try reading.begin() else { return nil }
        return Ready(
          name: InstrumentName.ofTheLoop, key: InstrumentName.ofTheLoop, reading: reading,
          ticket: ticket, faults: [])
      } catch {
        // Silence can't be played.
        throw error.kind == .missing ? Refusal(.state, error.description) : error.refusal
      }
    }
  }

  /// The queue on which the shelf is used.
  ///
  /// The node exits without waiting for a load.
  let worker = Worker(
    "instruments", isAwaited: false, most: 64, of: "requests for instruments are already queued")
  private let library: InstrumentLibrary
  // Confined to the background queue.
  private var catalogue: InstrumentCatalogue?

  init(_ library: InstrumentLibrary) { self.library = library }

  /// Looks up all instruments.
  func lookUp() -> InstrumentCatalogue {
    let catalogue = library.catalogue(knowing: catalogue)
    self.catalogue = catalogue
    return catalogue
  }

  /// Loads an instrument by name; nil if `ticket` was withdrawn.
  func instrument(
    _ text: String, ticket: InstrumentTicket
  ) throws(Refusal) -> Ready? {
    // Reading leaves fragments, and so do instruments that were loaded before.
    defer { Heap.noteFreed() }
    return try refusing { () throws(InstrumentFault) in
      let name = try InstrumentName(text)
      // Files may have changed since the last lookup.
      return try read(lookUp().entry(name), ticket)
    }
  }

  private func read(
    _ entry: InstrumentCatalogue.Entry, _ ticket: InstrumentTicket
  ) throws(InstrumentFault) -> Ready? {
    var faults: [String] = []
    for (index, source) in entry.sources.enumerated() {
      do throws(InstrumentFault) {
        let reading = try InstrumentReading(entry.read(source), ticket)
        guard try reading.begin() else { return nil }
        return Ready(
          name: entry.name.text, key: entry.name.plain, reading: reading, ticket: ticket,
          faults: faults)
      } catch {
        // Another source may replace it.
        guard index < entry.sources.count - 1 else { throw error }
        faults.append(error.description)
      }
    }
    return nil
  }

  /// Adds a file as an instrument, and returns its warnings.
  func add(
    _ name: String, file: String, bank: Int?, program: Int?
  ) throws(Refusal) -> [String] {
    try refusing { () throws(InstrumentFault) in
      try library.add(name, file: file, bank: bank, program: program).notes
    }
  }

  /// Deletes an instrument.
  func delete(_ name: String) throws(Refusal) {
    try refusing { () throws(InstrumentFault) in try library.delete(name) }
  }
}
