internal import OSC

/// A filter for the first moments of a page from another site.
///
/// Such pages build their controls from the tree. Some of them send each control's value, or what
/// they take for it, before the user has touched one. Packets with values are ignored until the
/// page has been quiet.
struct Settling {
  // Longer than the gap between two values that such a page sends automatically.
  private static let stillness = 0.5e6
  // A page that sends for longer is being played.
  private static let longest = 5e6
  private static let firstValue = 2e6

  private let opened: Double
  private var last: Double?
  private var hasEnded: Bool

  init(isForeign: Bool, now: Double) {
    hasEnded = !isForeign
    opened = now
  }

  /// Whether to process a packet that came now.
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
