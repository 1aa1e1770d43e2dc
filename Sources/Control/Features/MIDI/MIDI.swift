internal import Engine
internal import OSC

/// Keyboards and synthesizers: what their keys sound, and what their controllers turn.
final class MIDI: Feature {
  /// The pitches of a keyboard's keys that the audio thread has, and those on their way to it.
  private(set) var keyMaps: [KeyMap] = []
  private let context: Context
  private let bindings: Bindings

  init(_ context: Context) {
    self.context = context
    bindings = Bindings(context)
  }

  /// Follows the controllers.
  func poll(_ now: Double) -> Int? { bindings.poll(now) }

  /// Lets all controllers go.
  func beginSession() { bindings.forgetAll() }

  // MARK: - Keys

  /// Lets the keys of a keyboard sound at other pitches from now on, in cents above MIDI key 0: one
  /// for each of the 128 keys where they snap to the scale, and one where they don't.
  ///
  /// A key that is held goes on as it began.
  func setKeyMap(snapped: [Float], own: [Float]) throws(Refusal) {
    let map = KeyMap(snapped: snapped, own: own)
    let command = PlannedCommand(
      action: .keyMap(map.pointer),
      whenDone: { [weak self] in
        // The audio thread has let all go that came before.
        guard let self, let place = keyMaps.firstIndex(where: { $0 === map }) else { return }
        keyMaps.removeFirst(place)
      })
    keyMaps.append(map)
    do throws(Refusal) {
      try context.submit([command])
    } catch {
      keyMaps.removeLast()
      throw error
    }
  }

  // MARK: - Controllers

  /// Waits for a controller that moves, to bind it to an address; or binds one at once.
  fileprivate func learn(_ request: Request) throws(Refusal) {
    let wanted = request.text(0) ?? ""
    guard let (address, path, _) = context.table.resolve(wanted) else {
      guard context.table[wanted] != nil else { throw context.unknown(wanted) }
      throw Refusal(.type, "\(wanted) stands for many addresses; name one of them, as /grid/1/3")
    }
    if Bindings.barred.contains(path) {
      throw Refusal(
        .denied, "\(path) can't be learnt: a controller touched by chance would end the node")
    }
    guard address.argument(turnedTo: 0) != nil else {
      throw Refusal(
        .type, "\(path) takes \(address.usage), and can't be turned by a controller")
    }
    guard bindings.hasRoom(for: path) else {
      throw Refusal(
        .busy, "\(Bindings.most) addresses are bound already, as many as can; /midi/forget one")
    }
    if let controller = request.whole(1) {
      bindings.bind(controller, to: path, for: request)
    } else {
      bindings.learn(path, for: request)
    }
  }

  /// Lets no controller turn an address.
  fileprivate func forget(_ request: Request) throws(Refusal) {
    let wanted = request.text(0) ?? ""
    let path = context.table.resolve(wanted)?.path ?? wanted
    guard bindings.forget(path, for: request) else {
      throw Refusal(
        .missing, "no controller is bound to \(quoted(path)); \(Self.bindings) lists all")
    }
  }

  /// Answers with all that is bound, and how much that is.
  fileprivate func tellBindings(_ request: Request) {
    let all = bindings.controllers.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    for (path, controller) in all {
      request.answer(Self.binding, [.string(path), .int32(Int32(controller))])
    }
    request.answer(Self.endOfBindings, [.int32(Int32(all.count))])
  }
}

// MARK: - Addresses

extension MIDI {
  typealias Declared = Of<MIDI>

  static let bindings = "/midi/bindings"
  static let learnt = Event(
    "/midi/learnt", "si",
    "Tells that the controller i turns the address s from now on")
  private static let binding = Event(
    "/midi/binding", "si", "One of the answers to /midi/bindings")
  private static let endOfBindings = Event(
    "/midi/bindings/end", "i", "The end of the answer to /midi/bindings")

  static let addresses: [Address] = [
    Address(
      "/midi/snap", .whole(.midiSnap, 0...1), kept: .home,
      "1 snaps a keyboard's keys to the scale: those between its notes play the nearest, the "
        + "lower of two as near; 0 plays them as they are"),
    Address(
      "/midi/bend", .number(.midiBend, 0...24), unit: "semitones", kept: .home,
      "Range of a keyboard's pitch wheel, either way"),
    Address(
      "/midi/channel", .whole(.midiChannel, 1...16), kept: .home,
      "MIDI channel of the notes that go out; those that come in are taken on all"),
    Address(
      "/midi/learn",
      Declared.task(
        [.needed("address", .text), .optional("controller", .whole, in: 0...127)],
        end: learnt.path
      ) { midi, request throws(Refusal) in
        try midi.learn(request)
      },
      "Binds the address to the controller that moves next, or to this one; answers /midi/learnt"),
    Address(
      "/midi/forget",
      Declared.action([.needed("address", .text)]) { midi, request throws(Refusal) in
        try midi.forget(request)
      },
      "Unbinds the address from its controller, and stops waiting for one"),
    Address(
      bindings,
      Declared.action { midi, request in midi.tellBindings(request) },
      kept: Declared.kept(.home) { midi in
        midi.bindings.text
      } restore: { midi, text in
        midi.bindings.restore(text)
        return []
      },
      "Answers /midi/binding s:address i:controller for each that is bound, then "
        + "/midi/bindings/end i:count"),
    Address(learnt), Address(binding), Address(endOfBindings),
  ]
}
