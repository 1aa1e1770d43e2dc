internal import Engine
internal import InstrumentFiles
internal import OSC

/// The instruments of the grid and keys.
package final class Instruments: Feature {
  /// The list of names.
  let names: InstrumentNames
  /// The loader.
  let loader: InstrumentLoader
  private let context: Context
  private let shelf: InstrumentShelf

  init(_ context: Context) {
    self.context = context
    shelf = InstrumentShelf(context.setup.instruments)
    names = InstrumentNames(context, shelf)
    loader = InstrumentLoader(context, shelf)
  }

  var workers: [Worker] { [shelf.worker] }

  /// Whether a write is in progress.
  var isWriting: Bool { names.isWriting }

  /// Whether the initial instrument is still being loaded.
  package var isFirstUnderWay: Bool { names.isOpening || loader.isFirstUnderWay }

  /// Whether an instrument is being loaded.
  package var isUnderWay: Bool { names.isOpening || loader.isUnderWay }

  /// Polls the engine.
  func poll(_ now: Double) -> Int? { loader.poll(now, isOpening: names.isOpening) }

  /// Stops the instrument of the previous session from serving as a fallback.
  func beginSession() { loader.forgetFallback() }

  /// Looks up all instruments, and loads the saved one, or the default.
  ///
  /// Calls `say` with a line for each error or change.
  package func open(_ say: @escaping (String) -> Void) {
    loader.open(say)
    names.open(say)
  }

  /// Preloads an instrument, passes it to `ending` once it is playable, and reads the rest in the background.
  func read(
    _ name: String,
    then ending: @escaping (Result<InstrumentShelf.Ready, Refusal>) -> Void
  ) throws(Refusal) {
    try shelf.worker.checkRoom()
    let ticket = InstrumentTicket(patience: 0)
    shelf.worker.run { [shelf] () throws(Refusal) in
      guard let ready = try shelf.instrument(name, ticket: ticket) else {
        throw Refusal(.state, "\(quoted(name)) was canceled")
      }
      return ready
    } then: {
      ending($0)
    }
  }

  // MARK: - Requests

  /// Plays an instrument by name once it is loaded.
  func play(_ request: Request) throws(Refusal) {
    let text = request.text(0) ?? ""
    let name = try refusing { () throws(InstrumentFault) in try InstrumentName(text) }
    let order = try loader.accept(text, for: request, isKept: !name.isOfTheLoop)
    guard !name.isOfTheLoop else {
      loadLoop(order)
      return
    }
    // The saved instrument is no longer wanted.
    context.keeper.overtakes(Self.present)
    loader.load(order)
  }

  /// Copies a loop, and makes an instrument from it.
  private func loadLoop(_ order: InstrumentLoader.Order) {
    do throws(Refusal) {
      try context[Takes.self].clips.copy(for: Self.present) { [weak self] outcome in
        do throws(Refusal) {
          let transfer = try outcome.get().transfer
          self?.loader.load(order) { [ticket = order.ticket] _ throws(Refusal) in
            try .ofTheLoop(transfer.channels, rate: transfer.sampleRate, ticket)
          }
        } catch {
          self?.loader.fail(order, error)
        }
      }
    } catch {
      loader.fail(order, error)
    }
  }

  /// Adds a file or folder in the data directory as an instrument.
  func add(_ request: Request) throws(Refusal) {
    let (name, file) = (request.text(0) ?? "", request.text(1) ?? "")
    let (bank, program) = (request.whole(2), request.whole(3))
    guard (bank == nil) == (program == nil) else {
      throw Refusal(
        .type, "\(request.path): missing program; expected bank and program, or neither")
    }
    try names.change { shelf throws(Refusal) in
      try shelf.add(name, file: file, bank: bank, program: program)
    } then: { outcome in
      request.complete(outcome) { notes in request.done([name] + notes) }
    }
  }

  /// Deletes a user's instrument.
  func delete(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try names.change { shelf throws(Refusal) in
      try shelf.delete(name)
    } then: {
      request.complete($0, name)
    }
  }
}

extension Instruments {
  typealias Declared = Declaring<Instruments>

  static let present = "/grid/instrument"
  static let list = "/instruments"
  static let loading = "/instrument/loading"
  static let notes = "/instrument/notes"

  /// Instruments for the grid and keys.
  static let addresses: [Address] = [
    Address(
      present,
      Declared.slowSetting("name", \.loader.present, start: Instruments.play),
      // Restored by setting it.
      kept: Kept(
        place: .home, read: { $0[Instruments.self].loader.keptName }, isInEverySession: true),
      "Instrument of the grid and keys, played once loaded; replies /reply with a "
        + "line per warning; take samples loop 1; without a name, replies with the current one"),
    Address(list, Declared.reading(\.names.current), "Names of all instruments, in order"),
    Address(
      "/instrument/load",
      Declared.task(
        [
          .needed("name", .text), .needed("file", .text),
          .optional("bank", .whole, in: 0...128), .optional("program", .whole, in: 0...127),
        ], Instruments.add),
      "Adds a file in the data directory as an instrument: SF2 or SF3 with optional bank and "
        + "program, SFZ, or a folder of WAV files; replies /reply like /grid/instrument"),
    Address(
      "/instrument/delete", Declared.task([.needed("name", .text)], Instruments.delete),
      "Deletes an added instrument, but not its file; replies /reply"
    ).losing(),
    Address(
      loading, Declared.reading(\.loader.progress),
      "Progress of loading the requested instrument"),
    Address(
      notes, Declared.reading(\.loader.notes),
      "Warnings about the current instrument: unplayable or unsupported parts, one line each"),
  ]
}
