internal import DSP
internal import InstrumentFiles
internal import Posix

/// The instruments on the disk, for the thread that waits for it.
final class InstrumentShelf: @unchecked Sendable {
  /// An instrument for the audio thread, and what is to be told of it.
  struct Ready: Sendable {
    let name: String
    /// The reading of its sounds, of which some are there.
    let reading: InstrumentReading
    private let faults: [String]

    /// An instrument that can be played; `faults` are of what it stands in for.
    fileprivate init(_ reading: InstrumentReading, named name: String, faults: [String]) {
      self.name = name
      self.reading = reading
      self.faults = faults
    }

    /// Faults found so far, and what else is to be told of it.
    var notes: [String] { faults + reading.notes }

    /// The instrument made of a loop's channels at a rate in Hz; nil where `ticket` was withdrawn.
    static func ofTheLoop(
      _ channels: [[Float]], rate: Int, _ ticket: InstrumentTicket
    ) throws(Refusal) -> Ready? {
      do throws(InstrumentFault) {
        let reading = try InstrumentReading(LoopInstrument.make(channels, rate: rate), ticket)
        guard try reading.begin() else { return nil }
        return Ready(reading, named: InstrumentName.ofTheLoop, faults: [])
      } catch {
        // Silence is nothing that could be played.
        throw error.kind == .missing ? Refusal(.state, error.description) : Refusal(error)
      }
    }
  }

  private let library: InstrumentLibrary
  // Only the worker's thread touches it.
  private var catalogue: InstrumentCatalogue?

  init(_ library: InstrumentLibrary) { self.library = library }

  /// Looks up all instruments anew.
  func look() -> InstrumentCatalogue {
    let catalogue = library.catalogue(knowing: catalogue)
    self.catalogue = catalogue
    return catalogue
  }

  /// Makes the instrument of a name ready; nil where `ticket` was withdrawn.
  func instrument(
    _ text: String, ticket: InstrumentTicket
  ) throws(Refusal) -> Ready? {
    do throws(InstrumentFault) {
      let name = try InstrumentName(text)
      // A file may have come since the last look, or gone.
      let entry = try look().entry(name)
      return try read(entry, ticket)
    } catch {
      throw Refusal(error)
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
        return Ready(reading, named: entry.name.text, faults: faults)
      } catch {
        // Another one stands in, or there is none left.
        guard index < entry.sources.count - 1 else { throw error }
        faults.append(error.description)
      }
    }
    return nil
  }

  /// Makes a file an instrument; returns what is to be told of it.
  func add(
    _ name: String, file: String, bank: Int?, program: Int?
  ) throws(Refusal) -> [String] {
    do throws(InstrumentFault) {
      return try library.add(name, file: file, bank: bank, program: program).notes
    } catch {
      throw Refusal(error)
    }
  }

  /// Forgets one.
  func delete(_ name: String) throws(Refusal) {
    do throws(InstrumentFault) {
      try library.delete(name)
    } catch {
      throw Refusal(error)
    }
  }
}

extension Refusal {
  init(_ fault: InstrumentFault) {
    let code: Code =
      switch fault.kind {
      case .missing: .missing
      case .broken: .type
      case .denied: .denied
      case .unwritable: .io
      case .tooLarge: .range
      }
    self.init(code, fault.description)
  }
}
