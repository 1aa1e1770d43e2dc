internal import DSP
internal import Posix
internal import Takes

/// The instruments on the disk, for the thread that waits for it.
final class InstrumentShelf: @unchecked Sendable {
  /// An instrument for the audio thread, and what is to be told of it.
  struct Ready: Sendable {
    let name: String
    let instrument: SamplerInstrument
    let notes: [String]

    /// An instrument made of sounds; `notes` come before what these have to say.
    fileprivate init(_ sounds: InstrumentSounds, named name: String, notes: [String]) {
      self.name = name
      instrument = InstrumentImage.make(sounds.instrument, sounds: sounds.channels)
      self.notes = notes + sounds.instrument.notes
    }

    /// The instrument made of a loop's channels at a rate in Hz; nil where `ticket` was withdrawn.
    static func ofTheLoop(
      _ channels: [[Float]], rate: Int, _ ticket: InstrumentTicket
    ) throws(Refusal) -> Ready? {
      do throws(InstrumentFault) {
        let instrument = try LoopInstrument.make(channels, rate: rate)
        let sounds = try InstrumentSounds.read(
          instrument, needing: InstrumentImage.bytes(of: instrument), goesOn: ticket.goesOn)
        return sounds.map { Ready($0, named: InstrumentName.ofTheLoop, notes: []) }
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
        let instrument = try entry.read(source)
        let sounds = try InstrumentSounds.read(
          instrument, needing: InstrumentImage.bytes(of: instrument), goesOn: ticket.goesOn)
        guard let sounds else { return nil }
        return Ready(sounds, named: entry.name.text, notes: faults)
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

/// The ticket of an instrument that was asked for: it can be withdrawn, and tells the progress.
final class InstrumentTicket: Sendable {
  private let state = Guarded((isWithdrawn: false, progress: 0.0))

  /// Whether nobody wants it any more.
  var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

  /// How much is done, from 0 to 1.
  var progress: Double { state.withLock { $0.progress } }

  func withdraw() { state.withLock { $0.isWithdrawn = true } }

  /// Notes how much is done; false where it was withdrawn.
  func goesOn(_ progress: Double) -> Bool {
    state.withLock { state in
      state.progress = progress
      return !state.isWithdrawn
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
