internal import OSC

/// The movement by which a controller was learnt, which does not set the address yet.
///
/// A button or switch follows the controller again after it was released. A value follows once the
/// controller passes it, so that it doesn't jump, or when a pad is pressed again.
struct Pickup {
  // From this value on a button is pressed.
  private static let pressed = 64

  private var last: Int
  private var isLetGo: Bool

  /// Creates the movement that starts at a value.
  init(learntAt value: Int) {
    last = value
    isLetGo = value == 0
  }

  /// Whether the movement ends with this value of the controller, so that it sets the address, whose
  /// present number is given if it has one.
  mutating func isOver(at value: Int, for address: Address, at present: Double?) -> Bool {
    defer { last = value }
    guard let present, !address.hasTwoPlaces else {
      if isLetGo { return true }
      isLetGo = value < Self.pressed && value < last
      return false
    }
    if value == 0, !isLetGo {
      isLetGo = true
      return false
    }
    if isLetGo, value - last >= Self.pressed { return true }
    let ends = [last, value].compactMap { address.argument(turnedTo: $0)?.number }
    guard let least = ends.min(), let greatest = ends.max() else { return true }
    return least <= present && present <= greatest
  }
}

extension Address {
  /// Whether a controller sets it to two values only.
  fileprivate var hasTwoPlaces: Bool {
    argument(turnedTo: 0) == argument(turnedTo: 63)
      && argument(turnedTo: 64) == argument(turnedTo: 127)
  }
}
