internal import Engine
internal import OSC

/// The bindings of a keyboard's controllers to the addresses that they turn.
final class Bindings {
  /// The addresses that no controller turns: a hand that slips must not end the node.
  static let barred: Set = ["/quit"]
  /// The number of addresses that can be bound: those that stand for many have no end.
  static let most = 512
  // How often to look at what is turned, in milliseconds: while it is, and while nothing is.
  private static let busyMilliseconds = 5
  private static let idleMilliseconds = 20
  private static let busyMicroseconds = 1_000_000.0

  /// The controller of each address.
  private(set) var controllers: [String: Int] = [:]
  private let context: Context
  // What waits for a controller that moves, and who asked for that.
  private var learning: (path: String, request: Request)?
  // What each address was last turned to: a whole number stays the same for a while.
  private var latest: [String: Argument] = [:]
  // The addresses whose controller is still in the movement by which it was learnt.
  private var pickups: [String: Pickup] = [:]
  private var busyUntil = 0.0

  init(_ context: Context) { self.context = context }

  /// Waits for a controller that moves, to bind it to an address.
  func learn(_ path: String, for request: Request) {
    // What moved before doesn't count.
    follow()
    learning = (path, request)
    tellEngine()
  }

  /// Whether an address can be bound beside those that are.
  func hasRoom(for path: String) -> Bool {
    controllers[path] != nil || controllers.count < Self.most
  }

  /// Binds a controller to an address, and tells of it.
  func bind(_ controller: Int, to path: String, for request: Request) {
    follow()
    if learning?.path == path { learning = nil }
    controllers[path] = controller
    latest[path] = nil
    pickups[path] = nil
    changed(by: request)
    let values: [Argument] = [.string(path), .int32(Int32(controller))]
    context.announce(MIDI.learnt, values)
    guard let client = request.client, !context.isSubscribed(client) else { return }
    request.answer(MIDI.learnt, values)
  }

  /// Lets an address go; false where nothing turned it, or waited for that.
  func forget(_ path: String, for request: Request) -> Bool {
    let wasLearning = learning?.path == path
    if wasLearning {
      learning = nil
      tellEngine()
    }
    pickups[path] = nil
    guard controllers.removeValue(forKey: path) != nil else { return wasLearning }
    changed(by: request)
    return true
  }

  /// Lets all go.
  func forgetAll() {
    controllers = [:]
    learning = nil
    latest = [:]
    pickups = [:]
    tellEngine()
  }

  private func changed(by request: Request) {
    tellEngine()
    context.keep(MIDI.bindings, for: request)
  }

  private func tellEngine() {
    context.engine.shared.controllers.bind(
      Set(controllers.values), isLearning: learning != nil)
  }

  // MARK: - What is kept

  /// All of them as text: addresses and controllers.
  var text: String {
    controllers.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// Takes over what was kept as text.
  func restore(_ text: String) {
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=").map(String.init)
      // What a newer version kept is let be.
      guard parts.count == 2, let controller = Int(parts[1]), 0...127 ~= controller,
        let (address, path, _) = context.table.resolve(parts[0]), hasRoom(for: path),
        !Self.barred.contains(path), address.argument(turnedTo: 0) != nil
      else { continue }
      controllers[path] = controller
    }
    tellEngine()
  }

  // MARK: - What happens

  /// Follows what was turned; returns in how many milliseconds to look again, nil for any time.
  func poll(_ now: Double) -> Int? {
    guard learning != nil || !controllers.isEmpty else { return nil }
    if follow() { busyUntil = now + Self.busyMicroseconds }
    return now < busyUntil ? Self.busyMilliseconds : Self.idleMilliseconds
  }

  /// Turns what is bound to what was turned; false where nothing was.
  @discardableResult
  private func follow() -> Bool {
    let moved = context.engine.shared.controllers.takeMoved()
    for (controller, value) in moved {
      if let (path, request) = learning {
        learning = nil
        bind(controller, to: path, for: request)
        // The press, or the movement, that it is learnt from is for nothing else.
        for (path, bound) in controllers where bound == controller {
          pickups[path] = Pickup(learntAt: value)
        }
        continue
      }
      for (path, bound) in controllers where bound == controller { turn(path, to: value) }
    }
    return !moved.isEmpty
  }

  private func turn(_ path: String, to value: Int) {
    guard let address = context.table.resolve(path)?.address,
      let argument = address.argument(turnedTo: value)
    else { return }
    if var pickup = pickups[path] {
      let present = context.answerer.feedback.read(address)?.first?.number
      let isOver = pickup.isOver(at: value, for: address, at: present)
      pickups[path] = isOver ? nil : pickup
      guard isOver else { return }
    }
    guard latest[path] != argument else { return }
    latest[path] = argument
    do throws(Refusal) {
      try context.perform(path, [argument])
    } catch {
      context.report(error, of: path)
    }
  }
}
