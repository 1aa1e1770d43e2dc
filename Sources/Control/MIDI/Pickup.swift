internal import OSC

/// The movement by which a controller was learnt: it does nothing to the address yet.
///
/// A button, or what is on or off, is turned again when the controller was let go; a value is taken
/// up where the controller passes it, so that it doesn't leap, or when a pad is pressed again.
struct Pickup {
  // From here on what is pressed is so.
  private static let pressed = 64

  private var last: Int
  private var isLetGo: Bool

  /// The movement that begins with a value.
  init(learntAt value: Int) {
    last = value
    isLetGo = value == 0
  }

  /// Whether the movement is over with this value of the controller, so that it turns the address,
  /// which is at a number at present, if it is at any.
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
  /// Whether a controller turns it to two places only.
  fileprivate var hasTwoPlaces: Bool {
    argument(turnedTo: 0) == argument(turnedTo: 63)
      && argument(turnedTo: 64) == argument(turnedTo: 127)
  }
}
