internal import Engine
internal import InstrumentFiles
internal import OSC

/// The instruments: the list of them, and which of them the grid and the keys sound like.
final class Instruments: Feature {
  private static let busyMilliseconds = 2

  /// The names of all.
  let names: InstrumentNames
  /// The loader of the one that sounds.
  let loader: InstrumentLoader
  private let context: Context
  private let worker: InstrumentWorker

  init(_ context: Context) {
    self.context = context
    worker = InstrumentWorker(InstrumentShelf(context.setup.instruments))
    names = InstrumentNames(context, worker)
    loader = InstrumentLoader(context, worker)
  }

  /// Whether an instrument is on its way to the disk.
  var isWriting: Bool { names.isWriting }

  /// Whether there is nothing to play notes yet, but will be.
  var isFirstUnderWay: Bool { names.isOpening || loader.isFirstUnderWay }

  /// Whether an instrument is on its way, the first or another.
  var isUnderWay: Bool { names.isOpening || loader.isUnderWay }

  /// Follows the disk and the engine.
  func poll(_ now: Double) -> Int? {
    worker.deliver()
    let isLoading = loader.poll(now, isOpening: names.isOpening)
    return worker.isBusy || isLoading ? Self.busyMilliseconds : nil
  }

  /// Forgets the instrument of the session before as one to fall back on.
  func beginSession() { loader.forgetFallback() }

  /// Looks up all instruments, and loads the one that was played last, or the first.
  func open(_ say: @escaping (String) -> Void) {
    loader.open(say)
    names.open(say)
  }

  // MARK: - What is asked

  /// Plays the instrument of a name when it is loaded.
  func play(_ request: Request) throws(Refusal) {
    let text = request.text(0) ?? ""
    let name: InstrumentName
    do throws(InstrumentFault) {
      name = try InstrumentName(text)
    } catch {
      throw Refusal(error)
    }
    let order = try loader.begin(text, for: request, isKept: !name.isOfTheLoop)
    guard !name.isOfTheLoop else {
      loadLoop(order)
      return
    }
    // What was kept is not asked for any more.
    context.overtakes(Self.present)
    loader.load(order)
  }

  /// Copies the loop, and makes an instrument of it.
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

  /// Makes a file or folder of the home folder an instrument.
  func add(_ request: Request) throws(Refusal) {
    let (name, file) = (request.text(0) ?? "", request.text(1) ?? "")
    let (bank, program) = (request.whole(2), request.whole(3))
    guard (bank == nil) == (program == nil) else {
      throw Refusal(.type, "\(request.path) takes a bank and a program, or neither of them")
    }
    try names.change { shelf throws(Refusal) in
      try shelf.add(name, file: file, bank: bank, program: program)
    } then: { outcome in
      request.attempt { () throws(Refusal) in request.done([name] + (try outcome.get())) }
    }
  }

  /// Forgets an instrument of the user's.
  func delete(_ request: Request) throws(Refusal) {
    let name = request.text(0) ?? ""
    try names.change { shelf throws(Refusal) in
      try shelf.delete(name)
    } then: {
      request.tell($0, name)
    }
  }
}
