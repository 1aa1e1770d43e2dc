internal import Engine
internal import OSC

/// Which controllers of a keyboard turn which addresses.
final class Bindings {
  /// Under which they are kept.
  static let path = "/midi/bindings"
  /// What no controller turns: a hand that slips must not end the node.
  static let barred: Set = ["/quit"]
  /// How many addresses can be bound: those that stand for many have no end.
  static let most = 512
  // How often to look at what is turned, in milliseconds: while it is, and while nothing is.
  private static let busyMilliseconds = 5
  private static let idleMilliseconds = 20
  private static let busyMicroseconds = 1_000_000.0

  /// The controller of each address.
  private(set) var controllers: [String: Int] = [:]
  // What waits for a controller that moves, and who asked for that.
  private var learning: (path: String, client: Client?)?
  // What each address was last turned to: a whole number stays the same for a while.
  private var latest: [String: Argument] = [:]
  // The addresses whose controller is still in the movement by which it was learnt.
  private var pickups: [String: Pickup] = [:]
  private var busyUntil = 0.0

  /// Waits for a controller that moves, to bind it to an address.
  func learn(_ path: String, for client: Client?, node: Node) {
    // What moved before doesn't count.
    follow(node)
    learning = (path, client)
    tellEngine(node)
  }

  /// Whether an address can be bound beside those that are.
  func hasRoom(for path: String) -> Bool {
    controllers[path] != nil || controllers.count < Self.most
  }

  /// Binds a controller to an address, and tells of it.
  func bind(_ controller: Int, to path: String, for client: Client?, node: Node) {
    follow(node)
    if learning?.path == path { learning = nil }
    controllers[path] = controller
    latest[path] = nil
    pickups[path] = nil
    changed(node, by: client)
    let values: [Argument] = [.string(path), .int32(Int32(controller))]
    node.feedback.announce("/midi/learnt", values, by: node.outlet)
    if let client, !node.isSubscribed(client) { node.reply("/midi/learnt", values, to: client) }
  }

  /// Lets an address go; false where nothing turned it, or waited for that.
  func forget(_ path: String, for client: Client?, node: Node) -> Bool {
    let wasLearning = learning?.path == path
    if wasLearning {
      learning = nil
      tellEngine(node)
    }
    pickups[path] = nil
    guard controllers.removeValue(forKey: path) != nil else { return wasLearning }
    changed(node, by: client)
    return true
  }

  /// Lets all go.
  func forgetAll(node: Node) {
    controllers = [:]
    learning = nil
    latest = [:]
    pickups = [:]
    tellEngine(node)
  }

  private func changed(_ node: Node, by client: Client?) {
    tellEngine(node)
    node.keep(Self.path, text, for: client)
  }

  private func tellEngine(_ node: Node) {
    node.engine.shared.controllers.bind(
      Set(controllers.values), isLearning: learning != nil)
  }

  /// All of them as text.
  private var text: String {
    controllers.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }

  /// Takes over what was kept as text.
  func restore(_ text: String, node: Node) {
    for word in text.split(separator: " ") {
      let parts = word.split(separator: "=").map(String.init)
      // What a newer version kept is let be.
      guard parts.count == 2, let controller = Int(parts[1]), 0...127 ~= controller,
        let (address, path, _) = node.table.resolve(parts[0]), hasRoom(for: path),
        !Self.barred.contains(path), address.argument(turnedTo: 0) != nil
      else { continue }
      controllers[path] = controller
    }
    tellEngine(node)
  }

  /// Looks at what was turned; returns in how many milliseconds to look again, nil for any time.
  func look(_ now: Double, node: Node) -> Int? {
    guard learning != nil || !controllers.isEmpty else { return nil }
    if follow(node) { busyUntil = now + Self.busyMicroseconds }
    return now < busyUntil ? Self.busyMilliseconds : Self.idleMilliseconds
  }

  /// Turns what is bound to what was turned; false where nothing was.
  @discardableResult
  private func follow(_ node: Node) -> Bool {
    let moved = node.engine.shared.controllers.takeMoved()
    for (controller, value) in moved {
      if let (path, client) = learning {
        learning = nil
        bind(controller, to: path, for: client, node: node)
        // The press, or the movement, that it is learnt from is for nothing else.
        for (path, bound) in controllers where bound == controller {
          pickups[path] = Pickup(learntAt: value)
        }
        continue
      }
      for (path, bound) in controllers where bound == controller {
        turn(path, to: value, node: node)
      }
    }
    return !moved.isEmpty
  }

  private func turn(_ path: String, to value: Int, node: Node) {
    guard let address = node.table.resolve(path)?.address,
      let argument = address.argument(turnedTo: value)
    else { return }
    if var pickup = pickups[path] {
      let present = node.feedback.value(of: address, node: node)?.first?.number
      let isOver = pickup.isOver(at: value, for: address, at: present)
      pickups[path] = isOver ? nil : pickup
      guard isOver else { return }
    }
    guard latest[path] != argument else { return }
    latest[path] = argument
    do throws(Refusal) {
      try node.perform(path, [argument])
    } catch {
      node.report(error, of: path, to: nil)
    }
  }
}
