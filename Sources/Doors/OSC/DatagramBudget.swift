package import Posix

/// A token bucket per address that limits the bytes sent by datagrams.
///
/// The sender of a datagram may be forged, and the replies would flood an uninvolved host.
///
/// Connections can't be forged, nor can other machines forge this one's own address. Neither is
/// counted.
package struct DatagramBudget {
  /// The burst size, in bytes.
  package static let burst = 524_288.0
  /// The sustained rate, in bytes per second.
  package static let bytesPerSecond = 131_072.0
  // Addresses share buckets by an unpredictable hash, so that many forged addresses allocate no
  // more memory.
  private static let places = 1024

  private var places: [(left: Double, since: Double)] = Array(
    repeating: (Self.burst, 0), count: Self.places)

  /// Creates a full budget.
  package init() {}

  /// Takes the bytes of a datagram from the address's budget if it suffices, at a time in
  /// microseconds of the steady clock.
  package mutating func take(_ bytes: Int, to address: IPAddress, now: Double) -> Bool {
    if address.isLoopback { return true }
    let place = Int(truncatingIfNeeded: UInt(bitPattern: address.hashValue) % UInt(Self.places))
    let (left, since) = places[place]
    let refilled = min(Self.burst, left + (now - since) / 1e6 * Self.bytesPerSecond)
    guard refilled >= Double(bytes) else { return false }
    places[place] = (refilled - Double(bytes), now)
    return true
  }
}
