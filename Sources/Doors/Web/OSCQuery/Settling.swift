internal import OSC

/// The first moments of a page of another site.
///
/// Such pages build their controls from the tree, and some send each control's value as they do, or
/// what they take for it, before anybody has touched one. What carries a value is not followed until
/// they have been still.
struct Settling {
  // Longer than between two of the values that such a page sends by itself.
  private static let stillness = 0.5e6
  // Who goes on for so long is being played.
  private static let longest = 5e6
  private static let firstValue = 2e6

  private let opened: Double
  private var last: Double?
  private var hasEnded: Bool

  init(isForeign: Bool, now: Double) {
    hasEnded = !isForeign
    opened = now
  }

  /// Whether a packet that came now is to be followed.
  mutating func follows(_ packet: [UInt8], now: Double) -> Bool {
    guard !hasEnded else { return true }
    guard Self.carriesValues(packet) else { return true }
    let wasStill = last.map { now - $0 > Self.stillness } ?? (now - opened > Self.firstValue)
    last = now
    hasEnded = wasStill || now - opened > Self.longest
    return hasEnded
  }

  private static func carriesValues(_ packet: [UInt8]) -> Bool {
    var carries = false
    packet.withUnsafeBytes {
      try? Packet.read($0) { message, _ in
        carries = carries || !message.arguments.isEmpty && message.addressText != "/subscribe"
      }
    }
    return carries
  }
}
