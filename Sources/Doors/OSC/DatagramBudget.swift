package import Posix

/// How many bytes of datagrams an address is sent: the sender of a datagram may be forged, and then
/// somebody is sent what never asked.
///
/// A connection can't be forged, nor can this machine from another: neither is counted.
package struct DatagramBudget {
  /// The most bytes at once.
  package static let burst = 524_288.0
  /// The most bytes a second for long.
  package static let bytesPerSecond = 131_072.0
  // Addresses share a place by chance, one that nobody can know: whoever forges very many of them
  // has no more memory of the node for it.
  private static let places = 1024

  private var places: [(left: Double, since: Double)] = Array(
    repeating: (Self.burst, 0), count: Self.places)

  /// A budget that nobody has used.
  package init() {}

  /// Takes the bytes of a datagram for an address, where it may still be sent them at a time in
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
