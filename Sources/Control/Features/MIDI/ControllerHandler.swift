internal import OSC

/// Converts the values of controllers to arguments of their addresses.
struct ControllerHandler {
  let context: Context
  // The last argument sent to each address, since several controller values can map to one number.
  private var latest: [String: Argument] = [:]
  // The addresses whose controller is still in the movement by which it was mapped.
  private var pickups: [String: Pickup] = [:]

  init(_ context: Context) { self.context = context }

  /// Returns the argument that sets an address to the value of a controller; nil if the address already has
  /// it, or is not picked up yet.
  mutating func argument(for path: String, turnedTo value: Int) -> Argument? {
    guard let address = context.table.resolve(path)?.address,
      let argument = address.argument(turnedTo: value)
    else { return nil }
    if var pickup = pickups[path] {
      let present = context.values(of: address)?.first?.number
      let isOver = pickup.isOver(at: value, for: address, at: present)
      pickups[path] = isOver ? nil : pickup
      guard isOver else { return nil }
    }
    guard latest[path] != argument else { return nil }
    latest[path] = argument
    return argument
  }

  /// Starts the pickup of an address whose controller was mapped at a value.
  mutating func pickUp(_ path: String, from value: Int) { pickups[path] = Pickup(learntAt: value) }

  /// Ends the pickup of an address.
  mutating func endPickup(_ path: String) { pickups[path] = nil }

  /// Drops the state of an address that was bound again.
  mutating func forget(_ path: String) {
    latest[path] = nil
    pickups[path] = nil
  }
}
